// How it looks: axe finds nothing serious in any view, light and dark, wide and narrow; nothing
// sticks out sideways on a phone; and screenshots for those who want to see.

import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { holds, it, same } from "./world.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = ["memories", "review", "sessions", "jobs", "prompt", "overview"];
const PHONE = { width: 375, height: 740 };

// The page's own rules would keep axe out, so it is brought in past them. In the dark only the
// colours are others.
async function problems(page, colorScheme = "light") {
  if (!(await page.evaluate(() => window.axe))) await page.evaluate(axe);
  const only = colorScheme === "dark" ? { runOnly: ["color-contrast"] } : {};
  const { violations } = await page.evaluate((wanted) => window.axe.run(document, { resultTypes: ["violations"], ...wanted }), only);
  return violations.filter((one) => ["serious", "critical"].includes(one.impact)).map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).slice(0, 3).join(", ")}`);
}

// Waits until a view has what it shows, with one entry opened where there is a list.
async function settled(page, view) {
  await page.waitForSelector("main h1");
  await page.waitForTimeout(400);
  const rows = page.locator("[role=option]");
  if (["memories", "review", "sessions"].includes(view) && (await rows.count()) > 0) {
    await rows.first().click();
    await page.waitForTimeout(300);
  }
}

export async function looks(world, shots) {
  if (shots) mkdirSync(shots, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    for (const [size, viewport] of [["wide", { width: 1200, height: 760 }], ["phone", PHONE]]) {
      await it(`axe finds nothing serious in any view, ${colorScheme}, ${size}`, async () => {
        const page = await world.page({ colorScheme, viewport });
        await page.goto(world.address);
        const found = [];
        for (const view of VIEWS) {
          await page.goto(`${world.base}/#/${view}`);
          await page.waitForTimeout(200);
          if (size === "phone") found.push(...(await problems(page, colorScheme)));
          await settled(page, view);
          if (shots) await page.screenshot({ path: `${shots}/${view}-${colorScheme}-${size}.png` });
          const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          holds(wider <= 0, `${view} sticks out by ${wider} pixels`);
          found.push(...(await problems(page, colorScheme)).map((one) => `${view}: ${one}`));
        }
        await page.goto(`${world.base}/#/memories`);
        await settled(page, "memories");
        await page.keyboard.press("e");
        await page.waitForSelector(".sheet");
        found.push(...(await problems(page, colorScheme)).map((one) => `edit: ${one}`));
        await page.keyboard.press("Escape");
        await page.waitForTimeout(300);
        await page.keyboard.press("f");
        await page.waitForTimeout(200);
        found.push(...(await problems(page, colorScheme)).map((one) => `forgetting: ${one}`));
        await page.keyboard.press("u");
        await page.keyboard.press("?");
        await page.waitForTimeout(200);
        found.push(...(await problems(page, colorScheme)).map((one) => `keys: ${one}`));
        same(found, []);
        await page.context().close();
      });
    }
  }
  await it("axe finds nothing serious at the login", async () => {
    const page = await world.page();
    await page.goto(`${world.base}/`);
    await page.waitForSelector("#token");
    same(await problems(page), []);
    await page.context().close();
  });
  if (shots) await pictures(world, shots);
}

// Those that the documentation shows.
async function pictures(world, shots) {
  for (const colorScheme of ["light", "dark"]) {
    const page = await world.page({ colorScheme, viewport: { width: 1100, height: 640 } });
    await page.goto(world.address);
    await page.waitForSelector("[role=option]");
    await page.fill("#query", "deploys never go out on Fridays");
    await page.waitForSelector(".because");
    await page.keyboard.press("ArrowDown");
    await page.waitForSelector(".why");
    await page.screenshot({ path: `${shots}/search-${colorScheme}.png` });
    await page.goto(`${world.base}/#/prompt`);
    await page.fill("textarea", "deploy the billing service");
    await page.waitForSelector(".block .memory");
    await page.waitForTimeout(400);
    await page.screenshot({ path: `${shots}/prompt-${colorScheme}.png` });
    await page.context().close();
  }
}
