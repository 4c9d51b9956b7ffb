// The whole story: sessions of two agents are learnt from, a third agent is told, somebody forgets
// one thing on the page, and nobody is told it again. What jobs and spend show comes along.

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opened } from "./actions.mjs";
import { holds, it, same } from "./world.mjs";

const AT = "2026-01-05T10:00:00.000Z";
const RESTED = (Date.now() - 2 * 24 * 60 * 60 * 1000) / 1000;

function leave(folder, name, lines) {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(path, RESTED, RESTED);
}

export function claude(world, id, text) {
  const said = (type, uuid, parentUuid, content) => ({ type, uuid, parentUuid, sessionId: id, timestamp: AT, cwd: world.project, message: { role: type, id: uuid, content } });
  leave(join(world.folder, ".claude/projects/work"), `${id}.jsonl`, [said("user", "a", null, text), said("assistant", "b", "a", [{ type: "text", text: "All right." }])]);
}

function codex(world, id, text) {
  const line = (type, payload) => ({ timestamp: AT, type, payload });
  const said = (role, type, words) => line("response_item", { type: "message", role, content: [{ type, text: words }] });
  const meta = line("session_meta", { id, timestamp: AT, cwd: world.project, originator: "codex_cli_rs", cli_version: "0.60.0", source: "cli" });
  leave(join(world.folder, ".codex/sessions/2026/01/05"), `rollout-2026-01-05T10-00-00-${id}.jsonl`, [meta, said("user", "input_text", text), said("assistant", "output_text", "All right.")]);
}

// What a third agent is given when a session begins.
function told(world, session) {
  const event = { hook_event_name: "SessionStart", session_id: session, cwd: world.project, timestamp: AT, source: "startup" };
  return world.hook("gemini-cli", event).hookSpecificOutput?.additionalContext ?? "";
}

export async function story(world) {
  await it("what two agents were taught a third is told, until it is forgotten on the page", async () => {
    claude(world, "00000000-0000-4000-8000-000000000001", "remember that the mirror server uses port 8443");
    codex(world, "00000000-0000-4000-8000-000000000002", "never push to the release branch, it is cut by the bot");
    const page = await opened(world);
    await page.goto(`${world.base}/#/jobs`);
    await page.getByRole("button", { name: "What is due?" }).click();
    await page.waitForFunction(() => document.querySelector(".notice")?.textContent.includes("2 sessions are due"));
    await page.getByRole("button", { name: "Run now" }).click();
    await page.waitForFunction(() => document.querySelector(".notice")?.textContent.startsWith("Learnt from 2 sessions"));
    const rows = page.getByRole("region", { name: "Jobs" }).locator("tbody tr");
    await rows.first().waitFor();
    const jobs = await rows.allTextContents();
    holds(jobs.some((row) => row.includes("claude-code:")) && jobs.some((row) => row.includes("codex:")), jobs.join(" | "));
    await page.getByRole("region", { name: "Sets of documents" }).waitFor();
    holds((await page.locator(".spent").textContent()).startsWith("0 of 0 tokens"), "the spend is not told");

    const begun = told(world, "story-1");
    holds(begun.includes("8443") && begun.includes("release branch"), begun);
    await page.goto(`${world.base}/#/memories`);
    await page.fill("#query", "mirror server port");
    await page.waitForSelector("[role=option] .because");
    await page.locator("[role=option]", { hasText: "8443" }).first().click();
    await page.waitForFunction(() => document.querySelector(".detail h2.said")?.textContent.includes("8443"));
    holds(begun.includes(await page.locator(".detail code").last().textContent()), "it is not cited");
    await page.keyboard.press("f");
    const gone = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.locator("#going").getByRole("button", { name: "Now" }).click();
    same((await gone).status(), 200);

    for (const session of ["story-2", "story-3"]) {
      const after = told(world, session);
      holds(!after.includes("8443") && after.includes("release branch"), after);
      await world.ask("POST", "/v1/memory/run", {});
    }
    await page.context().close();
  });
}
