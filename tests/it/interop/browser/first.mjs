// The first page: a picture that is seen without scrolling, and words that explain themselves by mouse, keyboard and hand.

import { check, main, open, settled, until } from "./common.mjs";

await main(async (browser, report) => {
  for (const size of ["wide", "phone"]) {
    const { page, where, close } = await open(browser, report, { size });
    await settled(page);
    if (!report.name.startsWith("discovery") && !report.name.startsWith("rings")) await picture(page, where, size);
    await words(page, where, size);
    await close();
  }
});

async function picture(page, where, size) {
  const box = await page.locator("#first-picture svg").boundingBox({ timeout: 5000 }).catch(() => null);
  if (!check(box !== null, where, "the first page has no picture")) return;
  const { width, height } = page.viewportSize();
  check(box.width > 150 && box.height > 80, where, `its picture is ${box.width} by ${box.height}`);
  check(box.x >= 0 && box.x + box.width <= width + 1, where, "its picture is cut");
  if (size === "wide") check(box.y + box.height / 2 < height, where, `its picture is at ${box.y}, below the window`);
}

async function words(page, where, size) {
  const count = await page.locator("#summary abbr.word").count();
  if (count === 0) return;
  const word = page.locator("#summary abbr.word").first();
  const meant = await page.evaluate(() => {
    const form = document.querySelector("#summary abbr.word").textContent;
    const own = [...document.querySelectorAll("#words dt")].find((one) => one.dataset.forms.split("|").includes(form));
    return own.nextElementSibling.textContent;
  });
  const shown = (meant) => {
    const tooltip = document.getElementById("tooltip");
    return !tooltip.hidden && tooltip.textContent === meant;
  };
  await word.scrollIntoViewIfNeeded();
  if (size === "phone") await word.tap();
  else await word.focus();
  await until(page, `${where}: the word does not explain itself`, shown, meant);
  const box = await page.locator("#tooltip").boundingBox();
  check(box.x >= 0 && box.x + box.width <= page.viewportSize().width, where, "an explanation is cut");
  await page.keyboard.press("Escape");
  await until(page, `${where}: the explanation does not go`, () => document.getElementById("tooltip").hidden);
}
