// Names that are markup and scripts: they show as text, wherever they show, and do nothing.

import { check, main, open, sectionsOf, shoot, show } from "./common.mjs";

const HOST = "<script>alert(1)</script>";

// Tooltips take names, too.
async function hoverAll(page, id) {
  const places = await page.$$eval(`#${id} svg [tabindex], #${id} canvas`, (all) => all.slice(0, 40).map((one) => {
    const box = one.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  }));
  for (const [x, y] of places) await page.mouse.move(x, y);
}

async function replayed(page, where) {
  await show(page, "replay");
  await page.getByRole("button", { name: "next deadlock" }).click();
  const lines = await page.$eval("#replay .standing", (one) => one.textContent);
  check(lines.includes("</script><svg onload=alert(3)>:1"), where, `the deadlock's ports are ${lines}`);
  check(lines.includes("<b>worm</b><script>alert(5)</script>"), where, `the deadlock's worms are ${lines}`);
}

await main(async (browser, report) => {
  const { page, where, close } = await open(browser, report);
  const met = [];
  for (const id of await sectionsOf(page)) {
    await show(page, id);
    await page.evaluate((id) => {
      for (const one of document.querySelectorAll(`#${id} details`)) one.open = true;
    }, id);
    await page.waitForTimeout(200);
    await hoverAll(page, id);
    const text = await page.$eval(`#${id}`, (one) => one.textContent);
    if (text.includes(HOST)) met.push(id);
    const made = await page.$$eval(`#${id} img, #${id} script, #${id} b > script, #${id} [onerror], #${id} [onload]`, (all) => all.map((one) => one.outerHTML));
    check(made.length === 0, `${where}, ${id}`, `made ${made.slice(0, 2)}`);
    await shoot(page, `${report.name}-${id}`);
  }
  check(met.length >= 3, where, `the host's name is to be read only in ${met.join(", ") || "no section"}`);
  if ((await sectionsOf(page)).includes("replay")) await replayed(page, where);
  await close();
});
