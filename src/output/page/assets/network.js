"use strict";
/* The network: colours by load and quantity, figures on hover, focus and tap, zoom, search, a panel for what is chosen.
 *
 * data: names (switches first, then hosts), ids (what files call them, where that differs), ports (of switches), links [a, port, b, port], outages [link, from, until],
 * loads [{load, busy, blocked, wanted, flits (per channel: 2 x link, + 1 for the way back), hosts}], shown, tops.
 */
simnet.section("network", function (root, data) {
  const { el, number, time } = simnet;
  const svg = root.querySelector("#network-drawing");
  const world = root.querySelector(".world");
  const caption = root.querySelector("#network-caption");
  const side = root.querySelector("#network-side");
  const tools = root.querySelector("#network-tools");
  const cables = [...world.querySelectorAll(".cable")];
  const lanes = cables.flatMap((cable) => [...cable.querySelectorAll(".lane")]);
  const nodes = [...world.querySelectorAll(".node")];
  const switches = data.ports.length;
  const QUANTITIES = [
    { key: "busy", name: "Busy", about: "how busy they are: the share of the time in which a flit was put on them" },
    { key: "blocked", name: "Blocked", about: "how blocked they are: the share of the time in which a worm held them and no flit moved" },
    { key: "wanted", name: "In the way", about: "how much they are in the way: the share of the time in which a worm held them while it was stopped, or while another waited for them" },
    { key: "flits", name: "Flits", about: "how many flits they carried" },
  ];
  const STEPS = 9;
  let load = data.shown;
  let quantity = 0;
  let chosen = null; // { node } or { link }

  const at = () => data.loads[load];
  const value = (channel, key = QUANTITIES[quantity].key) => at()?.[key][channel] ?? null;
  const share = (x) => (x > 0 && x < 1e-5 ? "< 0.001 %" : number(x * 100, 3) + " %");
  const shown = (x, key) => (x === null ? "not known" : key === "flits" ? number(x) : share(x));
  const ids = data.ids ?? data.names; // what files call the nodes
  const withId = (node) => (ids[node] === data.names[node] ? data.names[node] : `${data.names[node]} (${ids[node]})`);
  const portName = (node, port) => `${data.names[node]}:${port}`;
  const ends = (channel) => {
    const [a, ap, b, bp] = data.links[channel >> 1];
    const [x, y] = [portName(a, ap), portName(b, bp)];
    return channel % 2 === 0 ? [x, y] : [y, x];
  };
  const loadName = (one) => (one.load === "" ? "the trace" : "load " + one.load);

  // What hangs at each node: [port, link, node at the other end].
  const cabling = data.names.map(() => []);
  data.links.forEach(([a, ap, b, bp], link) => {
    cabling[a].push([ap, link, b]);
    cabling[b].push([bp, link, a]);
  });
  cabling.forEach((list) => list.sort((x, y) => x[0] - y[0]));

  // --- colours ------------------------------------------------------------------------------------------------------

  function step(x, top) {
    return x === null || x <= 0 || top <= 0 ? 0 : Math.min(STEPS, 1 + Math.floor((x / top) * STEPS));
  }

  function colour() {
    const top = data.tops[quantity];
    if (at()) lanes.forEach((lane, channel) => lane.setAttribute("class", "lane q" + step(value(channel), top)));
    if (!at()) return;
    const { about, key } = QUANTITIES[quantity];
    const ramp = el("span", { class: "ramp", "aria-hidden": "true" },
      Array.from({ length: STEPS + 1 }, (_, nth) => el("span", { style: `background: var(--q${nth})` })));
    caption.replaceChildren(
      `Cables at ${loadName(at())} by ${about}.`,
      el("span", { class: "legend" }, "nothing", ramp, shown(top, key)));
  }

  // --- words --------------------------------------------------------------------------------------------------------

  function outagesOf(link) {
    return data.outages.filter(([own]) => own === link).map(([, from, until]) =>
      `failed at ${time(from)}` + (until === null ? ", for ever" : `, returned at ${time(until)}`));
  }

  function aboutCable(link) {
    const lines = [];
    for (const channel of [2 * link, 2 * link + 1]) {
      const [from, to] = ends(channel);
      lines.push(`${from} → ${to}`);
      const one = at();
      if (one && one.busy[channel] !== null) {
        const idle = 1 - one.busy[channel] - one.blocked[channel];
        lines.push(`  busy ${shown(one.busy[channel])}, blocked ${shown(one.blocked[channel])}, idle ${shown(Math.max(0, idle))}`);
        lines.push(`  in the way ${shown(one.wanted[channel])}, ${number(one.flits[channel])} flits`);
      }
    }
    return [...lines, ...outagesOf(link)].join("\n");
  }

  function aboutNode(node) {
    const name = withId(node);
    const cabled = cabling[node].length;
    if (node < switches) return `${name}\nswitch of ${data.ports[node]} ports, ${cabled} cabled`;
    const far = cabling[node].map(([, , other]) => data.names[other]).join(", ");
    const own = at()?.hosts[node - switches] ?? [];
    const lines = [name, far === "" ? "host without a cable" : `host at ${far}`];
    if (own.length > 0) {
      lines.push(`offered ${number(own[0])}, received ${number(own[1])} flits / cycle`);
      if (own[2] !== null) lines.push(`latency ${time(own[2])} on average, ${time(own[3])} at most`);
    }
    return lines.join("\n");
  }

  // --- the panel ----------------------------------------------------------------------------------------------------

  function facts(rows) {
    return el("table", {}, el("tbody", {}, rows.map(([name, ...cells]) =>
      el("tr", {}, el("th", { scope: "row" }, name), cells.map((cell) => el("td", { class: "num" }, cell))))));
  }

  function nodeButton(node) {
    return el("button", { class: "link", type: "button", onclick: () => choose({ node }, true) }, data.names[node]);
  }

  function cablePanel(link) {
    const [a, , b] = data.links[link];
    const [there, back] = [2 * link, 2 * link + 1];
    const one = at();
    const both = (key) => [shown(value(there, key), key), shown(value(back, key), key)];
    const idle = (channel) => (one.busy[channel] === null ? "not known"
      : shown(Math.max(0, 1 - one.busy[channel] - one.blocked[channel])));
    const [from, to] = ends(there);
    return [
      el("p", {}, nodeButton(a), " – ", nodeButton(b)),
      one && el("table", {},
        el("caption", {}, `${from} – ${to}, at ${loadName(one)}`),
        el("thead", {}, el("tr", {}, el("td", {}), el("th", { scope: "col", class: "num" }, "there"), el("th", { scope: "col", class: "num" }, "back"))),
        el("tbody", {}, [["busy", ...both("busy")], ["blocked", ...both("blocked")], ["idle", idle(there), idle(back)],
          ["in the way", ...both("wanted")], ["flits", ...both("flits")]].map(([name, x, y]) =>
          el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "num" }, x), el("td", { class: "num" }, y))))),
      outagesOf(link).map((line) => el("p", {}, line)),
    ];
  }

  function nodePanel(node) {
    const own = node >= switches ? at()?.hosts[node - switches] ?? [] : [];
    const maybe = (x) => (x === null ? "–" : time(x));
    const key = QUANTITIES[quantity].key;
    const rows = cabling[node].map(([port, link, other]) => {
      const out = data.links[link][0] === node && data.links[link][1] === port ? 2 * link : 2 * link + 1;
      return el("tr", {}, el("th", { scope: "row" }, String(port)), el("td", {}, nodeButton(other)),
        at() && [out, out ^ 1].map((channel) => el("td", { class: "num" }, shown(value(channel), key))));
    });
    return [
      el("p", {}, aboutNode(node).split("\n")[1]),
      own.length > 0 && facts([["offered, flits / cycle", number(own[0])], ["received, flits / cycle", number(own[1])],
        ["latency, mean", maybe(own[2])], ["latency, longest", maybe(own[3])], ["delivered", number(own[4])],
        ["lost", number(own[5])], ["received", number(own[6])]]),
      el("div", { class: "ports" }, el("table", {},
        el("caption", {}, at() ? `Cables, ${QUANTITIES[quantity].name.toLowerCase()} out and in` : "Cables"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "port"), el("th", { scope: "col" }, "to"),
          at() && ["out", "in"].map((way) => el("th", { scope: "col", class: "num" }, way)))),
        el("tbody", {}, rows))),
    ];
  }

  function hotList(key, title) {
    const most = at()[key].map((x, channel) => [x ?? 0, channel]).filter(([x]) => x > 0)
      .sort((x, y) => y[0] - x[0] || x[1] - y[1]).slice(0, 8);
    return [el("h3", {}, title), el("ol", { class: "hot" }, most.map(([x, channel]) => {
      const [from, to] = ends(channel);
      return el("li", {}, el("button", { type: "button", onclick: () => choose({ link: channel >> 1 }, true) },
        el("bdi", {}, `${from} → ${to}`), el("span", { class: "soft" }, shown(x, key))));
    })), most.length === 0 && el("p", { class: "soft" }, "None.")];
  }

  function panel() {
    const parts = [];
    if (chosen !== null) {
      const isNode = chosen.node !== undefined;
      const title = isNode ? withId(chosen.node) : "Cable";
      parts.push(el("div", { class: "panel", "aria-live": "polite" },
        el("h3", {}, el("bdi", {}, title), el("button", { type: "button", onclick: () => choose(null) }, "Close")),
        isNode ? nodePanel(chosen.node) : cablePanel(chosen.link)));
    }
    if (at()) parts.push(hotList("busy", "Busiest"), hotList("blocked", "Most blocked"));
    side.replaceChildren(...parts.flat(Infinity).filter(Boolean));
  }

  function choose(what, moves = false) {
    chosen = what;
    for (const marked of world.querySelectorAll(".chosen, .near")) marked.classList.remove("chosen", "near");
    world.classList.toggle("faded", chosen !== null);
    if (chosen?.node !== undefined) {
      nodes[chosen.node].classList.add("chosen");
      for (const [, link, other] of cabling[chosen.node]) {
        cables[link].classList.add("near");
        nodes[other].classList.add("near");
      }
      if (moves) show([nodes[chosen.node], ...cabling[chosen.node].map(([, , other]) => nodes[other])]);
    } else if (chosen !== null) {
      cables[chosen.link].classList.add("chosen");
      const [a, , b] = data.links[chosen.link];
      nodes[a].classList.add("near");
      nodes[b].classList.add("near");
      if (moves) show([cables[chosen.link], nodes[a], nodes[b]]);
    }
    panel();
  }

  // --- zoom and pan: the world moves under a viewBox that stays -------------------------------------------------------

  const sheet = svg.viewBox.baseVal;
  const view = { x: 0, y: 0, scale: 1 };
  const MOST = 12;

  function place() {
    const slack = 0.8;
    const [w, h] = [sheet.width, sheet.height];
    view.x = Math.min(w * slack, Math.max(view.x, w - w * view.scale - w * slack));
    view.y = Math.min(h * slack, Math.max(view.y, h - h * view.scale - h * slack));
    world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  }

  // A place of the window, on the sheet.
  function onSheet(x, y) {
    const matrix = svg.getScreenCTM();
    return matrix === null ? { x: 0, y: 0 } : new DOMPoint(x, y).matrixTransform(matrix.inverse());
  }

  function zoom(factor, x = sheet.width / 2, y = sheet.height / 2) {
    const scale = Math.min(MOST, Math.max(1, view.scale * factor));
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    if (scale === 1) view.x = view.y = 0;
    place();
  }

  function fit() {
    Object.assign(view, { x: 0, y: 0, scale: 1 });
    place();
  }

  // Brings elements into sight together, as large as they can be read well.
  function show(elements) {
    const boxes = elements.map((element) => element.getBBox());
    const [left, top] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    const pixels = svg.getScreenCTM()?.a ?? 1;
    const fits = 0.85 * Math.min(sheet.width / (right - left), sheet.height / (bottom - top));
    view.scale = Math.min(MOST, Math.max(1, Math.min(fits, 1.1 / pixels)));
    view.x = sheet.width / 2 - ((left + right) / 2) * view.scale;
    view.y = sheet.height / 2 - ((top + bottom) / 2) * view.scale;
    if (view.scale === 1) view.x = view.y = 0;
    place();
  }

  svg.addEventListener("wheel", (event) => {
    // Out of the whole drawing the wheel scrolls the page as usual.
    if (view.scale === 1 && event.deltaY > 0) return;
    event.preventDefault();
    const { x, y } = onSheet(event.clientX, event.clientY);
    zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.0015)), x, y);
    simnet.tip();
  }, { passive: false });

  const pointers = new Map();
  let moved = 0;
  svg.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, onSheet(event.clientX, event.clientY));
    if (pointers.size === 1) moved = 0;
  });
  svg.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return hover(event);
    const now = onSheet(event.clientX, event.clientY);
    moved += Math.hypot(now.x - before.x, now.y - before.y) * (svg.getScreenCTM()?.a ?? 1);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.max(1, Math.hypot(p.x - other.x, p.y - other.y));
      zoom(apart(now) / apart(before), (now.x + other.x) / 2, (now.y + other.y) / 2);
    } else if (moved > 4) {
      if (!svg.hasPointerCapture(event.pointerId)) svg.setPointerCapture(event.pointerId);
      svg.classList.add("dragged");
      simnet.tip();
      view.x += now.x - before.x;
      view.y += now.y - before.y;
      place();
    }
    pointers.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    svg.addEventListener(end, (event) => {
      pointers.delete(event.pointerId);
      svg.classList.remove("dragged");
      if (end === "pointerleave") simnet.tip();
    });
  }

  // --- pointing, choosing, keys -------------------------------------------------------------------------------------

  function pointedAt(target) {
    const node = target.closest?.(".node");
    if (node) return { node: Number(node.dataset.node) };
    const cable = target.closest?.(".cable");
    return cable ? { link: Number(cable.dataset.link) } : null;
  }

  function words(what) {
    return what.node !== undefined ? aboutNode(what.node) : aboutCable(what.link);
  }

  function hover(event) {
    const what = pointedAt(event.target);
    if (what === null) simnet.tip();
    else simnet.tip(event.clientX, event.clientY - 6, words(what));
  }

  svg.addEventListener("click", (event) => {
    if (moved > 4) return;
    const what = pointedAt(event.target);
    choose(what);
    if (what !== null) simnet.tip(event.clientX, event.clientY - 6, words(what));
  });

  // One node at a time is in the order of the keys; arrows go to its neighbour in that direction.
  let current = 0;
  const middle = nodes.map((node) => {
    const shape = node.firstElementChild;
    const get = (name) => Number(shape.getAttribute(name));
    return shape.tagName === "rect" ? [get("x") + get("width") / 2, get("y") + get("height") / 2] : [get("cx"), get("cy")];
  });
  nodes.forEach((node, nth) => {
    node.setAttribute("role", "button");
    node.setAttribute("aria-label", aboutNode(nth).split("\n").slice(0, 2).join(", "));
    node.setAttribute("tabindex", nth === 0 ? "0" : "-1");
    node.addEventListener("focus", () => {
      nodes[current].setAttribute("tabindex", "-1");
      current = nth;
      node.setAttribute("tabindex", "0");
      const place = node.getBoundingClientRect();
      if (node.matches(":focus-visible")) simnet.tip(place.left + place.width / 2, place.top, aboutNode(nth));
    });
    node.addEventListener("blur", () => simnet.tip());
  });

  function neighbour(dx, dy) {
    const [x, y] = middle[current];
    let best = null;
    middle.forEach(([u, v], nth) => {
      const along = (u - x) * dx + (v - y) * dy;
      const aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
      if (nth === current || along <= 0.5) return;
      const cost = along + 3 * aside;
      if (best === null || cost < best[0]) best = [cost, nth];
    });
    return best?.[1] ?? null;
  }

  const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    if (arrow && event.shiftKey) {
      view.x -= arrow[0] * sheet.width * 0.1;
      view.y -= arrow[1] * sheet.height * 0.1;
      place();
    } else if (arrow) {
      const next = neighbour(...arrow);
      if (next !== null) nodes[next].focus();
    } else if (event.key === "+" || event.key === "=") zoom(1.3);
    else if (event.key === "-") zoom(1 / 1.3);
    else if (event.key === "0") fit();
    else if (event.key === "Enter" || event.key === " ") choose(pointedAt(event.target));
    else if (event.key === "Escape" && chosen !== null) choose(null);
    else return;
    event.preventDefault();
  });

  // --- controls -----------------------------------------------------------------------------------------------------

  if (data.loads.length > 0) {
    const buttons = QUANTITIES.map(({ name, about }, nth) => el("button", {
      type: "button", "aria-pressed": String(nth === quantity), title: "Colour cables by " + about,
      onclick: () => {
        quantity = nth;
        buttons.forEach((button, own) => button.setAttribute("aria-pressed", String(own === nth)));
        colour();
        panel();
      },
    }, name));
    tools.append(el("span", { class: "group", role: "group", "aria-label": "Colour cables by" }, buttons));
  }
  if (data.loads.length > 1) {
    const told = el("output", {}, data.loads[load].load);
    const range = el("input", {
      type: "range", min: 0, max: data.loads.length - 1, step: 1, value: load, "aria-label": "Load",
      "aria-valuetext": data.loads[load].load,
      oninput: () => {
        load = Number(range.value);
        told.textContent = at().load;
        range.setAttribute("aria-valuetext", at().load);
        colour();
        panel();
      },
    });
    tools.append(el("label", {}, "Load", range, told));
  }
  const list = el("datalist", { id: "network-names" }, data.names.slice(0, 2000).map((name) => el("option", { value: name })));
  const search = el("input", {
    type: "search", placeholder: "Find a node", "aria-label": "Find a node", list: "network-names", autocomplete: "off",
    oninput: find, onchange: find,
  });
  const answer = el("span", { class: "soft", "aria-live": "polite" });
  tools.append(search, list, answer);

  function find() {
    const wanted = search.value.trim().toLowerCase();
    for (const found of world.querySelectorAll(".found")) found.classList.remove("found");
    answer.textContent = "";
    if (wanted === "") return;
    const names = data.names.map((name, nth) => [name.toLowerCase(), nth, ids[nth].toLowerCase()]);
    const exact = names.find(([name, , id]) => name === wanted || id === wanted);
    const hits = exact ? [exact] : names.filter(([name, , id]) => name.includes(wanted) || id.includes(wanted));
    hits.forEach(([, nth]) => nodes[nth].classList.add("found"));
    if (hits.length === 1) choose({ node: hits[0][1] }, true);
    else answer.textContent = hits.length === 0 ? "no such node" : `${hits.length} nodes`;
  }

  const zoomButton = (text, label, run) => el("button", { type: "button", "aria-label": label, title: label, onclick: run }, text);
  svg.parentElement.append(el("div", { class: "zoom" }, zoomButton("+", "Zoom in", () => zoom(1.4)),
    zoomButton("−", "Zoom out", () => zoom(1 / 1.4)), zoomButton("⤢", "Show all", fit)));

  // `#network/C1.0:3` or `#network/C1.0` chooses a cable or a node.
  function go(detail) {
    const node = Math.max(data.names.indexOf(detail), ids.indexOf(detail));
    if (node >= 0) return choose({ node }, true);
    const isAt = (end, port) => portName(end, port) === detail || `${ids[end]}:${port}` === detail;
    const link = data.links.findIndex(([a, ap, b, bp]) => isAt(a, ap) || isAt(b, bp));
    if (link >= 0) choose({ link }, true);
  }
  root.addEventListener("simnet:go", (event) => go(event.detail));

  colour();
  panel();
});
