"use strict";
/* The growing model of a mapper, step by step.
 *
 * Every vertex and every cable comes with the steps between which it is seen, so a frame is a function of the step alone:
 * seeking costs what any frame costs, and a frame's work is bounded by what the data holds.
 */
simnet.section("mapping", function (root, data) {
  const { el, number, time } = simnet;
  const { steps, vertices, cables, stubs, names, events } = data;
  const count = steps.event.length;
  const AFTER = 10; // steps for which a change is still seen: new vertices fade into the others, merged ones glide
  const merges = events.indexOf("merged");
  const hasMerges = steps.event.includes(merges);
  const hasExplored = vertices.explored.some((step) => step >= 0);
  const colours = {};

  // --- what a step says ---------------------------------------------------------------------------------------------

  const signed = (port) => String(port).replace("-", "−");
  const nameOf = (vertex) => (names[vertex] === undefined ? `vertex ${vertex}` : names[vertex]);
  const spot = (vertex, port) => (names[vertex] === undefined ? `port ${signed(port)} of vertex ${vertex}` : names[vertex]);
  const plural = (n, noun) => `${number(n)} ${noun}${n === 1 ? "" : noun.endsWith("ch") ? "es" : "s"}`;

  function sentence(step) {
    const [a, p, b, q] = [steps.near[step], steps.near_port[step], steps.far[step], steps.far_port[step]];
    switch (events[steps.event[step]]) {
      case "host":
        if (a === mapper && b >= 0) return `The mapper's own host, ${names[a]}, is cabled to vertex ${b}.`;
        if (b < 0) return step === 0 ? `The mapper runs on ${names[a]}; it knows nothing else.` : `The mapper hears of ${names[a]}.`;
        return names[b] !== undefined ? `${names[a]} answers at the other end of ${names[b]}'s cable.` : `${names[a]} answers behind ${spot(b, q)}.`;
      case "switch": {
        const where = b < 0 ? "" : ` behind ${names[b] === undefined ? spot(b, q) : `the cable of ${names[b]}`}`;
        if (!hasMerges) return b < 0 || names[b] !== undefined ? `A switch answers${where}: vertex ${a}.` : `The switch${where} is a new one: vertex ${a}.`;
        return step > 2
          ? `A switch answers${where}: it becomes vertex ${a}, and may be one that is known.`
          : `A switch answers${where}: vertex ${a}.`;
      }
      case "explored":
        return `The ports of vertex ${a} are asked, one after the other.`;
      case "open":
        return `Some switch answers behind ${spot(a, p)}; which one is still to be found out.`;
      case "cable":
        return names[b] !== undefined || names[a] !== undefined
          ? `${nameOf(names[b] !== undefined ? b : a)} answers behind ${names[b] !== undefined ? spot(a, p) : spot(b, q)} as well: a host has one cable, so two vertices are one switch.`
          : `A cable joins ${spot(a, p)} and ${spot(b, q)}.`;
      case "merged":
        return `Vertex ${a} is vertex ${b}, entered at its port ${signed(q)}: the two become one.`;
      case "pruned":
        return `What lies behind ${spot(a, p)} is taken away: no host answered there.`;
      case "forgotten":
        return "All is forgotten: what the mapper took for a switch is none.";
      case "doubted":
        return `A reason for doubt: ${data.doubts[step]}.`;
      default:
        return `The map is drawn: ${plural(steps.hosts[step], "host")}, ${plural(steps.switches[step], "switch")}, ${plural(steps.cables[step], "cable")}.`;
    }
  }

  // --- the page's parts -----------------------------------------------------------------------------------------------

  const canvas = el("canvas", { tabindex: "0", role: "img", "aria-label": "The model graph at the current step. Arrow keys step, plus and minus zoom." });
  const spoken = el("p", { class: "hidden-visually", "aria-live": "polite" });
  const says = el("p", { class: "says", "aria-hidden": "true" });
  const ICONS = {
    first: "M0 0h3v16H0zM15 0v16L4 8z", back: "M13 0v16L2 8z", forward: "M3 0v16l11-8z", last: "M13 0h3v16h-3zM1 0v16l11-8z",
    play: "M2 0v16l13-8z", pause: "M1 0h5v16H1zM10 0h5v16h-5z",
  };
  const icon = (name) => el("svg:svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, el("svg:path", { d: ICONS[name] }));
  const button = (text, label, run) => {
    const made = el("button", { type: "button", "aria-label": label, onclick: run }, text);
    simnet.tooltip(made, label);
    return made;
  };
  const buttons = {
    first: button(icon("first"), "First step (Home)", () => seek(0)),
    back: button(icon("back"), "One step back (left arrow)", () => seek(at() - 1)),
    play: button([icon("play"), "Play"], "Play (space)", () => (playing ? pause() : play())),
    forward: button(icon("forward"), "One step forward (right arrow)", () => seek(at() + 1)),
    last: button(icon("last"), "Last step (End)", () => seek(count - 1)),
  };
  const slider = el("input", { type: "range", min: 0, max: count - 1, value: 0, step: 1, "aria-label": "Step", oninput: () => seek(Number(slider.value)) });
  const speeds = [2, 5, 10, 30, 100, 300, 1000];
  const usual = speeds.reduce((best, speed) => (Math.abs(Math.log(count / 40 / speed)) < Math.abs(Math.log(count / 40 / best)) ? speed : best));
  const speed = el("select", { "aria-label": "Speed" }, speeds.map((one) => el("option", { value: one, selected: one === usual }, `${one} steps a second`)));
  const sizes = ["hosts", "switches", "cables", ...(hasMerges ? ["merged"] : [])].map((what) => {
    const shown = el("dd", {}, "0");
    return { what, shown, line: el("div", {}, el("dt", {}, { switches: "switch vertices", merged: "merged so far" }[what] ?? what), shown) };
  });
  const sample = (draw) => el("svg:svg", { viewBox: "0 0 18 18", "aria-hidden": "true" }, draw);
  const key = el("ul", { class: "key" },
    el("li", {}, sample(el("svg:circle", { cx: 9, cy: 9, r: 6, fill: "var(--c6)" })), hasExplored ? "switch, ports asked" : "switch"),
    stubs.a.length > 0 && el("li", {}, sample(el("svg:line", { x1: 2, y1: 9, x2: 16, y2: 9, stroke: "var(--soft)", "stroke-width": 2, "stroke-dasharray": "3 3" })), "leads to some switch"),
    hasExplored && el("li", {}, sample(el("svg:circle", { cx: 9, cy: 9, r: 6, fill: "var(--paper)", stroke: "var(--c6)", "stroke-width": 2 })), "switch, still to ask"),
    hasMerges && el("li", {}, sample(el("svg:circle", { cx: 9, cy: 9, r: 3.5, fill: "var(--paper)", stroke: "var(--c3)", "stroke-width": 1.5 })), "vertex that will be found to be the switch below it"),
    el("li", {}, sample(el("svg:rect", { x: 5, y: 5, width: 8, height: 8, rx: 2, fill: "var(--c4)" })), "host"),
    el("li", {}, sample(el("svg:circle", { cx: 9, cy: 9, r: 6, fill: "none", stroke: "var(--c2)", "stroke-width": 3 })), "new"),
    hasMerges && el("li", {}, sample([el("svg:circle", { cx: 5, cy: 5, r: 3, fill: "var(--c7)" }), el("svg:line", { x1: 5, y1: 5, x2: 13, y2: 13, stroke: "var(--c7)", "stroke-width": 2.5 })]), "two become one"));
  document.getElementById("mapping-player").replaceChildren(
    el("div", { class: "play", role: "group", "aria-label": "Steps of the model" },
      el("div", { class: "buttons" }, Object.values(buttons)), slider, speed),
    says, spoken,
    el("div", { class: "stage" }, canvas, el("div", { class: "zoom" },
      button("+", "Zoom in (+)", () => zoom(1.5)), button("−", "Zoom out (−)", () => zoom(1 / 1.5)), button("Fit", "Show all (0)", () => fit(true)))),
    el("dl", { class: "sizes" }, sizes.map((size) => size.line)), key);

  // --- the curve ------------------------------------------------------------------------------------------------------

  const curve = document.getElementById("mapping-curve");
  const cursor = document.getElementById("mapping-cursor");
  let by = "probes";
  const along = () => (by === "probes" ? steps.probes : steps.time_ns);

  function showBy(which) {
    by = which;
    for (const chart of curve.querySelectorAll(".chart")) chart.hidden = chart.dataset.by !== which;
    for (const choice of choices) choice.setAttribute("aria-pressed", String(choice.dataset.by === which));
    moveCursor();
  }

  function moveCursor() {
    const { left, right, last } = data.curve[by];
    cursor.style.left = `${100 * (left + ((right - left) * along()[at()]) / last)}%`;
    cursor.hidden = false;
  }

  // The last step at or before a place of the curve.
  function stepAt(clientX) {
    const box = curve.getBoundingClientRect();
    const { left, right, last } = data.curve[by];
    const wanted = (((clientX - box.left) / box.width - left) / (right - left)) * last;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (along()[middle] <= wanted) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const choices = [["probes", "by messages"], ["time", "by time"]].map(([which, label]) =>
    el("button", { type: "button", "data-by": which, onclick: () => showBy(which) }, label));
  document.getElementById("mapping-by").append(...choices);
  curve.addEventListener("pointerdown", (event) => {
    curve.setPointerCapture(event.pointerId);
    seek(stepAt(event.clientX));
  });
  curve.addEventListener("pointermove", (event) => {
    if (event.buttons === 1) seek(stepAt(event.clientX));
  });

  // --- the view -------------------------------------------------------------------------------------------------------

  const context = canvas.getContext("2d");
  const bounds = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  vertices.x.forEach((x, vertex) => {
    bounds.left = Math.min(bounds.left, x);
    bounds.right = Math.max(bounds.right, x);
    bounds.top = Math.min(bounds.top, vertices.y[vertex]);
    bounds.bottom = Math.max(bounds.bottom, vertices.y[vertex]);
  });
  const view = { scale: 1, x: 0, y: 0, width: 1, height: 1, fitted: true };
  let playhead = count - 1;
  let playing = false;
  let asked = 0; // the frame that was asked for, 0 if none
  let before = 0; // when the last frame was drawn
  let said = 0; // when a step was last spoken

  const at = () => Math.min(count - 1, Math.max(0, Math.floor(playhead)));

  function fit(drawn) {
    const [width, height] = [bounds.right - bounds.left + 70, bounds.bottom - bounds.top + 70];
    view.scale = Math.min(view.width / width, view.height / height, 3);
    view.x = view.width / 2 - view.scale * (bounds.left + bounds.right) / 2;
    view.y = view.height / 2 - view.scale * (bounds.top + bounds.bottom) / 2;
    view.fitted = true;
    if (drawn) ask();
  }

  function zoom(factor, x = view.width / 2, y = view.height / 2) {
    const scale = Math.min(12, Math.max(0.05, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    view.fitted = false;
    ask();
  }

  function resize() {
    const width = canvas.parentElement.clientWidth;
    if (width === 0) return;
    const shape = (bounds.bottom - bounds.top + 70) / (bounds.right - bounds.left + 70);
    view.width = width;
    view.height = Math.round(Math.min(Math.max(width * shape, 260), Math.max(340, innerHeight * 0.56), 760));
    const density = Math.min(devicePixelRatio || 1, 3);
    canvas.width = Math.round(view.width * density);
    canvas.height = Math.round(view.height * density);
    canvas.style.height = view.height + "px";
    if (view.fitted) fit(false);
    draw();
  }

  function readColours() {
    for (const name of ["ink", "soft", "line", "paper", "accent", "c2", "c3", "c4", "c6", "c7"]) colours[name] = simnet.colour("--" + name);
    ask();
  }

  // --- drawing --------------------------------------------------------------------------------------------------------

  const screenX = (vertex) => view.x + view.scale * vertices.x[vertex];
  const screenY = (vertex) => view.y + view.scale * vertices.y[vertex];
  const lives = (from, to, step) => from <= step && (to < 0 || step < to);

  function draw() {
    const step = at();
    const density = canvas.width / view.width;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, view.width, view.height);
    drawCables(step);
    if (step < count - 1) drawMerging(step);
    drawVertices(step);
    drawNames(step);
  }

  function line(a, b) {
    const [x, y, far] = [screenX(a), screenY(a), vertices.x[b] - vertices.x[a]];
    context.moveTo(x, y);
    if (vertices.y[a] === vertices.y[b] && Math.abs(far) > 30) {
      // Side by side: a bow, so that what stands between does not hide the cable.
      const up = Math.min(90, 14 + 0.16 * Math.abs(far));
      context.quadraticCurveTo(x + (view.scale * far) / 2, y - view.scale * up, screenX(b), y);
    } else {
      context.lineTo(screenX(b), screenY(b));
    }
  }

  function drawCables(step) {
    const ended = step === count - 1; // then nothing is new any more
    const thin = Math.min(1, Math.max(0.35, (500 * view.scale) / steps.cables[step]));
    const kinds = [
      { colour: colours.line, width: thin, wanted: (nth) => cables.to[nth] >= 0 && (ended || cables.from[nth] + AFTER <= step) },
      { colour: colours.soft, width: 1.3 * thin, wanted: (nth) => cables.to[nth] < 0 && (ended || cables.from[nth] + AFTER <= step) },
      { colour: colours.c2, width: 2.2, wanted: (nth) => !ended && cables.from[nth] + AFTER > step },
    ];
    for (const { colour, width, wanted } of kinds) {
      context.beginPath();
      for (let nth = 0; nth < cables.a.length; nth++) {
        if (lives(cables.from[nth], cables.to[nth], step) && wanted(nth)) line(cables.a[nth], cables.b[nth]);
      }
      context.strokeStyle = colour;
      context.lineWidth = width;
      context.stroke();
    }
    context.beginPath();
    context.setLineDash([3, 3]);
    for (let nth = 0; nth < stubs.a.length; nth++) {
      if (!lives(stubs.from[nth], stubs.to[nth], step)) continue;
      // Towards where its switch will be found; downwards where it never is.
      const [x, y] = [screenX(stubs.a[nth]), screenY(stubs.a[nth])];
      const [dx, dy] = stubs.b[nth] < 0 ? [0, 1] : [screenX(stubs.b[nth]) - x, screenY(stubs.b[nth]) - y];
      const length = Math.hypot(dx, dy) || 1;
      const reach = Math.min(22 * view.scale + 8, length * 0.6 + 1);
      context.moveTo(x, y);
      context.lineTo(x + (dx / length) * reach, y + (dy / length) * reach);
    }
    context.strokeStyle = colours.soft;
    context.lineWidth = 1.3;
    context.stroke();
    context.setLineDash([]);
  }

  // Vertices that were merged just now glide to what they are; pruned ones fade.
  function drawMerging(step) {
    const start = Math.max(0, step - AFTER + 1);
    for (let nth = step; nth >= start; nth--) {
      const [event, vertex] = [steps.event[nth], steps.near[nth]];
      if (event !== merges || vertices.into[vertex] < 0 || vertices.gone[vertex] !== nth) continue;
      const into = vertices.into[vertex];
      const way = Math.min(1, (playhead - nth) / AFTER);
      const x = screenX(vertex) + (screenX(into) - screenX(vertex)) * way;
      const y = screenY(vertex) + (screenY(into) - screenY(vertex)) * way;
      context.globalAlpha = 1 - 0.8 * way;
      context.strokeStyle = context.fillStyle = colours.c7;
      context.lineWidth = 2.5;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(screenX(into), screenY(into));
      context.stroke();
      circle(x, y, radius(vertex), true, false);
      context.globalAlpha = 1;
    }
    for (let vertex = 0; vertex < vertices.x.length; vertex++) {
      const gone = vertices.gone[vertex];
      if (gone < 0 || gone > step || gone + AFTER <= step || vertices.into[vertex] >= 0) continue;
      context.globalAlpha = 1 - (playhead - gone) / AFTER;
      context.strokeStyle = colours.soft;
      context.lineWidth = 1.5;
      circle(screenX(vertex), screenY(vertex), radius(vertex), false, true);
      context.globalAlpha = 1;
    }
  }

  function circle(x, y, size, filled, stroked) {
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    if (filled) context.fill();
    if (stroked) context.stroke();
  }

  // Marks grow less than distances do when zoomed in, and stay visible when zoomed out.
  const radius = (vertex) => {
    const size = names[vertex] !== undefined ? 4.6 : vertices.home[vertex] === vertex ? 7.5 : 3.4;
    return Math.max(size * 0.42, Math.min(size * view.scale, size * 2));
  };

  function drawVertices(step) {
    const marked = steps.event[step] === merges ? [steps.far[step]] : [steps.near[step], steps.far[step]];
    for (let vertex = 0; vertex < vertices.x.length; vertex++) {
      if (!lives(vertices.made[vertex], vertices.gone[vertex], step)) continue;
      const [x, y, size] = [screenX(vertex), screenY(vertex), radius(vertex)];
      if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) continue;
      const age = playhead - vertices.made[vertex];
      if (age < AFTER && step < count - 1) {
        context.globalAlpha = 1 - age / AFTER;
        context.strokeStyle = colours.c2;
        context.lineWidth = 3.5;
        circle(x, y, size + 3, false, true);
        context.globalAlpha = 1;
      }
      drawVertex(vertex, x, y, size, step);
      if (marked.includes(vertex) && step < count - 1) {
        context.strokeStyle = colours.ink;
        context.lineWidth = 1.6;
        circle(x, y, size + 5, false, true);
      }
    }
  }

  function drawVertex(vertex, x, y, size, step) {
    if (names[vertex] !== undefined) {
      context.fillStyle = vertex === mapper ? colours.accent : colours.c4;
      context.beginPath();
      context.roundRect(x - size, y - size, 2 * size, 2 * size, size * 0.45);
      context.fill();
      return;
    }
    const explored = vertices.explored[vertex] >= 0 && vertices.explored[vertex] <= step;
    const own = vertices.home[vertex] === vertex ? colours.c6 : colours.c3;
    context.fillStyle = explored || !hasExplored ? own : colours.paper;
    context.strokeStyle = own;
    context.lineWidth = size > 3 ? 1.8 : 1.1;
    circle(x, y, size, true, true);
  }

  function drawNames(step) {
    context.fillStyle = colours.ink;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    if (view.scale > 1.7) {
      for (const vertex of hosts) {
        if (lives(vertices.made[vertex], vertices.gone[vertex], step)) turned(shortened(names[vertex]), screenX(vertex), screenY(vertex) + radius(vertex) + 3);
      }
    } else if (mapper >= 0 && lives(vertices.made[mapper], vertices.gone[mapper], step)) {
      context.textAlign = "left";
      context.fillText(shortened(names[mapper]), screenX(mapper) + radius(mapper) + 5, screenY(mapper) - 6);
    }
  }

  // Names of hosts that stand side by side hang down slanting.
  function turned(text, x, y) {
    context.save();
    context.translate(x, y);
    context.rotate(view.scale > 4 ? 0 : 0.6);
    context.textAlign = view.scale > 4 ? "center" : "left";
    context.fillText(text, 0, 0);
    context.restore();
  }

  const shortened = (name) => (name.length > 18 ? name.slice(0, 17) + "…" : name);
  const hosts = Object.keys(names).map(Number);
  const mapper = hosts.length > 0 ? hosts[0] : -1;

  // --- time -----------------------------------------------------------------------------------------------------------

  function ask() {
    if (asked === 0) asked = requestAnimationFrame(frame);
  }

  function frame(now) {
    asked = 0;
    if (playing) {
      playhead += (Math.min(now - before, 250) / 1000) * Number(speed.value);
      before = now;
      if (playhead >= count - 1) {
        playhead = count - 1;
        pause();
      } else {
        ask();
      }
      tell(false);
    }
    draw();
  }

  function play() {
    if (at() >= count - 1) playhead = 0;
    playing = true;
    before = performance.now();
    buttons.play.replaceChildren(icon("pause"), "Pause");
    buttons.play.setAttribute("aria-label", "Pause (space)");
    ask();
  }

  function pause() {
    playing = false;
    buttons.play.replaceChildren(icon("play"), "Play");
    buttons.play.setAttribute("aria-label", "Play (space)");
    playhead = at();
    tell(true);
    ask();
  }

  function seek(step) {
    if (playing) pause();
    playhead = Math.min(count - 1, Math.max(0, step));
    tell(true);
    ask();
  }

  // Shows where we are; speaks it unless steps go by too fast.
  function tell(aloud) {
    const step = at();
    const where = `Step ${number(step + 1)} of ${number(count)}, ${time(steps.time_ns[step])}, ${plural(steps.probes[step], "message")}`;
    says.replaceChildren(el("b", {}, where + ". "), sentence(step));
    slider.value = step;
    slider.setAttribute("aria-valuetext", where);
    for (const { what, shown } of sizes) shown.textContent = number(steps[what][step]);
    buttons.first.disabled = buttons.back.disabled = step === 0;
    buttons.last.disabled = buttons.forward.disabled = step === count - 1;
    moveCursor();
    if (aloud || performance.now() - said > 4000) {
      said = performance.now();
      spoken.textContent = `${where}. ${sentence(step)}`;
    }
  }

  // --- hands ----------------------------------------------------------------------------------------------------------

  const keys = {
    ArrowLeft: () => seek(at() - 1), ArrowRight: () => seek(at() + 1),
    PageUp: () => seek(at() - 50), PageDown: () => seek(at() + 50),
    Home: () => seek(0), End: () => seek(count - 1),
    " ": () => (playing ? pause() : play()),
    "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => fit(true),
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  });

  const fingers = new Map(); // pointer id -> where it is
  let moved = false;
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    const finger = fingers.get(event.pointerId);
    if (finger === undefined) return hover(event);
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
    const [dx, dy] = [event.offsetX - finger.x, event.offsetY - finger.y];
    if (others.length === 1) {
      const [other] = others;
      const span = (one) => Math.hypot(one.x - other.x, one.y - other.y) || 1;
      zoom(span({ x: event.offsetX, y: event.offsetY }) / span(finger), (finger.x + other.x) / 2, (finger.y + other.y) / 2);
    } else {
      view.x += dx;
      view.y += dy;
      view.fitted = false;
      ask();
    }
    moved = moved || Math.hypot(dx, dy) > 3;
    fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    simnet.tip();
  });
  for (const end of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(end, (event) => {
      fingers.delete(event.pointerId);
      if (end === "pointerup" && !moved) hover(event);
    });
  }
  canvas.addEventListener("pointerleave", () => simnet.tip());
  canvas.addEventListener("wheel", (event) => {
    // A page that scrolls under the wheel is not to be caught.
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 300), event.offsetX, event.offsetY);
  }, { passive: false });

  // What the vertex under the pointer is.
  function hover(event) {
    const step = at();
    let [best, near] = [-1, 14];
    for (let vertex = 0; vertex < vertices.x.length; vertex++) {
      if (!lives(vertices.made[vertex], vertices.gone[vertex], step)) continue;
      const far = Math.hypot(screenX(vertex) - event.offsetX, screenY(vertex) - event.offsetY);
      if (far < near) [best, near] = [vertex, far];
    }
    if (best < 0) return simnet.tip();
    simnet.tip(event.clientX, event.clientY - 6, about(best));
  }

  function about(vertex) {
    const made = vertices.made[vertex];
    const lines = [names[vertex] === undefined ? `Vertex ${vertex}, a switch` : `${names[vertex]}, a host`];
    const from = steps.far[made];
    lines.push(`found at step ${number(made + 1)}` + (from < 0 ? "" : ` behind ${spot(from, steps.far_port[made])}`));
    const [gone, into] = [vertices.gone[vertex], vertices.into[vertex]];
    if (into >= 0) lines.push(`found to be vertex ${into} at step ${number(gone + 1)}`);
    else if (gone >= 0) lines.push(`taken away at step ${number(gone + 1)}`);
    return lines.join("\n");
  }

  root.addEventListener("simnet:go", (event) => {
    const wanted = /step=(\d+)/.exec(event.detail);
    if (wanted) seek(Number(wanted[1]) - 1);
  });
  document.addEventListener("simnet:theme", readColours);
  new ResizeObserver(resize).observe(canvas.parentElement);
  readColours();
  showBy("probes");
  tell(false);
  resize();
});
