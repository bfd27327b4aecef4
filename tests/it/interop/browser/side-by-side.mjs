// The page of several runs: every pane is a replay, those of a case play together, and nothing is wider than its window.

import { check, main, open, settled, shoot, until } from "./common.mjs";

const ended = () => simnet.replay.players.slice(0, 2).every((player) => !player.playing && player.model.index >= player.log.count);

await main(async (browser, report) => {
  for (const size of ["wide", "phone"]) {
    for (const theme of ["light", "dark"]) {
      const { page, where, close } = await open(browser, report, { size, theme, hash: "case-1" });
      await settled(page);
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      check(wide <= window, where, `is ${wide} wide in a window of ${window}`);
      const panes = await page.$$eval(".case:first-of-type .pane", (all) => all.map((one) => one.getBoundingClientRect().top));
      check(panes.length === 2, where, `the first case has ${panes.length} panes`);
      check((panes[0] === panes[1]) === (size === "wide"), where, `the panes begin at ${panes.join(" and ")}`);
      if (size === "wide" && theme === "light") await together(page, where);
      await shoot(page, `${report.name}-${size}-${theme}`);
      await close();
    }
  }
});

// Both play to their ends; in one a deadlock forms, in the other none.
async function together(page, where) {
  await until(page, `${where}: the replays are not ready`, () => simnet.replay.players.every((player) => player.ready));
  await page.locator(".case .both button", { hasText: "Play both" }).first().click();
  const playing = await page.evaluate(() => simnet.replay.players.map((player) => player.playing));
  check(playing[0] && playing[1] && !playing[2], where, `of the replays these play: ${playing.join()}`);
  await page.evaluate(() => simnet.replay.players.slice(0, 2).forEach((player) => player.setSpeed(1e9)));
  await until(page, `${where}: they do not come to their ends`, ended);
  const deadlocks = await page.evaluate(() => simnet.replay.players.slice(0, 2).map((player) =>
    [...player.log.kind].filter((kind) => kind === simnet.replay.kinds.DEADLOCK).length));
  check(deadlocks[0] > 0 && deadlocks[1] === 0, where, `deadlocks: ${deadlocks.join()}`);
  await page.locator(".case .both button", { hasText: "beginning" }).first().click();
  const at = await page.evaluate(() => simnet.replay.players.slice(0, 2).map((player) => player.model.index));
  check(at.every((index) => index < 20), where, `after going to the beginning they are at ${at.join()}`);
}
