// What all scripts here share: a browser without a network, and a page whose every complaint counts.
//
// A script is called with a JSON file: { chromium, shots, reports: [{ name, html, summary, few, frames, brief }] }. `few`:
// the summary page has hardly a number of summary.json; `frames`: the replay is long enough to be timed; `brief`: not in
// every size and colour. What a script finds wrong it prints, a line each, and exits with 1.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)(process.env.SIMNET_PLAYWRIGHT ?? "playwright-core");

export const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
export const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
];

const wrong = [];

/** Notes what is wrong. */
export function fail(where, what) {
  wrong.push(`${where}: ${what}`);
}

/** Notes it unless `holds`. */
export function check(holds, where, what) {
  if (!holds) fail(where, what);
  return holds;
}

/** The summary of a report. */
export function summaryOf(report) {
  return JSON.parse(readFileSync(report.summary, "utf8"));
}

/** Runs `work(browser, report)` for each report, in a browser of its own, then tells what is wrong and ends. */
export async function main(work) {
  for (const report of job.reports) {
    // A browser that dies under a machine's load says nothing about the page: one more is tried.
    if (!(await tried(work, report, true))) await tried(work, report, false);
  }
  for (const line of wrong) console.log(`WRONG ${line}`);
  process.exit(wrong.length > 0 ? 1 : 0);
}

// Whether the browser lived to the end; what is wrong counts if it did, or if nobody tries again.
async function tried(work, report, again) {
  const before = wrong.length;
  const browser = await chromium.launch({ executablePath: job.chromium, headless: true, args: FLAGS });
  try {
    await work(browser, report);
  } catch (error) {
    if (again && !browser.isConnected()) {
      wrong.length = before;
      return false;
    }
    fail(report.name, error.stack ?? error);
  } finally {
    await browser.close();
  }
  return true;
}

/**
 * A page of a report, opened from disk. Whatever it logs as an error, throws or asks of a network is wrong.
 * `options`: `size` of SIZES, `theme`, `hash`, `scripts` (false: none are run).
 */
export async function open(browser, report, { size = "wide", theme = "light", hash = "", scripts = true } = {}) {
  const context = await browser.newContext({
    viewport: SIZES[size], colorScheme: theme, javaScriptEnabled: scripts, hasTouch: size === "phone",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const where = `${report.name} (${size}, ${theme})`;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) fail(where, `console: ${message.text()}`);
  });
  page.on("pageerror", (error) => fail(where, `error: ${error.stack ?? error}`));
  page.on("dialog", (dialog) => {
    fail(where, `a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  const own = pathToFileURL(report.html).href;
  const asked = (url) => {
    const known = url.split("#")[0] === own || url.startsWith("data:") || url.startsWith("blob:");
    if (!known) fail(where, `asks for ${url}`);
    return known;
  };
  page.on("request", (request) => asked(request.url()));
  page.on("websocket", (socket) => fail(where, `asks for ${socket.url()}`));
  await context.route("**/*", (route) => (asked(route.request().url()) ? route.continue() : route.abort()));
  await page.goto(own + (hash === "" ? "" : `#${hash}`), { waitUntil: "load" });
  return { page, where, close: () => context.close() };
}

/** Waits for what was asked for to be drawn. */
export async function settled(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** The ids of the sections, in order. */
export function sectionsOf(page) {
  return page.$$eval("section[data-section]", (all) => all.map((one) => one.dataset.section));
}

/** Shows a section. */
export async function show(page, id) {
  await page.evaluate((id) => simnet.go(id), id);
  await page.waitForSelector(`#${id}.shown`);
  await settled(page);
}

/** Keeps a picture of the whole page. */
export async function shoot(page, name, options = {}) {
  await page.screenshot({ path: join(job.shots, `${name}.png`), fullPage: true, animations: "disabled", ...options });
}
