// What all scripts here share: a browser without a network, and a page whose every complaint counts.
//
// A script is called with a JSON file: { chromium, shots, reports: [{ name, html, summary, few, frames, looks }] }.
// `shots`: the folder for pictures, or null; `few`: the summary page has hardly a number of summary.json; `frames`: the
// replay is long enough to be timed; `looks`: the sizes and themes in which its pages are judged. What a script finds wrong it prints, a line each, and exits with 1.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = createRequire(import.meta.url)(process.env.SIMNET_PLAYWRIGHT ?? "playwright-core");

export const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
export const SIZES = { wide: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
];

const TRIES = 3;
const PATIENCE = 120000; // milliseconds

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

/**
 * Runs `work(browser, report)` for each report, two at a time in one browser, then tells what is wrong and ends.
 *
 * A browser that does not start, a page that dies, an answer that does not come in time: under a machine's load they say
 * nothing about the page. The report is judged again then, from the beginning, in a new browser; what happens TRIES times
 * is wrong. What a check finds is wrong at once.
 */
export async function main(work) {
  const left = [...job.reports];
  const shared = launch();
  const inTurn = async () => {
    for (let report = left.shift(); report !== undefined; report = left.shift()) {
      let done = await tried(work, shared, report, TRIES === 1);
      for (let nth = 2; !done; nth++) {
        const own = launch();
        done = await tried(work, own, report, nth === TRIES);
        await closed(own);
      }
    }
  };
  await Promise.all([inTurn(), inTurn()]);
  await closed(shared);
  for (const line of wrong) console.log(`WRONG ${line}`);
  process.exit(wrong.length > 0 ? 1 : 0);
}

// A browser that is starting; a failure to start is met by who waits for it.
function launch() {
  const browser = chromium.launch({ executablePath: job.chromium, headless: true, args: FLAGS, timeout: PATIENCE });
  browser.catch(() => {});
  return browser;
}

async function closed(browser) {
  await browser.then((one) => one.close()).catch(() => {});
}

// Whether the work came to its end; if this is the last try, also what kept it from there is wrong.
async function tried(work, browser, report, isLast) {
  try {
    await work(await browser, report);
    return true;
  } catch (error) {
    if (isLast || error instanceof TypeError || error instanceof ReferenceError) {
      fail(report.name, error.stack ?? error);
      return true;
    }
    console.log(`${report.name}: once more, for ${String(error.message ?? error).split("\n")[0]}`);
    return false;
  }
}

/** Waits until `holds` is true in the page, with `argument`; it is an error, named `what`, if it never is. */
export async function until(page, what, holds, argument = null) {
  await page.waitForFunction(holds, argument, { timeout: PATIENCE }).catch((error) => {
    throw new Error(`${what}: ${error.message}`);
  });
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
  page.setDefaultTimeout(PATIENCE);
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

/** Keeps a picture of the whole page, where pictures are kept. */
export async function shoot(page, name, options = {}) {
  if (job.shots === null) return;
  await page.screenshot({ path: join(job.shots, `${name}.png`), fullPage: true, animations: "disabled", ...options });
}
