// The replay of Ethernet: frames on their cables from when they leave to when they arrive, and no word of worms.

import { check, main, open, settled, shoot, show, until } from "./common.mjs";

await main(async (browser, report) => {
  const { page, where, close } = await open(browser, report, { hash: "replay" });
  await show(page, "replay");
  await until(page, `${where}: the replay does not begin`, () => simnet.replay.player.ready);
  const count = await page.evaluate(() => simnet.replay.player.log.count);
  check(count > 1000, where, `only ${count} events`);
  await page.evaluate((index) => simnet.replay.player.seek(index), Math.floor(count / 2));
  await settled(page);
  const told = await page.evaluate(() => {
    const { model, time } = simnet.replay.player;
    const frames = [...model.frames.values()].flat();
    return { frames: frames.length, wrong: frames.filter(([, , , since, until]) => !(since <= time && until >= time)).length };
  });
  check(told.frames > 1, where, `${told.frames} frames on all cables`);
  check(told.wrong === 0, where, `${told.wrong} frames are shown before they leave or after they arrive`);
  const spans = await page.evaluate(() => simnet.replay.work.spans);
  check(spans >= 2 * told.frames, where, `${told.frames} frames in ${spans} pieces`);
  await page.evaluate(() => { document.querySelector("#replay details").open = true; });
  const rowsAre = (count) => document.querySelector("#replay details").querySelectorAll("tbody tr").length === count;
  await until(page, `${where}: not a row for each of ${told.frames} frames`, rowsAre, told.frames);
  const text = await page.$eval("#replay", (one) => one.innerText);
  check(text.includes(`frames on cables: ${told.frames}`), where, "does not count the frames");
  for (const word of ["STOP", "worm", "flit", "No message"]) check(!text.includes(word), where, `says "${word}" of Ethernet`);
  await shoot(page, `${report.name}-frames`);
  await close();
});
