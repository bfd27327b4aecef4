// The pictures of README.md: `node tests/it/interop/browser/pictures.mjs JOB`, where JOB names two reports as the other scripts
// have it, those of scenarios/zoo/ring.toml and scenarios/now100.toml, and the folder for the pictures as `shots`.

import { job, main, open, settled } from "./common.mjs";
import { join } from "node:path";

async function shoot(page, selector, name, height) {
  const box = await page.locator(selector).boundingBox();
  const top = Math.max(0, box.y - 12);
  await page.screenshot({
    path: join(job.shots, name), animations: "disabled", fullPage: true,
    clip: { x: 0, y: top + (await page.evaluate(() => scrollY)), width: 1280, height: Math.min(height, box.height + 24) },
  });
}

async function replay(browser, report) {
  const { page, close } = await open(browser, report, { hash: "replay" });
  await page.getByRole("button", { name: "next deadlock" }).click();
  await settled(page);
  await page.locator("#replay canvas").focus();
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, "#replay", "report-replay.png", 760);
  await close();
}

async function network(browser, report) {
  const { page, close } = await open(browser, report, { hash: "network" });
  await settled(page);
  await page.evaluate(() => scrollTo(0, 0));
  await shoot(page, "#network", "report-network.png", 895);
  await close();
}

await main((browser, report) => (report === job.reports[0] ? replay : network)(browser, report));
