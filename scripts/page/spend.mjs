// What models cost: a model on loopback that answers by a script reads two sessions, one of them
// in vain; the page shows what each call cost and why the other came to nothing. Its name, its
// refusals and what it learnt are hostile.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { opened } from "./actions.mjs";
import { PAYLOADS } from "./hostile.mjs";
import { claude } from "./story.mjs";
import { holds, it, same } from "./world.mjs";

const MODEL = `parrot ${PAYLOADS[0]}`;
const REFUSED = `no such plan ${PAYLOADS[1]}`;
const USAGE = { prompt_tokens: 1234, completion_tokens: 56 };

// Refuses whatever speaks of the attic, and learns one thing from everything else.
function answer(asked) {
  const said = JSON.stringify(asked.messages);
  if (said.includes("attic")) return [400, { error: { message: REFUSED, type: "invalid_request_error" } }];
  const learnt = { memories: [{ text: `The cellar pump is switched off on Sundays ${PAYLOADS[2]}`, category: "core", turns: [0] }], synopsis: `Cellar ${PAYLOADS[3]}`, entries: [] };
  const message = { role: "assistant", content: JSON.stringify(learnt) };
  return [200, { choices: [{ index: 0, message, finish_reason: "stop" }], usage: USAGE }];
}

async function parrot() {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      const [status, told] = answer(JSON.parse(body));
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(JSON.stringify(told));
    });
  });
  await new Promise((told) => server.listen(0, "127.0.0.1", told));
  return server;
}

export async function spend(world) {
  const model = await parrot();
  const url = `http://127.0.0.1:${model.address().port}/v1`;
  writeFileSync(join(world.env.NUTHATCH_HOME, "config.toml"), `[models.default]\nprovider = "openai"\nmodel = '${MODEL}'\nbase_url = "${url}"\n\n[budget]\ntokens_per_run = 100000\ntokens_per_day = 200000\n`);
  claude(world, "00000000-0000-4000-8000-000000000011", "the cellar pump is off on Sundays, please keep that in mind");
  claude(world, "00000000-0000-4000-8000-000000000012", "the attic window is open");
  await world.again();

  await it("every call of a model has its receipt, and a job that failed its reason", async () => {
    const page = await opened(world);
    await page.goto(`${world.base}/#/jobs`);
    await page.getByRole("button", { name: "Run now" }).click();
    await page.waitForFunction(() => /^Learnt from \d sessions, for/.test(document.querySelector(".notice")?.textContent ?? ""), null, { timeout: 120_000 });
    const days = page.getByRole("region", { name: "Spend by day" }).locator("tbody tr");
    await days.first().waitFor();
    const spent = await world.ask("GET", "/v1/memory/spend");
    holds(spent.receipts.length > 0 && spent.receipts.every((one) => one.model === MODEL), JSON.stringify(spent));
    const day = await days.allTextContents();
    holds(day.some((row) => row.includes(MODEL)), day.join(" | "));
    await page.getByText("The last calls").click();
    const calls = await page.getByRole("region", { name: "The last calls" }).locator("tbody tr").allTextContents();
    same(calls.length, spent.receipts.length, "receipts:");
    holds(calls.every((row) => row.includes(MODEL) && row.includes("1,234") && row.includes("56")), calls.join(" | "));
    const jobs = await page.getByRole("region", { name: "Jobs" }).locator("tbody tr").allTextContents();
    const failed = jobs.find((row) => row.includes("000000000012"));
    holds(failed !== undefined && !failed.startsWith("done"), `what failed is not told: ${jobs.join(" | ")}`);
    const { jobs: known } = await world.ask("GET", "/v1/memory/status");
    const error = known.find((job) => job.name.includes("000000000012")).last_error;
    holds(error && failed.includes(error), `${failed} does not say ${error}`);
    holds((await page.getByRole("region", { name: "Sessions" }).locator("tbody tr").count()) > 0, "no session is told");
    same(await page.evaluate(() => window.__ran ?? 0), 0, "payloads that ran:");
    same(await page.locator("main img, main script, main svg[onload], [onerror]").count(), 0, "elements made of text:");
    same(page.watched, { strangers: [], dialogs: [], errors: [], violations: [] });
    await page.context().close();
  });

  model.close();
}
