// The replay: it steps to every deadlock, names its circle as summary.json does, goes on to what breaks it, and answers to
// every control. What it does in a frame is bounded; frames a second are reported.

import { check, job, main, open, settled, shoot, summaryOf, until } from "./common.mjs";

const MOST_EVENTS = 4096; // a frame may apply
const MOST_PIECES = 40000; // a frame may draw

async function opened(browser, report, options = {}) {
  const made = await open(browser, report, { ...options, hash: "replay" });
  const { page, where } = made;
  await until(page, `${where}: the replay does not begin`, () => simnet.replay?.player?.ready);
  await settled(page);
  return made;
}

const text = (page, selector) => page.$eval(`#replay ${selector}`, (one) => (one.hidden ? "" : one.textContent));
const now = (page) => page.evaluate(() => {
  const { model, log } = simnet.replay.player;
  return { index: model.index, ns: (log.time[model.index - 1] * log.scene.unit_ps) / 1000, open: model.deadlocks.size };
});
const press = (page, name) => page.getByRole("button", { name, exact: false }).first().click();

async function deadlocks(browser, report, size) {
  const { page, where, close } = await opened(browser, report, { size });
  const summary = summaryOf(report);
  // The first scene is shown first: the mapping, where there is one.
  const found = summary.map?.deadlocks?.length > 0 ? summary.map.deadlocks : (summary.deadlocks ?? []);
  for (const [nth, deadlock] of found.entries()) {
    const here = `${where}, deadlock ${nth}`;
    await press(page, "next deadlock");
    await settled(page);
    const at = await now(page);
    check(Math.abs(at.ns - deadlock.formed_ns) < 0.01, here, `shown at ${at.ns} ns, formed at ${deadlock.formed_ns}`);
    const standing = await page.$$eval("#replay .standing li", (all) => all.map((one) => one.textContent));
    // A worm holds an output; a paused queue is an output's, of a priority, and nobody holds it.
    const queues = standing.map((line) => /^Priority (\d) of (.*?) is paused by /.exec(line)).filter((found) => found !== null);
    const worms = standing.filter((line) => line.includes(" holds "));
    const outputs = [
      ...queues.map(([, priority, port]) => `${port}/${priority}`),
      ...worms.map((line) => / holds (.*?) (?:and|behind) /.exec(line)?.[1]),
    ];
    const holders = worms.map((line) => line.split(" holds ")[0]);
    check(outputs.join() === deadlock.cycle.join(), here, `names ${outputs}, and summary.json ${deadlock.cycle}`);
    check(holders.join() === deadlock.worms.join(), here, `names ${holders}, and summary.json ${deadlock.worms}`);
    const pixels = await ringed(page);
    check(pixels > 50, here, `the circle is not to be seen: ${pixels} pixels of its colour`);
    await shoot(page, `${report.name}-deadlock-${size}`);
    if (deadlock.cleared_ns === null) {
      await page.evaluate(() => simnet.replay.player.seek(Infinity));
      await settled(page);
      check((await now(page)).open === 1, here, "nothing breaks it, and yet it is over");
      continue;
    }
    // On to what breaks it, event by event.
    const cleared = await page.evaluate(() => {
      const { player, kinds } = simnet.replay;
      const { log, model } = player;
      for (let index = model.index; index < log.count; index++) if (log.kind[index] === kinds.CLEAR) return index;
      return -1;
    });
    if (!check(cleared >= 0, here, "what breaks it is not in the replay")) continue;
    await page.evaluate((index) => simnet.replay.player.seek(index), cleared);
    await settled(page);
    check((await text(page, ".standing")) !== "", here, "it is not shown up to its end");
    await page.locator("#replay canvas").press("ArrowRight");
    await settled(page);
    const after = await now(page);
    check(after.index === cleared + 1, here, `a step leads to event ${after.index}, not ${cleared + 1}`);
    check(Math.abs(after.ns - deadlock.cleared_ns) < 0.01, here, `broken at ${after.ns} ns, in summary.json at ${deadlock.cleared_ns}`);
    check(after.open === 0 && (await text(page, ".standing")) === "", here, "it is shown beyond its end");
    const said = await text(page, ".said");
    const by = queues.length > 0 ? deadlock.cleared_by.split("/")[0] : deadlock.cleared_by;
    check(said.includes(by), here, `"${said}" does not name ${by}`);
    await shoot(page, `${report.name}-cleared-${size}`);
  }
  await close();
}

// How many pixels of the drawing have the colour of deadlocks, more or less.
function ringed(page) {
  return page.evaluate(() => {
    const canvas = document.querySelector("#replay canvas");
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height + 1 });
    const paint = copy.getContext("2d", { willReadFrequently: true });
    paint.fillStyle = simnet.colour("--bad");
    paint.fillRect(0, canvas.height, 1, 1);
    const [red, green, blue] = paint.getImageData(0, canvas.height, 1, 1).data;
    paint.drawImage(canvas, 0, 0);
    const { data } = paint.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) {
      const far = Math.abs(data[at] - red) + Math.abs(data[at + 1] - green) + Math.abs(data[at + 2] - blue);
      if (data[at + 3] > 200 && far < 60) count += 1;
    }
    return count;
  });
}

async function controls(browser, report) {
  const { page, where, close } = await opened(browser, report);
  const count = await page.evaluate(() => simnet.replay.player.log.count);
  const slider = page.locator("#replay .track input[type=range]");
  // Scrub: to the middle, by keys, to the end and back.
  await slider.fill(String(Math.floor(count / 2)));
  check((await now(page)).index === Math.floor(count / 2), where, "scrubbing does not lead to the middle");
  await slider.press("ArrowRight");
  check((await now(page)).index === Math.floor(count / 2) + 1, where, "the slider does not answer to keys");
  await slider.press("End");
  check((await now(page)).index === count, where, "End does not lead to the end");
  await slider.press("Home");
  const first = (await now(page)).index;
  // Step on and back.
  await press(page, "On by an event");
  check((await now(page)).index > first, where, "a step leads nowhere");
  await press(page, "Back by an event");
  check((await now(page)).index === first, where, "a step back does not lead back");
  // Play and pause.
  await page.locator("#replay .play").click();
  await until(page, `${where}: Play plays nothing`, (first) => simnet.replay.player.model.index > first, first);
  await page.locator("#replay .play").click();
  const paused = (await now(page)).index;
  await page.waitForTimeout(150);
  check((await now(page)).index === paused, where, "it goes on while it pauses");
  // Speed.
  const speed = page.getByRole("slider", { name: "Speed" });
  const words = [];
  for (const value of ["0", "500", "1000"]) {
    await speed.fill(value);
    words.push(await speed.getAttribute("aria-valuetext"));
  }
  check(new Set(words).size === 3, where, `the speed is ${words.join(", ")}`);
  // Follow a message.
  const name = await page.evaluate(() => simnet.replay.player.log.names[simnet.replay.player.log.names.length >> 1]);
  await page.getByRole("searchbox").fill(name);
  await page.locator("#replay .worms button").filter({ hasText: name }).first().click();
  check((await text(page, ".beside h3")).includes(name), where, `nothing says that ${name} is followed`);
  const its = await page.$$eval("#replay .events button", (all) => all.map((one) => one.textContent));
  check(its.length > 1 && its.every((line) => line.includes(name)), where, `the events of ${name} are ${its.slice(0, 3).join(" | ")}`);
  // The same in words.
  await page.locator("#replay canvas").press("Escape");
  await page.evaluate(() => simnet.replay.player.seek(Math.floor(simnet.replay.player.log.count / 3)));
  await page.locator("#replay summary", { hasText: "as a table" }).click();
  // It is filled soon after it opens.
  await until(page, `${where}: the table of the network has no row`, () => document.querySelector("#replay details[open] tbody tr") !== null);
  await close();
}

// As fast as it goes, from the beginning to the end.
async function frames(browser, report) {
  const { page, where, close } = await opened(browser, report);
  await page.evaluate(() => {
    simnet.replay.player.seek(0);
    for (const box of document.querySelectorAll("#replay .settings input[type=checkbox]")) if (/stay/.test(box.parentElement.textContent) && box.checked) box.click();
    simnet.replay.player.setSpeed(2000);
    simnet.replay.player.play(true);
  });
  await page.waitForFunction(() => !simnet.replay.player.playing, null, { timeout: 6000 }).catch(() => {});
  const [work, limit] = await page.evaluate(() => [{ ...simnet.replay.work }, simnet.replay.player.model.limits.perCall]);
  check(work.maxPerFrame <= Math.max(limit, MOST_EVENTS), where, `${work.maxPerFrame} events in a frame`);
  check(work.maxSpans <= MOST_PIECES, where, `${work.maxSpans} pieces in a frame`);
  console.log(`${where}: ${Math.round(work.framesPerSecond)} frames a second, at most ${work.maxPerFrame} events and ${work.maxSpans} pieces a frame`);
  await close();
}

await main(async (browser, report) => {
  const isFirst = report === job.reports[0];
  for (const size of isFirst ? ["wide", "phone"] : ["wide"]) await deadlocks(browser, report, size);
  if (isFirst) await controls(browser, report);
  if (isFirst || report.frames) await frames(browser, report);
});
