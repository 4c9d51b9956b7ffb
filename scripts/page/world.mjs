// A server of its own on a fresh store, and a browser that reaches nothing else.

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const binary = process.env.PAGE_BINARY;

export class World {
  static async open() {
    const world = new World();
    world.folder = mkdtempSync(join(tmpdir(), "nuthatch-page-"));
    world.project = join(world.folder, "project");
    mkdirSync(join(world.project, ".nuthatch"), { recursive: true });
    world.env = { ...process.env, HOME: world.folder, NUTHATCH_HOME: join(world.folder, "home"), MEMORY_LIMIT: "none" };
    await world.serve();
    return world;
  }

  // Starts `nuthatch ui`, which serves the page and says with which address it is opened.
  async serve() {
    this.server = spawn(binary, ["--project", this.project, "ui", "--no-open", "--json"], { env: this.env, stdio: ["ignore", "pipe", "inherit"] });
    const line = await new Promise((told, failed) => {
      let text = "";
      this.server.stdout.on("data", (bytes) => {
        text += bytes;
        if (text.includes("\n")) told(text);
      });
      this.server.on("exit", (code) => failed(new Error(`the server ended with ${code}`)));
    });
    this.address = JSON.parse(line).url;
    [this.base, this.token] = this.address.split("/#token=");
  }

  command(...args) {
    const done = spawnSync(binary, ["--project", this.project, "--json", ...args], { env: this.env, encoding: "utf8" });
    if (done.status !== 0) throw new Error(`nuthatch ${args.join(" ")}: ${done.stdout}${done.stderr}`);
    return JSON.parse(done.stdout);
  }

  // What an agent is answered to an event, with all the time it needs: other tests measure that.
  hook(agent, event) {
    const patient = { NUTHATCH_HOOKS_START_MS: "60000", NUTHATCH_HOOKS_PROMPT_MS: "60000" };
    const done = spawnSync(binary, ["hook", agent], { env: { ...this.env, ...patient }, cwd: this.project, input: JSON.stringify(event), encoding: "utf8" });
    if (done.status !== 0) throw new Error(`nuthatch hook: ${done.stdout}${done.stderr}`);
    return JSON.parse(done.stdout);
  }

  async ask(method, path, body) {
    const headers = { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" };
    const response = await fetch(this.base + path, { method, headers, body: body && JSON.stringify(body) });
    const answer = await response.json().catch(() => ({}));
    return { status: response.status, ...answer };
  }

  async browser() {
    // Names lead nowhere: whatever the page wants from outside cannot even be looked up.
    const args = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"];
    this.chromium = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
    return this.chromium;
  }

  // A page that is watched: every request, dialog, error and broken rule is written down.
  async page(options = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.watched = { strangers: [], dialogs: [], errors: [], violations: [] };
    page.on("request", (request) => {
      if (!request.url().startsWith(this.base) && !request.url().startsWith("data:")) page.watched.strangers.push(request.url());
    });
    page.on("dialog", (dialog) => {
      page.watched.dialogs.push(dialog.message());
      dialog.dismiss();
    });
    page.on("pageerror", (error) => page.watched.errors.push(`${error.message} ${error.stack}`));
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) page.watched.violations.push(message.text());
    });
    // Far more than anything takes: a busy machine is no failure of the page.
    page.setDefaultTimeout(60_000);
    return page;
  }

  // The server once more, at another store.
  async again() {
    const gone = new Promise((told) => this.server.once("exit", told));
    this.server.kill("SIGTERM");
    await gone;
    await this.serve();
  }

  async close() {
    await this.chromium?.close();
    this.server.kill("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

let passed = 0;
const failures = [];

// One promise of the page.
export async function it(sentence, work) {
  const began = Date.now();
  try {
    await work();
    passed += 1;
    console.log(`  ok ${sentence} (${Date.now() - began} ms)`);
  } catch (error) {
    failures.push(sentence);
    console.log(`  FAILED ${sentence}\n    ${String(error.stack ?? error).replaceAll("\n", "\n    ")}`);
  }
}

export function settle() {
  console.log(`page: ${passed} passed, ${failures.length} failed`);
  return failures.length === 0 ? 0 : 1;
}

export function same(found, expected, about = "") {
  const [one, two] = [JSON.stringify(found), JSON.stringify(expected)];
  if (one !== two) throw new Error(`${about} expected ${two}, found ${one}`);
}

export function holds(condition, about) {
  if (!condition) throw new Error(about);
}
