// Every action of the page, by keyboard where there is a key for it.

import { holds, it, same } from "./world.mjs";

// What a signed-in page shows first.
export async function opened(world, options) {
  const page = await world.page(options);
  await page.goto(world.address);
  await page.waitForSelector("[role=option]");
  return page;
}

async function search(page, text) {
  await page.keyboard.press("/");
  await page.fill("#query", text);
  await page.waitForSelector("[role=option] .because");
}

async function choose(page, text) {
  await search(page, text);
  await page.keyboard.press("ArrowDown");
  await page.waitForSelector(".detail h2.said");
}


const memories = (world, wish = {}) => world.ask("POST", "/v1/browse", { limit: 100, ...wish });

async function reading(world) {
  await it("the token leaves the address at once and is in no request", async () => {
    const page = await world.page();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(world.address);
    await page.waitForSelector("[role=option]");
    holds(!page.url().includes(world.token), page.url());
    holds(asked.every((url) => !url.includes(world.token)), asked.join());
    same(await page.evaluate(() => [document.cookie, localStorage.length]), ["", 0]);
    await page.context().close();
  });

  await it("without the token there is a login field, and a wrong one is told", async () => {
    const page = await world.page();
    await page.goto(`${world.base}/`);
    await page.fill("#token", "0".repeat(64));
    await page.keyboard.press("Enter");
    await page.waitForSelector(".login .wrong");
    await page.fill("#token", world.token);
    await page.keyboard.press("Enter");
    await page.waitForSelector("[role=option]");
    await page.context().close();
  });

  await it("search as you type marks the words and says why", async () => {
    const page = await opened(world);
    await page.keyboard.press("/");
    await page.keyboard.type("staging database");
    // Half a word may be read as the whole one, so that there are marks before everything is typed.
    await page.waitForFunction(() => document.querySelector("[role=option]")?.querySelectorAll("mark").length > 1);
    const first = page.locator("[role=option]").first();
    same(await first.locator("mark").allTextContents(), ["staging", "database"]);
    holds((await first.locator(".because").textContent()).includes("words: staging, database"), "it does not say which words");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector(".why meter");
    await page.fill("#query", "quantum chromodynamics of pelicans");
    await page.waitForFunction(() => document.querySelector(".count").textContent.includes("Nothing stored"));
    await page.context().close();
  });

  await it("filters narrow what is shown, and are taken back", async () => {
    const page = await opened(world);
    const all = await page.locator(".count").textContent();
    await page.locator(".filters label", { hasText: "Trust" }).locator("select").selectOption("quarantined");
    await page.waitForFunction((before) => document.querySelector(".count").textContent !== before, all);
    const shown = await page.locator("[role=option] .trust").allTextContents();
    holds(shown.length > 0 && shown.every((trust) => trust === "quarantined"), shown.join());
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForFunction((before) => document.querySelector(".count").textContent === before, all);
    for (const [label, value] of [["Category", "restriction"], ["Agent", "claude-code"], ["Pinned", "yes"], ["Stored", "7d"], ["Scope", "global"]]) {
      await page.locator(".filters label", { hasText: label }).locator("select").selectOption(value);
      await page.waitForTimeout(150);
      holds((await page.locator("#trouble").textContent()) === "", label);
      await page.getByRole("button", { name: "Clear" }).click();
    }
    await page.context().close();
  });
}

async function changing(world) {
  await it("a memory is edited, keeps what it said, and counts as the user's word", async () => {
    const page = await opened(world);
    await choose(page, "staging database port");
    await page.keyboard.press("e");
    await page.fill(".sheet textarea", "The staging database listens on port 5444");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".detail .past");
    const shown = await world.ask("GET", "/v1/memories/staging-db");
    same([shown.memory.content, shown.memory.trust, shown.versions.length], ["The staging database listens on port 5444", "confirmed", 1]);
    await page.context().close();
  });

  await it("an edit of what somebody else changed meanwhile is refused and loses nothing", async () => {
    const page = await opened(world);
    await choose(page, "staging database port");
    await page.keyboard.press("e");
    await world.ask("PATCH", "/v1/memories/staging-db", { content: "moved to port 5455" });
    await page.fill(".sheet textarea", "my own words");
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".sheet .wrong:not(:empty)");
    same(await page.inputValue(".sheet textarea"), "my own words");
    same((await world.ask("GET", "/v1/memories/staging-db")).memory.content, "moved to port 5455");
    await page.context().close();
  });

  await it("what the gate refuses is told, without repeating it", async () => {
    const page = await opened(world);
    const secret = ["gh", "p_", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ"].join("");
    await page.keyboard.press("n");
    await page.fill(".sheet textarea", `the token is ${secret}`);
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".sheet .wrong:not(:empty)");
    holds(!(await page.locator(".sheet .wrong").textContent()).includes(secret), "the secret is repeated");
    await page.context().close();
  });

  await it("a memory is pinned, replaced and brought back", async () => {
    const page = await opened(world);
    await choose(page, "gateway times out");
    await page.keyboard.press("p");
    await page.getByRole("button", { name: "Unpin" }).waitFor();
    await page.keyboard.press("s");
    await page.fill(".sheet textarea", "The gateway gives up after 60 seconds");
    await page.keyboard.press("Control+Enter");
    await page.waitForFunction(() => document.querySelector(".detail h2.said")?.textContent.includes("60 seconds"));
    const { memories: replaced } = await memories(world, { superseded: true, pinned: true });
    const old = replaced.find((memory) => memory.content.includes("30 seconds"));
    holds(old.superseded_by, "nothing was replaced");
    await page.goto(`${world.base}/#/memories/${old.id}`);
    await page.getByRole("button", { name: "Bring back" }).click();
    await page.getByRole("button", { name: "Bring back" }).waitFor({ state: "detached" });
    same((await world.ask("GET", `/v1/memories/${old.id}`)).memory.superseded_by, null);
    await page.context().close();
  });
}

async function forgetting(world) {
  await it("forgetting waits a minute, undo keeps the memory, and the minute ends it", async () => {
    const page = await world.page();
    await page.clock.install();
    await page.goto(world.address);
    await page.waitForSelector("[role=option]");
    await page.keyboard.press("/");
    await page.fill("#query", "release notes");
    await page.clock.runFor(300);
    await page.waitForSelector("[role=option] .because");
    await page.keyboard.press("ArrowDown");
    await page.clock.runFor(300);
    await page.waitForSelector(".detail h2.said");
    const total = (await memories(world)).total;
    await page.keyboard.press("f");
    await page.waitForSelector("#going li");
    await page.clock.runFor(30_000);
    same((await memories(world)).total, total, "before the minute is over:");
    await page.keyboard.press("u");
    await page.waitForSelector("#going li", { state: "detached" });
    await page.clock.runFor(60_000);
    same((await memories(world)).total, total, "after undo:");
    await page.keyboard.press("f");
    await page.waitForSelector("#going li");
    const gone = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.clock.runFor(61_000);
    same((await gone).status(), 200);
    same((await memories(world)).total, total - 1, "after the minute:");
    await page.context().close();
  });

  await it("a tab that is closed loses neither the memory nor the wish", async () => {
    const page = await opened(world);
    await choose(page, "small pull requests");
    const total = (await memories(world)).total;
    await page.keyboard.press("f");
    await page.waitForSelector("#going li");
    const kept = await page.evaluate(() => Object.values(localStorage).join());
    holds(!kept.includes("pull"), `the browser keeps what it says: ${kept}`);
    const context = page.context();
    await page.close();
    same((await memories(world)).total, total);
    const again = await context.newPage();
    await again.goto(world.address);
    await again.waitForSelector("#going li");
    const gone = again.waitForResponse((response) => response.request().method() === "DELETE");
    await again.locator("#going").getByRole("button", { name: "Now" }).click();
    same((await gone).status(), 200);
    await again.waitForSelector("#going li", { state: "detached" });
    same((await memories(world)).total, total - 1);
    await context.close();
  });
}

async function reviewing(world) {
  await it("quarantined memories are approved and rejected by keyboard, with what speaks against them", async () => {
    const page = await opened(world);
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.waitForSelector(".detail .actions");
    const before = (await memories(world, { trust: "quarantined", all_projects: true })).total;
    await page.locator("[role=option]", { hasText: "previous instructions" }).click();
    await page.waitForSelector(".against li");
    await page.keyboard.press("x");
    await page.waitForSelector("#going li");
    await page.locator("[role=option]", { hasText: "mdbook" }).click();
    await page.waitForFunction(() => document.querySelector(".detail h2")?.textContent.includes("mdbook"));
    const approved = page.waitForResponse((response) => response.url().endsWith("/approve"));
    await page.keyboard.press("a");
    await approved;
    same((await memories(world, { trust: "quarantined", all_projects: true })).total, before - 1);
    await page.keyboard.press("u");
    await page.keyboard.press("2");
    await page.waitForFunction(() => document.querySelector("[aria-pressed=true]").textContent === "Inferred");
    await page.waitForSelector("[role=option] .inferred");
    await page.context().close();
  });
}

async function others(world) {
  await it("sessions show their turns, and what was learned leads to the turn", async () => {
    const page = await opened(world);
    await page.goto(`${world.base}/#/sessions`);
    await page.locator("[role=option]", { hasText: "nightly deploy" }).click();
    await page.waitForSelector(".turns li");
    same(await page.locator(".turns li.turn").count(), 3);
    holds((await page.locator(".learned").first().textContent()).includes("4 GB"), "nothing was learned");
    await page.context().close();
  });

  await it("what a hook would say is shown as it says it, with the reason for each and what was left out", async () => {
    const page = await opened(world);
    await page.goto(`${world.base}/#/prompt`);
    const prompt = "on which days do deploys go out?";
    await page.fill("textarea", prompt);
    await page.waitForFunction(() => document.querySelector(".block .reason")?.textContent.startsWith("sure"));
    const shown = (await page.locator(".block .tokens").allTextContents()).map((line) => `${line}\n`).join("");
    const event = { hook_event_name: "UserPromptSubmit", session_id: "as-on-the-page", cwd: world.project, prompt };
    same(shown, world.hook("codex", event).hookSpecificOutput.additionalContext, "the block:");
    const reason = await page.locator(".block .memory .reasons").first().textContent();
    holds(reason.startsWith("sure") && /words: .*deploys/.test(reason) && /0\.\d\d|1\.00/.test(reason), reason);
    await page.fill("textarea", "deploys deploy backup port gateway linter index database staging");
    await page.waitForSelector(".dropped .reason");
    const left = await page.locator(".dropped .reasons").allTextContents();
    holds(left.every((one) => /^(not sure|enough others|did not fit)/.test(one)), left.join(" | "));
    await page.fill("input[type=number]", "100");
    await page.waitForFunction(() => document.querySelector(".notice")?.textContent.includes("Nothing would be put"));
    await page.fill("input[type=number]", "");
    await page.fill("textarea", "");
    await page.waitForFunction(() => [...document.querySelectorAll(".reason")].some((one) => one.textContent === "a restriction"));
    await page.context().close();
  });

  await it("what a prompt gets is shown to the token, and what does not fit is named", async () => {
    const page = await opened(world);
    await page.goto(`${world.base}/#/prompt`);
    await page.locator("label", { hasText: "Who asks" }).locator("select").selectOption("preamble");
    await page.fill("textarea", "deploy on friday");
    await page.waitForSelector(".block .memory");
    const numbers = (await page.locator(".block tbody td:first-child").allTextContents()).map(Number);
    const pieces = await page.locator(".block tbody tr").evaluateAll((rows) => rows.map((row) => row.querySelectorAll(".tokens span").length));
    holds(numbers.every((tokens, index) => tokens - pieces[index] <= 1 && tokens >= pieces[index]), `${numbers} ${pieces}`);
    await page.fill("input[type=number]", "160");
    await page.getByRole("button", { name: "Show them" }).click();
    await page.waitForSelector(".dropped a");
    await page.context().close();
  });

  await it("overview draws growth, use and shares, and finds the store sound", async () => {
    const page = await opened(world);
    await page.goto(`${world.base}/#/overview`);
    await page.waitForSelector(".plot svg");
    same(await page.locator(".plot svg").count(), 3);
    await page.getByRole("button", { name: "Look for damage" }).click();
    await page.waitForSelector(".findings .ok");
    same(await page.locator(".findings .failure").count(), 0);
    await page.context().close();
  });

  await it("the keys are shown by ?, and every view is reached by them", async () => {
    const page = await opened(world);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");
    for (const [key, view] of [["r", "review"], ["s", "sessions"], ["j", "jobs"], ["p", "prompt"], ["o", "overview"], ["m", "memories"]]) {
      const reached = () =>
        page.evaluate((name) => document.querySelector(`nav [data-view=${name}]`).hasAttribute("aria-current"), view);
      // Two keys belong together for a moment only, which a busy machine may miss.
      for (let tries = 0; tries < 10 && !(await reached()); tries++) {
        await page.keyboard.press("g");
        await page.keyboard.press(key);
        await page.waitForTimeout(300);
      }
      holds(await reached(), `${view} is not reached by g ${key}`);
    }
    same(page.watched, { strangers: [], dialogs: [], errors: [], violations: [] });
    await page.context().close();
  });

  await it("a server that is gone is told, and nothing is lost of what was typed", async () => {
    const page = await opened(world);
    await page.keyboard.press("n");
    await page.fill(".sheet textarea", "typed while the server was away");
    await page.route("**/v1/**", (route) => route.abort());
    await page.keyboard.press("Control+Enter");
    await page.waitForSelector(".sheet .wrong:not(:empty)");
    same(await page.inputValue(".sheet textarea"), "typed while the server was away");
    await page.context().close();
  });
}

export async function actions(world) {
  await reading(world);
  await changing(world);
  await forgetting(world);
  await reviewing(world);
  await others(world);
}
