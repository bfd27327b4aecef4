// The tables sort and filter as their files say they must; what is hovered over the network has the files' figures.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { check, main, open, sectionsOf, summaryOf, until } from "./common.mjs";

// Rows of a CSV file without quoted cells, by column; null if there is no such file.
function csv(report, name) {
  let text;
  try {
    text = readFileSync(join(dirname(report.summary), `${name}.csv`), "utf8");
  } catch {
    return null;
  }
  const [header, ...rows] = text.trimEnd().split("\n").map((line) => line.split(","));
  return { header, rows };
}

async function tables(browser, report) {
  const { page, where, close } = await open(browser, report, { hash: "tables" });
  const sections = await sectionsOf(page);
  if (!check(sections.includes("tables"), where, "has no tables")) return close();
  const details = page.locator("#tables details.table");
  for (let nth = 0; nth < Math.min(3, await details.count()); nth++) {
    const box = details.nth(nth);
    if (!(await box.evaluate((one) => one.open))) {
      await box.locator("summary").first().focus();
      await page.keyboard.press("Enter");
    }
    const isMade = (nth) => document.querySelectorAll("#tables details.table")[nth].querySelector(".made").children.length > 0;
    await until(page, `${where}: table ${nth} is not made`, isMade, nth);
    const name = (await box.textContent()).match(/File: ([\w.-]+?)\.csv\./)?.[1];
    const here = `${where}, ${name}`;
    if (!check(name !== undefined && csv(report, name) !== null, here, "is no file of the folder")) continue;
    if (readFileSync(join(dirname(report.summary), `${name}.csv`), "utf8").includes('"')) continue;
    if ((await box.locator("p.cut").count()) > 0) continue;
    await sorts(page, box, csv(report, name), here);
    await filters(page, box, csv(report, name), here);
  }
  await close();
}

const total = async (box) => Number(/(\d+)(?: \(|$)/.exec((await box.getByRole("status").textContent()).replaceAll("\u202f", "").replace("No row passes the filters", "0"))?.[1]);
const cells = (box, column) => box.locator("tbody tr").evaluateAll((rows, column) => rows.map((row) => {
  const cell = row.children[column];
  return cell.title !== "" ? cell.title : cell.textContent;
}), column);
const numeric = (rows, column) => rows.some((row) => row[column] !== "") && rows.every((row) => row[column] === "" || !Number.isNaN(Number(row[column])));
const plain = (text) => text.replaceAll("\u202f", "").replace("−", "-");

// Clears what the table begins with, then sorts by every column both ways.
async function sorts(page, box, { header, rows }, where) {
  const clear = box.getByRole("button", { name: "Clear filters" });
  if (await clear.isEnabled()) await clear.click();
  check((await total(box)) === rows.length, where, `has ${await total(box)} rows, the file has ${rows.length}`);
  for (let column = 0; column < Math.min(header.length, 5); column++) {
    if (!numeric(rows, column) || column % 2 === 1) continue;
    const button = box.locator("thead button").nth(column);
    const numbers = rows.map((row) => row[column]).filter((cell) => cell !== "").map(Number);
    for (let turn = 0; turn < 3; turn++) {
      await button.focus();
      await page.keyboard.press("Enter");
      const way = await box.locator("thead th").nth(column).getAttribute("aria-sort");
      if (way === null) continue;
      const first = Number(plain((await cells(box, column))[0]));
      const wanted = way === "ascending" ? Math.min(...numbers) : Math.max(...numbers);
      check(Math.abs(first - wanted) <= 1e-9 * Math.abs(wanted), where, `${header[column]} ${way} begins with ${first}, not ${wanted}`);
    }
  }
}

async function filters(page, box, { header, rows }, where) {
  for (let column = 0; column < Math.min(header.length, 3); column++) {
    const field = box.locator("thead input").nth(column);
    const sample = rows[Math.floor(rows.length / 2)]?.[column] ?? "";
    if (sample === "") continue;
    const [text, holds] = numeric(rows, column)
      ? [`>=${sample}`, (cell) => cell !== "" && Number(cell) >= Number(sample)]
      : [sample, (cell) => cell.toLowerCase().includes(sample.toLowerCase())];
    await field.fill(text);
    const wanted = rows.filter((row) => holds(row[column])).length;
    check((await total(box)) === wanted, where, `${header[column]} filtered by ${text} leaves ${await total(box)} rows, not ${wanted}`);
    await field.fill("");
  }
  const field = box.locator("thead input").first();
  await field.fill("nothing is called so");
  check((await total(box)) === 0, where, "a filter that nothing passes leaves rows");
  await field.fill("");
}

// Over each of the busiest cables the figures of summary.json, by mouse and by name.
async function network(browser, report) {
  const { page, where, close } = await open(browser, report, { hash: "network" });
  for (const { from, to, busy, blocked, flits } of summaryOf(report).busiest_channels) {
    const told = await page.evaluate(([from, to]) => {
      const { data } = simnet;
      const name = (node, port) => `${data.network.names[node]}:${port}`;
      const link = data.network.links.findIndex(([a, ap, b, bp]) => [name(a, ap), name(b, bp)].sort().join() === [from, to].sort().join());
      const hit = document.querySelector(`#network .cable[data-link="${link}"] .hit`);
      const place = hit.getPointAtLength(hit.getTotalLength() / 2).matrixTransform(hit.getScreenCTM());
      hit.dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: place.x, clientY: place.y }));
      return document.getElementById("tooltip").textContent;
    }, [from, to]);
    const wanted = await page.evaluate(([busy, blocked, flits]) => [
      `busy ${simnet.number(busy * 100, 3)} %`, `blocked ${simnet.number(blocked * 100, 3)} %`, `${simnet.number(flits)} flits`,
    ], [busy, blocked, flits]);
    const its = told.split(`${from} → ${to}`)[1]?.split("→")[0] ?? "";
    for (const text of wanted) check(its.includes(text), `${where}, network`, `${from} → ${to}: "${told}" lacks ${text}`);
  }
  await close();
}

await main(async (browser, report) => {
  await tables(browser, report);
  await network(browser, report);
});
