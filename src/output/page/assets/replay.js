"use strict";
/* simnet.replay.start(root, data): a replay within an element that has a `.replay-place`; gives its player.
 *
 * The replay's controls: time, what is said about it, and whom one follows.
 *
 * Every frame moves the clock, brings the model there (which costs a bounded number of events, see replay-model.js) and
 * paints it (a bounded number of pieces, see replay-drawing.js). `simnet.replay.work` counts both.
 */
simnet.replay.start = (root, data) => {
  const { el } = simnet;
  const { Log, Model, Words, Drawing, kinds, WAITING, IN, OUT, THERE } = simnet.replay;
  const SLOWEST = 1; // base cycles a second
  const FASTEST = 1e9 / data.network.base_cycle_ps; // a millisecond a second
  const AT_FIRST = Math.min(80, FASTEST);
  const LOOK_MS = 3200; // how long a deadlock is looked at, and
  const GLANCE_MS = 1300; // a reset
  const MOST_MARKS = 400;
  const MOST_WORMS = 60;

  const work = { events: 0, spans: 0, maxPerFrame: 0, maxSpans: 0, framesPerSecond: 0, left: 0 };
  simnet.replay.work = work;

  // --- what is shown ------------------------------------------------------------------------------------------------

  let log, model, words, marks, scene, path;
  let time = 0; // on the scene's clock, in its units
  let playing = false;
  let speed = AT_FIRST;
  let follow = -1;
  let waitUntil = 0; // a deadlock is looked at until then
  let lastSaid = 0;
  let saidIndex = -1;
  let drawnKey = "";
  const memory = new Map(); // scene -> what was made for it

  const portName = (place) => {
    const [a, aPort, b, bPort] = data.network.links[place >> 1] ?? [];
    if (a === undefined) return "a port without cable";
    return place % 2 === 0 ? `${data.network.names[a]}:${aPort}` : `${data.network.names[b]}:${bPort}`;
  };
  const nodeOf = (place) => {
    const [a, , b] = data.network.links[place >> 1] ?? [];
    return data.network.names[place % 2 === 0 ? a : b] ?? "a node";
  };
  const hostName = (host) => data.network.names[data.network.switches + host] ?? `host ${host}`;

  const ns = (at) => (at * scene.unit_ps) / 1000;
  const nsText = (at) => `${simnet.number(ns(at), 15)} ns`;

  // --- the elements -------------------------------------------------------------------------------------------------

  const icon = (path) => el("svg:svg", { width: 16, height: 16, viewBox: "0 0 16 16", "aria-hidden": "true" },
    el("svg:path", { d: path, style: "fill: currentColor" }));
  const canvas = el("canvas", {
    tabindex: "0", role: "img",
    "aria-label": "The network and what moves in it. Space plays and pauses, the arrow keys step, plus and minus zoom.",
  }, "The network and what moves in it: the tables below say the same in words.");
  const toast = el("div", { class: "toast", hidden: true });
  const stage = el("div", { class: "stage" }, canvas, toast);
  const button = (label, title, click, attributes = {}) => {
    const made = el("button", { type: "button", "aria-label": title, onclick: click, ...attributes }, label);
    simnet.tooltip(made, title);
    return made;
  };
  stage.append(el("div", { class: "corner" },
    button("+", "Closer", () => zoomed(1.4)), button("−", "Farther", () => zoomed(1 / 1.4)),
    button(icon("M2 2h5v2H4v3H2z M9 2h5v5h-2V4H9z M2 9h2v3h3v2H2z M12 9h2v5H9v-2h3z"), "All of the network", () => { drawing.fit(); near(); draw(); })));

  const play = el("button", { type: "button", class: "play", onclick: () => setPlaying(!playing) }, "Play");
  const slider = el("input", { type: "range", min: 0, max: 1, value: 0, step: 1, "aria-label": "Event" });
  const strip = el("svg:svg", { "aria-hidden": "true", viewBox: "0 0 1000 10", preserveAspectRatio: "none" });
  const clock = el("div", { class: "clock" });
  const player = el("div", { class: "player" },
    el("div", { class: "keys" },
      button(icon("M2 3h2v10H2z M14 3v10L5 8z"), "To the beginning", () => stop(() => goTo(scene.before))),
      button(icon("M12 3v10L4 8z"), "Back by an event (left arrow)", () => stop(() => step(-1))),
      play,
      button(icon("M4 3v10l8-5z"), "On by an event (right arrow)", () => stop(() => step(1)))),
    el("div", { class: "track" }, slider, strip), clock);

  const said = el("p", { class: "said", role: "status", "aria-live": "polite" });
  const standing = el("div", { class: "standing", hidden: true });
  const jumps = el("div", { class: "tools" });
  const speedText = el("span", { class: "soft" });
  const speedSlider = el("input", {
    type: "range", min: 0, max: 1000, step: 1, "aria-label": "Speed",
    oninput: () => setSpeed(SLOWEST * (FASTEST / SLOWEST) ** (speedSlider.value / 1000)),
  });
  const skips = el("input", { type: "checkbox", checked: true });
  const looks = el("input", { type: "checkbox", checked: true });
  const flows = el("input", { type: "checkbox" });
  const ofWorms = [
    el("label", {}, looks, "stay a moment at deadlocks and resets"), el("label", {}, flows, "step through changes of flow too"),
  ];
  const settings = el("div", { class: "settings" },
    el("label", {}, "Speed", speedSlider, speedText), el("label", {}, skips, "skip quiet times"), ofWorms);
  const scenes = el("select", { "aria-label": "Scene", onchange: () => choose(Number(scenes.value)) },
    data.scenes.map((one, nth) => el("option", { value: nth }, `${one.title} · ${simnet.number(one.count)} events`)));

  const events = el("ol", { class: "events" });
  const search = el("input", {
    type: "search", class: "search", placeholder: "Follow a message: its name, or part of it", "aria-label": "Follow a message",
    oninput: () => listWorms(),
  });
  const worms = el("ul", { class: "worms" });
  const pathText = el("p", { class: "soft" });
  const eventsTitle = el("h3", {}, "Events around now");
  const messages = el("div", {}, el("h3", {}, "Messages"), search, worms);
  const beside = el("div", { class: "beside" }, el("div", {}, eventsTitle, pathText, events), messages);
  const meaning = el("div");
  const table = el("tbody");
  const [caption, heads] = [el("caption"), el("tr")];
  const tableBox = el("details", { ontoggle: () => writeTable() }, el("summary", {}, "The network now, as a table"),
    el("div", { class: "scroll" }, el("table", {},
      caption, el("thead", {}, heads), table)));
  const frames = el("p", { class: "frames" });

  root.querySelector(".replay-place").replaceChildren(
    data.scenes.length > 1 ? el("div", { class: "tools" }, el("label", {}, "Scene ", scenes)) : "",
    el("div", { class: "theatre" }, el("div", {}, stage, player), el("div", {}, said, jumps, standing)),
    settings, meaning, beside, tableBox, frames);

  const drawing = new Drawing(canvas, data.network, data);

  // --- a scene ------------------------------------------------------------------------------------------------------

  function choose(nth) {
    setPlaying(false);
    scene = data.scenes[nth];
    scenes.value = String(nth);
    if (!memory.has(nth)) {
      const made = new Log(scene, data.network);
      memory.set(nth, { log: made, model: new Model(made), words: new Words(made, { port: portName, node: nodeOf, host: hostName }), marks: findMarks(made) });
    }
    ({ log, model, words, marks } = memory.get(nth));
    slider.min = String(scene.before);
    slider.max = String(scene.count);
    follow = -1;
    search.value = "";
    suit();
    prepare();
  }

  // What is said and offered depends on what moves in the scene: worms, or Ethernet frames.
  let suited = null;
  function suit() {
    const { isOfFrames } = log;
    if (suited === isOfFrames) return;
    suited = isOfFrames;
    for (const one of [...ofWorms, messages]) one.hidden = isOfFrames;
    meaning.replaceChildren(legend());
    caption.textContent = isOfFrames ? "Frames on cables at the instant shown"
      : "Buffers that are not empty, outputs that are held, at the instant shown";
    const titles = isOfFrames ? ["From", "To", "What"]
      : ["Port", "Flits in its buffer", "Worms in it", "STOP sent", "Output held by", "Waited for by"];
    heads.replaceChildren(...titles.map((text) => el("th", { scope: "col" }, text)));
    drawing.isStale = true;
    // A frame takes about a second at first.
    setSpeed(isOfFrames ? log.frameTime / log.cycle : AT_FIRST);
  }

  // Looks through all events once, so many a frame; what is asked for before waits.
  let later = null;
  const isReady = () => model.prepared === log.count;
  function prepare() {
    const one = model;
    if (!model.prepare()) {
      said.textContent = `Reading the events: ${Math.round((100 * model.prepared) / log.count)} %`;
      requestAnimationFrame(() => one === model && prepare());
      count();
      return;
    }
    writeJumps();
    drawStrip();
    listWorms();
    goTo(scene.before);
    said.textContent = opening();
    if (wanted !== null) show(wanted);
    const next = later;
    later = null;
    if (next !== null) next();
  }

  function opening() {
    const many = marks.deadlock.length;
    const about = many === 0 ? "" : many === 1 ? " A deadlock forms in it." : ` ${many} deadlocks form in it.`;
    return `${simnet.number(scene.count - scene.before)} events from ${nsText(log.time[scene.before] ?? 0)} on.${about} Press Play, or jump.`;
  }

  function findMarks(made) {
    const found = { deadlock: [], clear: [], reset: [], cable: [] };
    for (let index = 0; index < made.count; index++) {
      const kind = made.kind[index];
      if (made.isDeadlock(index)) found.deadlock.push(index);
      if (kind === kinds.CLEAR) found.clear.push(index);
      if (kind === kinds.RESET) found.reset.push(index);
      if (kind === kinds.CABLE) found.cable.push(index);
    }
    return found;
  }

  function writeJumps() {
    const words = [["deadlock", "deadlock"], ["reset", "reset"], ["cable", "failure"]];
    jumps.replaceChildren(...words.filter(([kind]) => marks[kind].length > 0).flatMap(([kind, word]) => [
      el("button", { type: "button", onclick: () => stop(() => jump(kind, -1)) }, `‹ previous ${word}`),
      el("button", { type: "button", onclick: () => stop(() => jump(kind, 1)) }, `next ${word} ›`),
    ]));
  }

  function jump(kind, way) {
    if (!isReady()) return void (later = () => jump(kind, way));
    const here = model.index - 1;
    const ahead = marks[kind].filter((index) => (way > 0 ? index > here : index < here));
    const found = way > 0 ? ahead[0] : ahead[ahead.length - 1];
    if (found === undefined) return tell(way > 0 ? "There is none after this." : "There is none before this.");
    goTo(found + 1);
    flashNow(found);
  }

  // What happens where, as a strip below the slider.
  function drawStrip() {
    const x = (index) => (1000 * (index - scene.before)) / Math.max(1, scene.count - scene.before);
    const ticks = [["cable", "--warn"], ["reset", "--warn"], ["clear", "--good"], ["deadlock", "--bad"]].flatMap(([kind, colour]) => {
      const all = marks[kind];
      const every = Math.ceil(all.length / MOST_MARKS);
      return all.filter((_, nth) => nth % every === 0).map((index) => el("svg:rect", {
        x: x(index), y: kind === "deadlock" ? 0 : 2, width: 3, height: kind === "deadlock" ? 10 : 6, style: `fill: var(${colour})`,
      }));
    });
    strip.replaceChildren(el("svg:rect", { x: 0, y: 4.4, width: 1000, height: 1, style: "fill: var(--line)" }), ...ticks);
  }

  // --- time ---------------------------------------------------------------------------------------------------------

  /** Shows the state after the first `index` events. */
  function goTo(index) {
    if (!isReady()) return void (later = () => goTo(index));
    model.seek(Math.max(scene.before, Math.min(scene.count, index)));
    time = model.index === 0 ? 0 : log.time[model.index - 1];
    if (model.index === scene.before && scene.before < scene.count) time = Math.max(time, log.time[scene.before] - log.cycle);
    draw();
    speak(true);
  }

  // To the next event that is worth a step.
  function step(way) {
    let index = model.index;
    const least = scene.before;
    for (let looked = 0; looked < model.limits.perCall; looked++) {
      index += way;
      if (index <= least || index >= scene.count) break;
      if (flows.checked || log.kind[index - 1] !== kinds.FLOW) break;
    }
    goTo(index);
    if (isReady() && model.index > least) flashNow(model.index - 1);
  }

  function setSpeed(cycles) {
    speed = Math.min(FASTEST, Math.max(SLOWEST, cycles));
    speedSlider.value = String(Math.round((1000 * Math.log(speed / SLOWEST)) / Math.log(FASTEST / SLOWEST)));
    const share = speed * data.network.base_cycle_ps / 1000;
    const text = speed < 1e4 && !log?.isOfFrames ? `${simnet.number(speed, 2)} flit times a second` : `${simnet.time(share)} a second`;
    speedText.textContent = text;
    speedSlider.setAttribute("aria-valuetext", text);
  }

  function setPlaying(on) {
    if (on && !isReady()) return void (later = () => setPlaying(on));
    if (on && model.index >= scene.count) goTo(scene.before);
    playing = on;
    play.textContent = on ? "Pause" : "Play";
    play.setAttribute("aria-pressed", String(on));
    waitUntil = 0;
    if (on) requestAnimationFrame(frame);
  }

  function stop(then) {
    setPlaying(false);
    then();
  }

  let lastWall = 0;
  function frame(wall) {
    if (!playing) {
      lastWall = 0;
      return;
    }
    const passed = lastWall === 0 ? 16 : Math.min(100, wall - lastWall);
    if (lastWall !== 0) measure(wall - lastWall);
    lastWall = wall;
    if (root.classList.contains("shown") || root.offsetParent !== null) {
      if (wall >= waitUntil) advance((passed / 1000) * speed * log.cycle, wall);
      draw();
      speak(false);
      if (model.index >= scene.count && model.isStill()) {
        setPlaying(false);
        speak(true);
      }
    }
    if (playing) requestAnimationFrame(frame);
    else lastWall = 0;
  }

  function advance(by, wall) {
    let target = time + by;
    const next = model.index < scene.count ? log.time[model.index] : Infinity;
    const second = speed * log.cycle;
    if (skips.checked && next < Infinity) {
      // Nothing moves, or flits flow evenly for very long: a viewer need not wait for it.
      const most = model.isStill() ? 0.5 : 4;
      if (next - time > most * second) {
        const to = next - 0.15 * second;
        if (to > target) {
          tell(`${simnet.time(ns(to - time))} in which ${model.isStill() ? "nothing moves" : "nothing changes"}: skipped`);
          target = to;
        }
      }
    }
    const until = log.until(target);
    const [from, most] = [model.index, model.limits.perCall];
    if (looks.checked && until - from <= most) {
      const found = firstToLookAt(from, until);
      if (found >= 0) {
        model.seek(found + 1);
        time = log.time[found];
        flashNow(found);
        waitUntil = wall + (log.isDeadlock(found) ? LOOK_MS : GLANCE_MS);
        speak(true);
        return;
      }
    }
    model.advance(target);
    time = model.index >= scene.count && skips.checked && model.isStill() ? log.time[scene.count - 1] : target;
  }

  // A deadlock, or the reset that breaks one: others would stop the eye too often.
  function firstToLookAt(from, until) {
    for (let index = from; index < until; index++) {
      if (log.isDeadlock(index) || log.kind[index] === kinds.CLEAR) return index;
      if (log.kind[index] === kinds.RESET && model.deadlocks.size > 0) flashNow(index);
    }
    return -1;
  }

  function flashNow(index) {
    const [a, b] = log.args(index);
    const wall = performance.now();
    if (log.kind[index] === kinds.RESET) drawing.flash(b, `reset of ${words.worm(a)}`, wall);
    if (log.kind[index] === kinds.CLEAR) drawing.flash(b, "deadlock broken", wall, "good");
    if (log.kind[index] === kinds.CABLE) drawing.flash(2 * Math.floor(a / 2), a % 2 === 1 ? "works again" : "fails", wall, "warn");
    animateFlashes();
  }

  // While nothing plays, a flash still wants some frames.
  let flashing = false;
  function animateFlashes() {
    if (flashing) return;
    flashing = true;
    const next = () => {
      if (!playing) draw();
      flashing = drawing.flashes.length > 0 || (!playing && model.deadlocks.size > 0 && !simnet.still() && root.offsetParent !== null);
      if (flashing) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }

  // --- drawing ------------------------------------------------------------------------------------------------------

  function draw() {
    if (log === undefined || canvas.offsetParent === null) return;
    const deadlocks = [...model.deadlocks.values()].slice(0, 8).map((index) => log.members(index));
    const stuck = new Set(deadlocks.flat().map((member) => member.worm));
    drawing.paint(model, time, { follow, deadlocks, stuck, wall: performance.now() });
    slider.value = String(model.index);
    writeClock();
    count();
    if (deadlocks.length > 0 && !playing) animateFlashes();
  }

  function count() {
    work.events = model.work.events;
    work.maxPerFrame = Math.max(work.maxPerFrame, model.work.maxPerCall);
    work.spans = drawing.spans;
    work.maxSpans = Math.max(work.maxSpans, drawing.spans);
    work.left = drawing.left;
  }

  let shownFrames = 0;
  function measure(passed) {
    work.framesPerSecond = work.framesPerSecond === 0 ? 1000 / passed : work.framesPerSecond * 0.95 + 50 / passed;
    if (performance.now() - shownFrames < 1000) return;
    shownFrames = performance.now();
    frames.textContent = `${Math.round(work.framesPerSecond)} frames a second; at most ${simnet.number(work.maxPerFrame)} events and ` +
      `${simnet.number(work.maxSpans)} pieces a frame${work.left > 0 ? `; ${work.left} more were left out of the picture: zoom in` : ""}.`;
  }

  function writeClock() {
    const cycle = log.isOfFrames ? "" : ` · cycle ${simnet.number(Math.floor(time / log.cycle), 15)}`;
    const there = log.isOfFrames
      ? `frames on cables: ${[...model.frames.values()].reduce((sum, list) => sum + list.length, 0)}`
      : `${model.trail.size} in the network, ${simnet.number(model.delivered)} delivered, ${simnet.number(model.destroyed)} destroyed`;
    clock.replaceChildren(
      el("span", {}, el("b", {}, nsText(Math.round(time))), cycle),
      el("span", {}, `event ${simnet.number(model.index - scene.before)} of ${simnet.number(scene.count - scene.before)}`),
      el("span", {}, there));
    slider.setAttribute("aria-valuetext", `event ${model.index - scene.before}, ${nsText(Math.round(time))}`);
  }

  // --- words --------------------------------------------------------------------------------------------------------

  // Says the last event; while it plays, not more often than one can read.
  function speak(now) {
    const wall = performance.now();
    if (!now && (wall - lastSaid < 700 || model.index === saidIndex)) return;
    lastSaid = wall;
    saidIndex = model.index;
    if (model.index > scene.before) {
      let index = model.index - 1;
      // Changes of flow are many and say little: the last event before them.
      for (let back = 0; !flows.checked && playing && back < 200 && index > scene.before && log.kind[index] === kinds.FLOW; back++) index--;
      said.textContent = words.event(index, model);
    } else {
      said.textContent = opening();
    }
    writeStanding();
    writeEvents();
    writeWorms();
    if (tableBox.open) writeTable();
  }

  function writeStanding() {
    const first = [...model.deadlocks][0];
    const cleared = model.index > 0 && log.kind[model.index - 1] === kinds.CLEAR;
    const key = `${scene.nth} ${first} ${model.deadlocks.size} ${cleared}`;
    if (key === drawnKey) return;
    drawnKey = key;
    standing.hidden = first === undefined;
    if (first === undefined) return;
    const [nth, index] = first;
    const others = model.deadlocks.size > 1 ? ` (and ${model.deadlocks.size - 1} more)` : "";
    standing.replaceChildren(
      el("h3", {}, `Deadlock ${nth + 1}${others}: formed at ${nsText(log.time[index])}`),
      el("ol", {}, words.cycle(log.members(index)).slice(0, 200).map((line) => el("li", {}, line))));
  }

  function eventLine(index, current) {
    return el("li", {}, el("button", { type: "button", "aria-current": current ? "step" : null, onclick: () => stop(() => goTo(index + 1)) },
      el("time", {}, simnet.number(ns(log.time[index]), 15)), el("span", {}, words.event(index, { owner: [] }))));
  }

  function writeEvents() {
    if (follow >= 0) return markFollowed();
    const around = [];
    const wanted = (index) => flows.checked || log.kind[index] !== kinds.FLOW;
    for (let index = model.index - 1, left = 4, looked = 0; index >= scene.before && left > 0 && looked < 400; index--, looked++) {
      if (!wanted(index) && index !== model.index - 1) continue;
      around.unshift(index);
      left -= 1;
    }
    for (let index = model.index, left = 4, looked = 0; index < scene.count && left > 0 && looked < 400; index++, looked++) {
      if (!wanted(index)) continue;
      around.push(index);
      left -= 1;
    }
    events.replaceChildren(...around.map((index) => eventLine(index, index === model.index - 1)));
  }

  function writeTable() {
    if (!tableBox.open) return;
    if (log.isOfFrames) return writeFrames();
    const rows = [];
    const waiters = new Map();
    for (const worm of model.trail.keys()) {
      if (model.mode[worm] === WAITING) waiters.set(model.wants[worm], [...(waiters.get(model.wants[worm]) ?? []), words.worm(worm)]);
    }
    for (let place = 0; place < log.places - 1 && rows.length < 300; place++) {
      const flits = Math.floor(model.flitsAt(place, time) + 1e-9);
      const holder = model.owner[place];
      if (flits === 0 && holder < 0 && model.stopped[place] === 0) continue;
      const inside = model.wormsAt(place, time).map(([worm, count]) => `${words.worm(worm)} (${Math.round(count)})`);
      const cells = [flits, inside.join(", "), model.stopped[place] === 1 ? "yes" : "", holder >= 0 ? words.worm(holder) : "",
        (waiters.get(place) ?? []).join(", ")];
      rows.push(el("tr", {}, el("th", { scope: "row" }, portName(place)), cells.map((cell, nth) => el("td", { class: nth === 0 ? "num" : null }, String(cell)))));
    }
    table.replaceChildren(...(rows.length > 0 ? rows : [el("tr", {}, el("td", { colspan: 6 }, "The network is empty."))]));
  }

  function writeFrames() {
    const rows = [...model.frames].flatMap(([place, list]) => list.map(([source, destination, bytes]) => el("tr", {},
      el("th", { scope: "row" }, portName(place)), el("td", {}, portName(place ^ 1)), el("td", {}, words.frame(source, destination, bytes)))));
    if (rows.length === 0) rows.push(el("tr", {}, el("td", { colspan: 3 }, "No frame is on a cable.")));
    table.replaceChildren(...rows.slice(0, 300));
  }

  // --- messages -----------------------------------------------------------------------------------------------------

  const doing = (worm) => {
    switch (model.mode[worm]) {
      case OUT: return "moves";
      case IN: return "is routed";
      case WAITING: return `waits for ${portName(model.wants[worm])}`;
      case THERE: return "arrives";
      default: return "";
    }
  };

  // Those that match what is searched for, else those that are in the network.
  let listed = [];
  function listWorms() {
    const text = search.value.trim().toLowerCase();
    listed = [];
    if (text !== "") {
      for (let worm = 0; worm < log.names.length && listed.length < MOST_WORMS; worm++) {
        if (log.names[worm].toLowerCase().includes(text)) listed.push(worm);
      }
    }
    writeWorms();
  }

  function writeWorms() {
    let shown = search.value.trim() === "" ? [...model.trail.keys()].slice(0, MOST_WORMS) : listed;
    if (follow >= 0 && !shown.includes(follow)) shown = [follow, ...shown];
    const lines = shown.map((worm) => el("li", {}, el("button", {
      type: "button", "aria-pressed": String(worm === follow), onclick: () => setFollow(worm === follow ? -1 : worm),
    }, el("i", { style: `background: ${drawing.hue(worm)}` }), el("span", {}, words.worm(worm)), el("small", {}, doing(worm)))));
    const empty = search.value.trim() === "" ? "No message is in the network." : "No message is called so.";
    worms.replaceChildren(...(lines.length > 0 ? lines : [el("li", { class: "soft" }, empty)]));
  }

  function setFollow(worm) {
    follow = worm;
    path = [];
    eventsTitle.textContent = worm < 0 ? "Events around now" : `Events of ${words.worm(worm)}`;
    pathText.textContent = "";
    if (worm >= 0) {
      const its = [];
      const nodes = [];
      for (let index = 0; index < log.count; index++) {
        if (log.wormOf(index) !== worm) continue;
        its.push(index);
        const kind = log.kind[index];
        if (kind === kinds.START || kind === kinds.ARRIVE) nodes.push(nodeOf(log.args(index)[1]));
      }
      path = its;
      pathText.textContent = nodes.join(" → ");
      events.replaceChildren(...its.slice(0, 300).map((index) => eventLine(index, false)));
      if (model.head[worm] >= 0) drawing.reveal(model.head[worm]);
      else if (its.length > 0) goTo(Math.max(its[0] + 1, scene.before));
    }
    writeEvents();
    writeWorms();
    draw();
  }

  function markFollowed() {
    const last = path.findLastIndex((index) => index < model.index);
    [...events.querySelectorAll("button")].forEach((line, nth) => {
      if (nth === last) line.setAttribute("aria-current", "step");
      else line.removeAttribute("aria-current");
    });
  }

  // --- a hand on it -------------------------------------------------------------------------------------------------

  function tell(text) {
    toast.textContent = text;
    toast.hidden = false;
    clearTimeout(tell.timer);
    tell.timer = setTimeout(() => { toast.hidden = true; }, 2600);
  }

  function near() {
    stage.classList.toggle("near", !drawing.fitted);
  }

  function zoomed(factor, x, y) {
    drawing.zoom(factor, x, y);
    near();
    draw();
  }

  slider.addEventListener("input", () => stop(() => goTo(Number(slider.value))));
  canvas.addEventListener("wheel", (event) => {
    // Scrolling the page must stay possible: with Ctrl, or once one has come closer.
    if (drawing.fitted && !event.ctrlKey && event.deltaY > 0) return;
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoomed(Math.exp(-event.deltaY * 0.0016), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    moved = 0;
    if (event.pointerType === "mouse" || !drawing.fitted) canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return hover(event);
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    fingers.set(event.pointerId, now);
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const apart = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
      const box = canvas.getBoundingClientRect();
      zoomed(apart(a, b) / Math.max(1, apart(before, other)), (a[0] + b[0]) / 2 - box.left, (a[1] + b[1]) / 2 - box.top);
    } else if (moved > 4 && (event.pointerType === "mouse" || !drawing.fitted)) {
      canvas.classList.add("dragged");
      drawing.pan(dx, dy);
      near();
      draw();
    }
  });
  for (const kind of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      canvas.classList.remove("dragged");
      if (kind === "pointerup" && moved <= 4) tapped(event);
    });
  }
  canvas.addEventListener("pointerleave", () => simnet.tip());

  function underHand(event) {
    const box = canvas.getBoundingClientRect();
    return drawing.find(event.clientX - box.left, event.clientY - box.top);
  }

  // The worm at a place: the one in the buffer, else the one that holds the cable.
  function wormAt({ place, isBuffer }) {
    const inside = model.wormsAt(place ^ 1, time);
    if (isBuffer && inside.length > 0) return inside[0][0];
    return model.owner[place] >= 0 ? model.owner[place] : inside.length > 0 ? inside[0][0] : -1;
  }

  function tapped(event) {
    const found = underHand(event);
    const worm = found?.place === undefined ? -1 : wormAt(found);
    if (worm >= 0) setFollow(worm === follow ? -1 : worm);
    else if (follow >= 0 && found === null) setFollow(-1);
    hover(event);
  }

  function hover(event) {
    const found = underHand(event);
    simnet.tip(event.clientX, event.clientY, found === null ? "" : describe(found));
  }

  function describe(found) {
    if (found.node !== undefined) {
      const [name, id] = [data.network.names, data.network.ids ?? []].map((names) => names[found.node]);
      const also = id === undefined || id === name ? "" : ` (${id})`;
      return `${data.network.hosts[found.node] === 1 ? "Host" : "Switch"} ${name}${also}`;
    }
    const { place, isBuffer } = found;
    const far = place ^ 1;
    const lines = [`${portName(place)} → ${portName(far)}`];
    if (model.down.has(place >> 1)) lines.push("This cable has failed.");
    for (const frame of model.frames.get(place) ?? []) lines.push(words.frame(...frame));
    if (log.isOfFrames) {
      if (model.paused[far] !== 0) lines.push(`paused: priority ${[0, 1, 2, 3, 4, 5, 6, 7].filter((one) => (model.paused[far] >> one) & 1).join(", ")}`);
      return lines.join("\n");
    }
    if (model.owner[place] >= 0) lines.push(`held by ${words.worm(model.owner[place])}`);
    if (model.stopped[far] === 1) lines.push("stopped: STOP was sent");
    if (isBuffer || model.isBusy(far)) {
      const inside = model.wormsAt(far, time).map(([worm, flits]) => `${words.worm(worm)} (${Math.round(flits)})`);
      lines.push(`Buffer: ${Math.floor(model.flitsAt(far, time) + 1e-9)} of ${data.buffer} flits${inside.length > 0 ? `: ${inside.join(", ")}` : ""}`);
    }
    return lines.join("\n");
  }

  root.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isText = target.matches("input[type=search], select");
    const isRange = target.matches("input[type=range]");
    const isPressed = target.matches("button, summary, input[type=checkbox], a");
    const keys = {
      " ": () => !isText && !isPressed && setPlaying(!playing),
      ArrowRight: () => !isText && !isRange && stop(() => step(1)),
      ArrowLeft: () => !isText && !isRange && stop(() => step(-1)),
      "+": () => !isText && zoomed(1.4),
      "-": () => !isText && zoomed(1 / 1.4),
      0: () => !isText && (drawing.fit(), near(), draw(), true),
      Escape: () => follow >= 0 && setFollow(-1),
    };
    if (keys[key] !== undefined && keys[key]() !== false) event.preventDefault();
  });

  // --- what the drawing means ---------------------------------------------------------------------------------------

  function legend() {
    const picture = (...parts) => el("svg:svg", { width: 34, height: 14, viewBox: "0 0 34 14", "aria-hidden": "true" }, ...parts);
    const tube = (share) => [
      el("svg:rect", { x: 1, y: 2.5, width: 32, height: 9, rx: 1, style: "fill: var(--raised); stroke: var(--line)" }),
      el("svg:rect", { x: 33 - 32 * share, y: 2.5, width: 32 * share, height: 9, style: "fill: var(--c6)" }),
    ];
    const frame = [
      picture(el("svg:rect", { x: 0, y: 5, width: 24, height: 4, style: "fill: var(--c6)" }),
        el("svg:path", { d: "M19 1 L28 7 L19 13 Z", style: "fill: var(--c6); stroke: var(--ink)" })),
      "a frame as far as it has come, in the colour of its sender",
    ];
    const stop = picture(el("svg:circle", { cx: 17, cy: 7, r: 6, style: "fill: var(--bad)" }), el("svg:rect", { x: 13, y: 5.8, width: 8, height: 2.4, style: "fill: var(--paper)" }));
    const circle = [picture(el("svg:rect", { x: 0, y: 1, width: 34, height: 12, rx: 6, style: "fill: var(--bad); opacity: .28" })), "deadlock: each waits for the next"];
    const paused = log.kind.includes(kinds.PAUSE) ? [[stop, "paused: this port may not send all that it has"], circle] : [];
    const items = log.isOfFrames ? [frame, ...paused] : [
      [picture(...tube(0.6)), `buffer of ${data.buffer} flits, filled from the switch on`],
      [picture(el("svg:rect", { x: 0, y: 5, width: 30, height: 4, style: "fill: var(--c6)" }),
        el("svg:path", { d: "M24 1 L33 7 L24 13 Z", style: "fill: var(--c6); stroke: var(--ink)" })), "a worm's head"],
      [picture(...tube(0.5), el("svg:rect", { x: 15.5, y: 0, width: 3, height: 14, style: "fill: var(--c6)" })), "its tail"],
      [stop, "STOP: this port may not send"],
      [picture(el("svg:path", { d: "M2 7 H26", style: "stroke: var(--c6); stroke-width: 2; stroke-dasharray: 3 3" }),
        el("svg:circle", { cx: 29, cy: 7, r: 4, style: "fill: none; stroke: var(--warn); stroke-width: 2" })), "a head waits for this output"],
      circle,
    ];
    return el("ul", { class: "legend", "aria-label": "What the drawing means" }, items.map(([drawn, text]) => el("li", {}, drawn, el("span", {}, simnet.explained(text)))));
  }

  // --- the beginning ------------------------------------------------------------------------------------------------

  // "deadlock=POINT,NANOSECONDS" (or a scene's kind in place of a point): shows that deadlock.
  let wanted = null;
  function show(detail) {
    wanted = null;
    const found = /^deadlock=([^,]*),(.+)$/.exec(detail ?? "");
    if (found === null) return;
    const nth = data.scenes.findIndex((one) => String(one.point ?? one.kind) === found[1]);
    if (nth < 0) return;
    if (data.scenes[nth] !== scene || model.prepared < log.count) {
      wanted = detail;
      if (data.scenes[nth] !== scene) choose(nth);
      return;
    }
    const index = marks.deadlock.find((one) => Math.abs(ns(log.time[one]) - Number(found[2])) < 0.01);
    if (index === undefined) return tell("The replay does not hold this deadlock.");
    setPlaying(false);
    goTo(index + 1);
  }

  root.addEventListener("simnet:go", (event) => show(event.detail));
  document.addEventListener("simnet:theme", () => {
    drawing.readColours();
    draw();
    writeWorms();
  });
  new ResizeObserver(() => draw()).observe(canvas);
  const controls = {
    get model() { return model; },
    get log() { return log; },
    get time() { return time; },
    get playing() { return playing; },
    get ready() { return isReady(); },
    seek: goTo, rewind: () => goTo(scene.before), play: setPlaying, setSpeed, choose, step, jump, follow: setFollow, frame: (by) => { advance(by, performance.now()); draw(); },
  };
  choose(0);
  simnet.replay.player = controls;
  return controls;
};
