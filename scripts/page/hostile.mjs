// A memory is hostile text: payloads in every field that can be filled from outside, and none
// of them runs, fetches or becomes markup in any view.

import { holds, it, same } from "./world.mjs";

const CALL = "window.__ran=(window.__ran||0)+1";
export const PAYLOADS = [
  `<img src=x onerror=${CALL}>`,
  `<script>${CALL}</script>`,
  `"><svg onload=${CALL}>`,
  `'-${CALL}-'`,
  `javascript:${CALL}`,
  `{{constructor.constructor("${CALL}")()}}`,
  `</textarea><iframe srcdoc="<script>parent.${CALL}</script>">`,
  `<a href="javascript:${CALL}">click</a><style>*{display:none}</style>`,
];

// Every view, and every part of it that shows what somebody stored.
async function lookEverywhere(page, base) {
  for (const view of ["memories", "review", "sessions", "jobs", "prompt", "overview"]) {
    await page.goto(`${base}/#/${view}`);
    await page.waitForSelector("main h1");
    await page.waitForTimeout(150);
    const rows = page.locator("[role=option]");
    for (let index = 0; index < Math.min(12, await rows.count()); index += 1) {
      await rows.nth(index).click();
      await page.waitForTimeout(60);
      for (const summary of await page.locator(".detail summary").all()) await summary.click();
    }
  }
  await page.goto(`${base}/#/prompt`);
  for (const by of ["hook", "preamble"]) {
    await page.locator("label", { hasText: "Who asks" }).locator("select").selectOption(by);
    for (const text of [...PAYLOADS, "payload from a session, seen by a tool", ""]) {
      await page.fill("textarea", text);
      await page.waitForTimeout(400);
    }
  }
  await page.goto(`${base}/#/memories`);
  for (const text of ["img onerror", "script", "javascript", "iframe"]) {
    await page.fill("#query", text);
    await page.waitForTimeout(300);
  }
}

export async function hostile(world) {
  for (const [index, payload] of PAYLOADS.entries()) {
    await world.ask("POST", "/v1/memories", { content: `payload ${index} ${payload}`, key: `key ${index} ${payload}`, metadata: { [`name ${payload}`]: `value ${payload}` } });
    await world.ask("POST", "/v1/memories", { content: `seen by a tool ${index} ${payload}`, origin: "tool" });
    const turns = [{ seq: 0, role: "user", text: `please ${payload}` }, { seq: 1, role: "assistant", text: payload }];
    await world.ask("POST", `/v1/sessions/${encodeURIComponent(`chat-${index}`)}/turns`, { turns, about: { agent: `agent ${payload}`, title: `title ${payload}` } });
    await world.ask("POST", "/v1/memories", { content: `from a session ${index} ${payload}`, session: `chat-${index}` });
  }
  world.command("remember", "--source", `https://example.test/${PAYLOADS[4]}`, "--trust", "inferred", `with a source ${PAYLOADS[0]}`);

  await it("nothing that is stored runs, is fetched or becomes markup, in any view", async () => {
    const page = await world.page();
    await page.goto(world.address);
    await page.waitForSelector("[role=option]");
    await lookEverywhere(page, world.base);
    same(await page.evaluate(() => window.__ran ?? 0), 0, "payloads that ran:");
    same(await page.locator("main img, main script, main iframe, main style, [onerror], [onload], [href^='javascript']").count(), 0, "elements made of text:");
    const { strangers, dialogs, errors, violations } = page.watched;
    same({ strangers, dialogs, errors, violations }, { strangers: [], dialogs: [], errors: [], violations: [] });
    await page.context().close();
  });

  await it("the rules of the page let nothing foreign run, and nobody frame it", async () => {
    const response = await fetch(`${world.base}/`);
    const policy = response.headers.get("content-security-policy");
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'none'"]) holds(policy.includes(rule), `${rule} is missing in ${policy}`);
    holds(!policy.includes("unsafe"), policy);
    same(response.headers.get("x-content-type-options"), "nosniff");
    same(response.headers.get("referrer-policy"), "no-referrer");
    const text = await response.text();
    holds(!text.includes(world.token), "the page holds the token");
    const page = await world.page();
    await page.goto(world.address);
    await page.waitForSelector("[role=option]");
    await page.evaluate((call) => {
      const script = document.createElement("script");
      script.textContent = call;
      document.body.append(script);
    }, CALL);
    same(await page.evaluate(() => window.__ran ?? 0), 0);
    await page.context().close();
  });
}
