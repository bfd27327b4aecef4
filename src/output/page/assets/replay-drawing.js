"use strict";
/* The pictures of the replay: where things stand, and how they are painted on a canvas.
 *
 *      switch a                                              switch b
 *     (  port )--- lane: the cable, flits on it ---[ buffer ]( port  )      one lane a direction, on the right
 *        ^ STOP is shown here, at the sender        ^ fills from its front, at the switch
 *
 * The scenery (cables, empty buffers, nodes) is painted once a view into a picture of its own; every frame paints that
 * and then only what is in the network now, at most `MOST_SPANS` pieces.
 */
simnet.replay.Drawing = (() => {
  const { IN, OUT, WAITING, THERE } = simnet.replay;
  const MOST_SPANS = 4000;
  const GAP = 8.5; // from the middle of a cable to each of its lanes
  const LANE = 6; // how wide flits on a cable are
  const TUBE = 13; // how wide a buffer is
  const TUBE_LENGTH = 80;
  const PARALLEL = 38; // from one cable to the next between the same two nodes
  const EDGE = 8; // pixels left free above and below a network that is shown whole
  const SIDE = 24; // and at its sides, where names stand out
  const CORNER = [150, 48]; // what the buttons in the upper right corner take, in pixels
  const LETTER = 5.8; // how wide a letter of a name is at its smallest, in pixels
  const NAMED = 2000; // of more nodes names are shown where a viewer comes close
  const HUES = ["--c6", "--c7", "--c4", "--c8", "--c3", "--c2", "--c5", "#8d6cd9"]; // names of colours, and one more

  // --- lines ------------------------------------------------------------------------------------------------------

  /** A line of points with its length up to each. */
  class Line {
    constructor(points) {
      this.points = points;
      this.upTo = [0];
      for (let nth = 1; nth < points.length; nth++) {
        const [[x0, y0], [x1, y1]] = [points[nth - 1], points[nth]];
        this.upTo.push(this.upTo[nth - 1] + Math.hypot(x1 - x0, y1 - y0));
      }
      this.length = this.upTo[this.upTo.length - 1];
    }

    /** The point so far along it, and the direction there. */
    at(along) {
      const place = Math.min(Math.max(along, 0), this.length);
      let nth = 1;
      while (nth < this.points.length - 1 && this.upTo[nth] < place) nth++;
      const [[x0, y0], [x1, y1]] = [this.points[nth - 1], this.points[nth]];
      const step = this.upTo[nth] - this.upTo[nth - 1] || 1;
      const share = (place - this.upTo[nth - 1]) / step;
      return [x0 + (x1 - x0) * share, y0 + (y1 - y0) * share, (x1 - x0) / step, (y1 - y0) / step];
    }

    /** Adds the part between two lengths to the canvas's path. */
    trace(canvas, from, to, joined = false) {
      const [x, y] = this.at(from);
      if (joined) canvas.lineTo(x, y);
      else canvas.moveTo(x, y);
      for (let nth = 1; nth < this.points.length - 1; nth++) {
        if (this.upTo[nth] > from && this.upTo[nth] < to) canvas.lineTo(...this.points[nth]);
      }
      const [endX, endY] = this.at(to);
      canvas.lineTo(endX, endY);
    }

    /** The same line so far to its right. */
    aside(distance) {
      const count = this.points.length;
      return new Line(this.points.map(([x, y], nth) => {
        const [[x0, y0], [x1, y1]] = [this.points[Math.max(0, nth - 1)], this.points[Math.min(count - 1, nth + 1)]];
        const length = Math.hypot(x1 - x0, y1 - y0) || 1;
        return [x - ((y1 - y0) / length) * distance, y + ((x1 - x0) / length) * distance];
      }));
    }

    reversed() {
      return new Line([...this.points].reverse());
    }

    /** How far a point is from it, at most as far as matters. */
    distance(x, y) {
      let least = Infinity;
      for (let nth = 1; nth < this.points.length; nth++) {
        const [[x0, y0], [x1, y1]] = [this.points[nth - 1], this.points[nth]];
        const [dx, dy] = [x1 - x0, y1 - y0];
        const share = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy || 1)));
        least = Math.min(least, Math.hypot(x - x0 - share * dx, y - y0 - share * dy));
      }
      return least;
    }
  }

  function curve(from, through, to, steps) {
    const points = [];
    for (let step = 0; step <= steps; step++) {
      const t = step / steps;
      const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t * t];
      points.push([a * from[0] + b * through[0] + c * to[0], a * from[1] + b * through[1] + c * to[1]]);
    }
    return points;
  }

  // --- the scenery ------------------------------------------------------------------------------------------------

  /** Where all nodes, lanes and buffers are. */
  class Scenery {
    constructor(network) {
      this.network = network;
      const ports = new Array(network.names.length).fill(0);
      for (const [a, , b] of network.links) {
        ports[a] += 1;
        ports[b] += 1;
      }
      this.nodes = network.names.map((name, node) => {
        const isHost = network.hosts[node] === 1;
        const [x, y] = network.at[node];
        return { name, isHost, x, y, radius: isHost ? 14 : 30 + Math.min(14, ports[node]), away: [0, -1] };
      });
      measureRoom(this.nodes);
      const together = new Map(); // "a b" -> links between them
      network.links.forEach(([a, , b], link) => {
        const key = Math.min(a, b) + " " + Math.max(a, b);
        together.set(key, [...(together.get(key) ?? []), link]);
      });
      this.lanes = new Array(2 * network.links.length);
      for (const links of together.values()) {
        links.forEach((link, nth) => this.lay(link, (nth - (links.length - 1) / 2) * PARALLEL, nth));
      }
      this.box = this.bounds();
    }

    // Lays the two lanes of a cable, so far to the side of the straight way.
    lay(link, aside, nth) {
      const [a, , b] = this.network.links[link];
      const [from, to] = [this.nodes[a], this.nodes[b]];
      let line;
      if (a === b) {
        // A loop, away from the middle of the drawing.
        const turn = Math.atan2(from.y, from.x || 1e-9) + nth * 0.9;
        const end = (angle, out) => [from.x + out * Math.cos(turn + angle), from.y + out * Math.sin(turn + angle)];
        line = new Line([
          ...curve(end(-0.5, from.radius), end(-0.75, from.radius + 90), end(0, from.radius + 95), 10),
          ...curve(end(0, from.radius + 95), end(0.75, from.radius + 90), end(0.5, from.radius), 10).slice(1),
        ]);
      } else {
        // Which of the two ends a file names first must not matter for the side.
        const sign = a < b ? 1 : -1;
        const isBeyond = aside !== 0 && Math.abs(aside) + GAP > Math.min(from.radius, to.radius);
        line = isBeyond ? this.bow(from, to, sign * aside) : this.way(from, to).aside(sign * aside);
      }
      this.lanes[2 * link] = this.lane(line.aside(GAP), to);
      this.lanes[2 * link + 1] = this.lane(line.reversed().aside(GAP), from);
      if (from.isHost) from.away = [(from.x - to.x) / line.length, (from.y - to.y) / line.length];
      if (to.isHost) to.away = [(to.x - from.x) / line.length, (to.y - from.y) / line.length];
    }

    way(from, to) {
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
      const [start, end] = [
        [from.x + dx * from.radius, from.y + dy * from.radius], [to.x - dx * to.radius, to.y - dy * to.radius],
      ];
      // A cable within a row passes below what stands between its ends.
      const isOver = !from.isHost && !to.isHost && Math.abs(dy) < 0.02 && length > 200 && this.isBetween(from, to);
      if (!isOver) return new Line([start, end]);
      const depth = 40 + length * 0.14;
      return new Line(curve([from.x + dx * 8, from.y + from.radius * 0.9], [(from.x + to.x) / 2, from.y + 2 * depth],
        [to.x - dx * 8, to.y + to.radius * 0.9], 16));
    }

    // Of many cables between two nodes the outer ones bow out, so that all begin and end at the nodes.
    bow(from, to, aside) {
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
      const through = [(from.x + to.x) / 2 - dy * aside * 1.6, (from.y + to.y) / 2 + dx * aside * 1.6];
      const edge = ({ x, y, radius }) => {
        const away = Math.hypot(through[0] - x, through[1] - y) || 1;
        return [x + ((through[0] - x) / away) * radius, y + ((through[1] - y) / away) * radius];
      };
      return new Line(curve(edge(from), through, edge(to), 16));
    }

    isBetween(from, to) {
      const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
      return this.nodes.some((node) => node !== from && node !== to && Math.abs(node.y - from.y) < 20 &&
        node.x > left && node.x < right);
    }

    lane(line, to) {
      const tube = to.isHost ? Math.min(26, line.length * 0.3) : Math.min(TUBE_LENGTH, line.length * 0.55);
      const xs = line.points.map(([x]) => x);
      const ys = line.points.map(([, y]) => y);
      const box = [Math.min(...xs) - 20, Math.min(...ys) - 20, Math.max(...xs) + 20, Math.max(...ys) + 20];
      return { line, tube, cable: line.length - tube, box };
    }

    bounds() {
      const boxes = [...this.nodes.map(({ x, y, radius, isHost, away }) => {
        const label = isHost ? 46 : 12;
        return [x - radius - Math.max(8, -away[0] * label), y - radius - Math.max(8, -away[1] * label),
          x + radius + Math.max(8, away[0] * label), y + radius + Math.max(8, away[1] * label)];
      }), ...this.lanes.map((lane) => lane.box)];
      const least = (nth) => boxes.reduce((least, box) => Math.min(least, box[nth]), Infinity);
      const most = (nth) => boxes.reduce((most, box) => Math.max(most, box[nth]), -Infinity);
      return [least(0), least(1), most(2), most(3)];
    }

    /** The way through a switch from the end of an input's buffer to the beginning of an output's lane. */
    crossing(input, output) {
      const from = this.lanes[input ^ 1];
      const to = this.lanes[output];
      const node = this.nodes[this.nodeOf(output)];
      const [x0, y0] = from.line.at(from.line.length);
      const [x1, y1] = to.line.at(0);
      // Through the middle, the more the farther apart the two are.
      const middle = [(x0 + x1) / 2, (y0 + y1) / 2];
      return new Line(curve([x0, y0], [(middle[0] + node.x) / 2, (middle[1] + node.y) / 2], [x1, y1], 8));
    }

    nodeOf(place) {
      const [a, , b] = this.network.links[place >> 1];
      return place % 2 === 0 ? a : b;
    }
  }

  /** How far each node is from the next one of its kind; for very many, as if they were dense. */
  function measureRoom(nodes) {
    for (const node of nodes) {
      node.room = nodes.length > NAMED ? 60 : 400;
      if (nodes.length > NAMED) continue;
      for (const other of nodes) {
        if (other !== node && other.isHost === node.isHost) node.room = Math.min(node.room, Math.hypot(other.x - node.x, other.y - node.y));
      }
    }
  }

  // --- the painter ------------------------------------------------------------------------------------------------

  class Drawing {
    constructor(canvas, network, { stop, buffer }) {
      this.canvas = canvas;
      this.paper = canvas.getContext("2d");
      this.backdrop = document.createElement("canvas");
      this.scenery = new Scenery(network);
      this.stop = stop;
      this.buffer = Math.max(1, buffer);
      this.spans = 0;
      this.left = 0; // pieces that were left out of the last frame
      this.view = { scale: 1, x: 0, y: 0 };
      this.fitted = true;
      this.flashes = [];
      this.readColours();
    }

    readColours() {
      const named = (name) => (name.startsWith("--") ? simnet.colour(name) : name);
      this.colours = {
        ink: named("--ink"), soft: named("--soft"), line: named("--line"), paper: named("--paper"),
        raised: named("--raised"), bad: named("--bad"), warn: named("--warn"), good: named("--good"), accent: named("--accent"),
        hues: HUES.map(named),
      };
      this.isStale = true;
    }

    hue(worm) {
      return worm < 0 ? this.colours.soft : this.colours.hues[worm % this.colours.hues.length];
    }

    // --- the view -------------------------------------------------------------------------------------------------

    /** Takes the size of its element; whether that has changed. */
    resize() {
      const { width, height } = this.canvas.getBoundingClientRect();
      const ratio = Math.min(3, devicePixelRatio || 1);
      const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
      if (wide === this.canvas.width && high === this.canvas.height) return false;
      [this.canvas.width, this.canvas.height] = [wide, high];
      [this.backdrop.width, this.backdrop.height] = [wide, high];
      [this.width, this.height, this.ratio] = [width, height, ratio];
      if (this.fitted) this.fit();
      this.isStale = true;
      return true;
    }

    /** Shows all of the network. */
    fit() {
      this.fitBelow(EDGE);
      // The buttons in the corner lie over nothing.
      const { scale, x, y } = this.view;
      const isCovered = ({ x: nodeX, y: nodeY, radius }) =>
        (nodeX + radius) * scale + x > this.width - CORNER[0] && (nodeY - radius) * scale + y < CORNER[1];
      if (this.scenery.nodes.some(isCovered)) this.fitBelow(CORNER[1] + EDGE);
      this.least = this.view.scale * 0.5;
      this.fitted = true;
      this.isStale = true;
    }

    fitBelow(above) {
      const [left, top, right, bottom] = this.scenery.box;
      const [wide, high] = [this.width - 2 * SIDE, this.height - above - EDGE];
      const scale = Math.min(wide / (right - left), high / (bottom - top), 1.6);
      this.view = { scale, x: this.width / 2 - ((left + right) / 2) * scale, y: above + high / 2 - ((top + bottom) / 2) * scale };
    }

    zoom(factor, x = this.width / 2, y = this.height / 2) {
      const { view } = this;
      const scale = Math.min(6, Math.max(this.least, view.scale * factor));
      const share = scale / view.scale;
      this.view = { scale, x: x - (x - view.x) * share, y: y - (y - view.y) * share };
      this.fitted = false;
      this.isStale = true;
    }

    pan(dx, dy) {
      this.view = { ...this.view, x: this.view.x + dx, y: this.view.y + dy };
      this.fitted = false;
      this.isStale = true;
    }

    /** Moves the view so that a place can be seen, if it cannot. */
    reveal(place) {
      const lane = this.scenery.lanes[place];
      if (lane === undefined || this.isSeen(lane.box)) return;
      const [x, y] = lane.line.at(lane.line.length / 2);
      this.pan(this.width / 2 - (x * this.view.scale + this.view.x), this.height / 2 - (y * this.view.scale + this.view.y));
    }

    isSeen([left, top, right, bottom]) {
      const { scale, x, y } = this.view;
      return right * scale + x > 0 && left * scale + x < this.width && bottom * scale + y > 0 && top * scale + y < this.height;
    }

    inWorld(x, y) {
      return [(x - this.view.x) / this.view.scale, (y - this.view.y) / this.view.scale];
    }

    aim(paper) {
      const { scale, x, y } = this.view;
      paper.setTransform(this.ratio * scale, 0, 0, this.ratio * scale, this.ratio * x, this.ratio * y);
    }

    // At least so many pixels wide, however far away.
    wide(width, pixels = 1) {
      return Math.max(width, pixels / this.view.scale);
    }

    // --- the scenery, once a view ---------------------------------------------------------------------------------

    paintBackdrop(model) {
      const paper = this.backdrop.getContext("2d");
      const { colours, scenery } = this;
      paper.setTransform(1, 0, 0, 1, 0, 0);
      paper.clearRect(0, 0, this.backdrop.width, this.backdrop.height);
      this.aim(paper);
      paper.lineCap = "butt";
      for (const [place, lane] of scenery.lanes.entries()) {
        if (!this.isSeen(lane.box)) continue;
        const far = place ^ 1;
        const isDown = model.down.has(place >> 1);
        const { line } = lane;
        const hasTube = model.log.isBuffer(far) || (!model.log.isOfFrames && !scenery.nodes[scenery.nodeOf(far)].isHost);
        paper.beginPath();
        line.trace(paper, 0, hasTube ? lane.cable : line.length);
        paper.strokeStyle = colours.line;
        paper.lineWidth = this.wide(1.5, 0.7);
        paper.setLineDash(isDown ? [4, 6] : []);
        paper.stroke();
        paper.setLineDash([]);
        if (hasTube) this.paintTube(paper, lane);
        if (isDown) this.paintCut(paper, line);
      }
      scenery.nodes.forEach((node) => this.paintNode(paper, node));
      this.paintPorts(paper);
      this.isStale = false;
      this.shownDown = [...model.down].join();
    }

    paintTube(paper, lane) {
      const { line, tube, cable } = lane;
      const { colours } = this;
      paper.beginPath();
      line.trace(paper, cable, line.length);
      paper.lineWidth = this.wide(TUBE + 2, 1.6);
      paper.strokeStyle = colours.line;
      paper.stroke();
      paper.lineWidth = this.wide(TUBE, 1);
      paper.strokeStyle = colours.raised;
      paper.stroke();
      if (this.stop > 0 && this.stop < this.buffer && this.view.scale > 0.45) {
        // From this mark on the port sends STOP.
        const [x, y, dx, dy] = line.at(line.length - (this.stop / this.buffer) * tube);
        paper.beginPath();
        paper.moveTo(x - dy * TUBE * 0.5, y + dx * TUBE * 0.5);
        paper.lineTo(x + dy * TUBE * 0.5, y - dx * TUBE * 0.5);
        paper.lineWidth = 1;
        paper.strokeStyle = colours.soft;
        paper.stroke();
      }
    }

    paintCut(paper, line) {
      const [x, y] = line.at(line.length * 0.35);
      paper.beginPath();
      for (const [dx, dy] of [[1, 1], [1, -1]]) {
        paper.moveTo(x - 5 * dx, y - 5 * dy);
        paper.lineTo(x + 5 * dx, y + 5 * dy);
      }
      paper.strokeStyle = this.colours.bad;
      paper.lineWidth = 2.5;
      paper.stroke();
    }

    paintNode(paper, node) {
      const { x, y, radius, isHost } = node;
      const { colours } = this;
      if (!this.isSeen([x - 80, y - 80, x + 80, y + 80])) return;
      paper.beginPath();
      if (isHost) paper.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, 5);
      else paper.arc(x, y, radius, 0, 2 * Math.PI);
      paper.fillStyle = colours.paper;
      paper.fill();
      paper.lineWidth = this.wide(1.5, 0.8);
      paper.strokeStyle = colours.soft;
      paper.stroke();
      if (isHost) this.hostName(paper, node);
    }

    // The numbers of ports, inside their switches, where there is room for them.
    paintPorts(paper) {
      const { scenery, colours, view } = this;
      if (view.scale < 0.85) return;
      paper.font = "10px system-ui, sans-serif";
      paper.textAlign = "center";
      paper.textBaseline = "middle";
      paper.fillStyle = colours.soft;
      scenery.lanes.forEach((lane, place) => {
        const node = scenery.nodes[scenery.nodeOf(place)];
        if (node.isHost || !this.isSeen(lane.box)) return;
        const [x, y] = lane.line.at(0);
        const [backX, backY] = scenery.lanes[place ^ 1].line.at(scenery.lanes[place ^ 1].line.length);
        const [middleX, middleY] = [(x + backX) / 2, (y + backY) / 2];
        const share = 1 - 9 / (Math.hypot(middleX - node.x, middleY - node.y) || 1);
        const port = scenery.network.links[place >> 1][place % 2 === 0 ? 1 : 3];
        paper.fillText(String(port), node.x + (middleX - node.x) * share, node.y + (middleY - node.y) * share);
      });
    }

    // Whether a name has room beside those of the next nodes of its kind.
    hasRoom({ name, room, away, isHost }, most) {
      const letters = Math.min(name.length, most);
      const needed = isHost && Math.abs(away[0]) > 0.5 ? 12 : letters * LETTER + 2;
      return room * this.view.scale > needed;
    }

    hostName(paper, node) {
      const { x, y, radius, away, name } = node;
      if (!this.hasRoom(node, 9)) return;
      const size = Math.max(12, 10 / this.view.scale);
      paper.font = `${size}px system-ui, sans-serif`;
      paper.fillStyle = this.colours.soft;
      paper.textAlign = away[0] > 0.5 ? "left" : away[0] < -0.5 ? "right" : "center";
      paper.textBaseline = "middle";
      const out = radius + 6 + (Math.abs(away[0]) > 0.5 ? 0 : size * 0.5);
      paper.fillText(shortened(name, 9), x + away[0] * out, y + away[1] * out);
    }

    // --- a frame --------------------------------------------------------------------------------------------------

    /** Paints the state of `model` at `time`. `marked`: {follow, deadlocks: [[members]], wall: milliseconds}. */
    paint(model, time, marked) {
      this.resize();
      if (this.isStale || this.shownDown !== [...model.down].join()) this.paintBackdrop(model);
      const { paper, scenery } = this;
      paper.setTransform(1, 0, 0, 1, 0, 0);
      paper.clearRect(0, 0, this.canvas.width, this.canvas.height);
      paper.drawImage(this.backdrop, 0, 0);
      this.aim(paper);
      Object.assign(this, { spans: 0, left: 0, heads: [], model, time, marked });
      paper.lineCap = "butt";
      paper.lineJoin = "round";
      for (const members of marked.deadlocks) this.paintRing(members);
      for (let place = 0; place < scenery.lanes.length; place++) {
        if (!this.isActive(place) || !this.isSeen(scenery.lanes[place].box)) continue;
        if (this.spans >= MOST_SPANS) this.left += 1;
        else this.paintLane(place);
      }
      for (const worm of model.trail.keys()) {
        if (this.spans >= MOST_SPANS) break;
        if (this.isEaten(worm)) continue;
        if (model.mode[worm] === WAITING) this.paintWaiting(worm);
        this.paintHead(worm);
      }
      for (const [nth, members] of marked.deadlocks.entries()) this.paintBadges(members, nth);
      this.paintFlashes();
      this.paintNames();
    }

    isActive(place) {
      const { model } = this;
      const isTail = model.tail[place] >= 0 && this.time < model.tailAt[place] + model.log.cycle + model.log.delay[place];
      return isTail || model.owner[place] >= 0 || model.queue[place ^ 1] !== null ||
        model.occupancy[place ^ 1] > 0 || model.stopped[place ^ 1] === 1 || model.frames.has(place);
    }

    // One direction of a cable: who holds it, what is on it, what is in the buffer at its end.
    paintLane(place) {
      const { model, time, paper, scenery } = this;
      const lane = scenery.lanes[place];
      const { line } = lane;
      const far = place ^ 1;
      const isHost = scenery.nodes[scenery.nodeOf(far)].isHost;
      const reach = isHost && !model.log.isBuffer(far) ? line.length : lane.cable;
      const owner = model.owner[place];
      if (owner >= 0) {
        // Held, whether or not flits are on it.
        this.stroke(line, 0, reach, owner, this.wide(2, 1), 0.55);
        const input = model.ownerIn[place];
        if (input !== place && input >= 0 && (input ^ 1) < scenery.lanes.length) {
          const crossing = scenery.crossing(input, place);
          this.stroke(crossing, 0, crossing.length, owner, this.wide(LANE, 1.4), 1);
        }
      }
      for (const [worm, from, to] of model.onCable(place, time)) {
        this.stroke(line, from * reach, to * reach, worm, this.wide(LANE, 1.6), 1);
      }
      for (const [source, , , since, until] of model.frames.get(place) ?? []) this.paintFrame(lane, source, since, until);
      if (model.isBusy(far)) this.paintBuffer(far, lane);
      if (model.stopped[far] === 1 && time >= model.stopAt[far]) this.paintStop(line);
    }

    stroke(line, from, to, worm, width, alpha) {
      if (to - from <= 0) return;
      const { paper } = this;
      paper.globalAlpha = alpha * this.strength(worm);
      paper.beginPath();
      line.trace(paper, from, to);
      paper.lineWidth = width;
      paper.strokeStyle = this.hue(worm);
      paper.stroke();
      paper.globalAlpha = 1;
      this.spans += 1;
    }

    strength(worm) {
      const { follow } = this.marked;
      return follow < 0 || follow === worm ? 1 : 0.16;
    }

    paintBuffer(place, lane) {
      const { model, time } = this;
      const perFlit = lane.tube / this.buffer;
      const width = this.wide(TUBE, 2);
      let front = lane.line.length;
      const worms = model.wormsAt(place, time);
      const unknown = worms.length === 0 ? model.flitsAt(place, time) : 0;
      if (unknown > 0) worms.push([-1, unknown]);
      for (const [worm, flits] of worms) {
        const back = Math.max(lane.cable, front - flits * perFlit);
        this.stroke(lane.line, back, front, worm, width, 0.95);
        if (front < lane.line.length && front > lane.cable) this.paintCutBetween(lane.line, front);
        // Its tail is here if nobody upstream still sends it.
        if (worm >= 0 && flits > 0.5 && model.owner[place ^ 1] !== worm) this.paintTail(lane.line, back, worm);
        front = back;
      }
    }

    paintCutBetween(line, along) {
      const [x, y, dx, dy] = line.at(along);
      this.bar(x, y, dx, dy, TUBE, 1.5, this.colours.paper);
    }

    // The end of a worm: a bar across.
    paintTail(line, along, worm) {
      if (this.view.scale < 0.3) return;
      const [x, y, dx, dy] = line.at(along);
      this.paper.globalAlpha = this.strength(worm);
      this.bar(x, y, dx, dy, TUBE + 5, 2.5, this.hue(worm));
      this.paper.globalAlpha = 1;
    }

    bar(x, y, dx, dy, length, width, colour) {
      const { paper } = this;
      paper.beginPath();
      paper.moveTo(x - dy * length * 0.5, y + dx * length * 0.5);
      paper.lineTo(x + dy * length * 0.5, y - dx * length * 0.5);
      paper.lineWidth = width;
      paper.strokeStyle = colour;
      paper.stroke();
      this.spans += 1;
    }

    // STOP stands at the channel's sender, as a lamp with a bar.
    paintStop(line) {
      const { paper, colours } = this;
      const [x, y] = line.at(Math.min(10, line.length * 0.12));
      const radius = this.wide(7.5, 2.2);
      paper.beginPath();
      paper.arc(x, y, radius, 0, 2 * Math.PI);
      paper.fillStyle = colours.bad;
      paper.fill();
      if (this.view.scale > 0.5) {
        paper.lineWidth = 1.2;
        paper.strokeStyle = colours.paper;
        paper.stroke();
        paper.fillStyle = colours.paper;
        paper.fillRect(x - radius * 0.6, y - 1.4, radius * 1.2, 2.8);
      }
      this.spans += 1;
    }

    // A frame, in the colour of its sender: as much of the cable as it has done of its way, then an arrow.
    paintFrame({ line }, source, since, until) {
      const share = Math.min(1, Math.max(0, (this.time - since) / Math.max(1, until - since)));
      const front = line.length * Math.max(0.08, share);
      this.stroke(line, 0, front, source, this.wide(LANE, 1.6), 0.9);
      if (this.view.scale > 0.3) this.arrow(line.at(front), source);
    }

    // Whether the head of a worm that was destroyed is there no longer.
    isEaten(worm) {
      const { model, time } = this;
      if (model.hit[worm] === 0) return false;
      const place = model.head[worm];
      if (model.mode[worm] === OUT) return model.owner[place] !== worm;
      return !model.wormsAt(place, time).some(([other, flits]) => other === worm && flits >= 0.5);
    }

    // A head that waits: a dashed way to the output that it wants.
    paintWaiting(worm) {
      const { model, paper, scenery, colours } = this;
      const [input, output] = [model.head[worm], model.wants[worm]];
      if (output < 0 || output >= scenery.lanes.length || (input ^ 1) >= scenery.lanes.length) return;
      const crossing = scenery.crossing(input, output);
      const isStuck = this.marked.stuck.has(worm);
      paper.globalAlpha = this.strength(worm);
      paper.beginPath();
      crossing.trace(paper, 0, crossing.length);
      paper.setLineDash([3.5, 3.5]);
      paper.lineWidth = this.wide(2.2, 1);
      paper.strokeStyle = this.hue(worm);
      paper.stroke();
      paper.setLineDash([]);
      const [x, y] = crossing.at(crossing.length);
      paper.beginPath();
      paper.arc(x, y, this.wide(4.5, 1.6), 0, 2 * Math.PI);
      paper.lineWidth = this.wide(2, 1);
      paper.strokeStyle = isStuck ? colours.bad : colours.warn;
      paper.stroke();
      paper.globalAlpha = 1;
      this.spans += 2;
    }

    // The front of a worm: an arrow, where its first flit is.
    paintHead(worm) {
      const { model, scenery } = this;
      const place = model.head[worm];
      if (place < 0 || place >= scenery.lanes.length) return;
      const mode = model.mode[worm];
      let spot = null;
      if (mode === IN || mode === WAITING) {
        const lane = scenery.lanes[place ^ 1];
        spot = lane.line.at(lane.line.length - this.before(worm, place, lane) - 3);
      } else if (mode === OUT) {
        const lane = scenery.lanes[place];
        const isHost = scenery.nodes[scenery.nodeOf(place ^ 1)].isHost;
        const reach = isHost ? lane.line.length : lane.cable;
        const spans = model.onCable(place, this.time).filter(([other]) => other === worm);
        spot = lane.line.at(Math.max(2, ...spans.map(([, , to]) => to * reach)));
      } else if (mode === THERE) {
        return this.paintTaking(worm, place);
      }
      if (spot === null || !this.isSeen([spot[0] - 9, spot[1] - 9, spot[0] + 9, spot[1] + 9])) return;
      this.arrow(spot, worm);
      this.heads.push([worm, spot]);
    }

    // How much of the buffer is before a worm's head.
    before(worm, place, lane) {
      let flits = 0;
      for (const [other, count] of this.model.wormsAt(place, this.time)) {
        if (other === worm) break;
        flits += count;
      }
      return Math.min(lane.tube - 4, (flits * lane.tube) / this.buffer);
    }

    arrow([x, y, dx, dy], worm) {
      const { paper, colours } = this;
      const size = this.wide(8, 3);
      paper.globalAlpha = this.strength(worm);
      paper.beginPath();
      paper.moveTo(x + dx * size, y + dy * size);
      paper.lineTo(x - dx * size * 0.6 - dy * size * 0.8, y - dy * size * 0.6 + dx * size * 0.8);
      paper.lineTo(x - dx * size * 0.6 + dy * size * 0.8, y - dy * size * 0.6 - dx * size * 0.8);
      paper.closePath();
      paper.fillStyle = this.hue(worm);
      paper.fill();
      paper.lineWidth = this.wide(1.4, 0.6);
      paper.strokeStyle = colours.ink;
      paper.stroke();
      paper.globalAlpha = 1;
      this.spans += 1;
    }

    // A host that takes a worm is ringed in its colour.
    paintTaking(worm, place) {
      const { paper, scenery } = this;
      const { x, y, radius } = scenery.nodes[scenery.nodeOf(place)];
      paper.globalAlpha = this.strength(worm);
      paper.beginPath();
      paper.roundRect(x - radius, y - radius, 2 * radius, 2 * radius, 5);
      paper.lineWidth = this.wide(4, 1.6);
      paper.strokeStyle = this.hue(worm);
      paper.stroke();
      paper.globalAlpha = 1;
      this.spans += 1;
    }

    // --- deadlocks and resets -------------------------------------------------------------------------------------

    // The circle of waiting: a band below the worms, along what each holds and waits for.
    paintRing(members) {
      const { paper, colours, scenery } = this;
      paper.beginPath();
      for (const [nth, { input, output, holds }] of members.entries()) {
        if ((input ^ 1) >= scenery.lanes.length || output >= scenery.lanes.length) continue;
        const before = members[(nth + members.length - 1) % members.length];
        if (holds && !before.holds && before.output === output) {
          // Who waits for this output was drawn up to it: from there the circle goes on along the cable.
          const { line } = scenery.lanes[output];
          line.trace(paper, 0, line.length);
          continue;
        }
        const from = scenery.lanes[input ^ 1].line;
        from.trace(paper, from.length - scenery.lanes[input ^ 1].tube, from.length);
        const crossing = scenery.crossing(input, output);
        crossing.trace(paper, 0, crossing.length, true);
        if (holds) scenery.lanes[output].line.trace(paper, 0, scenery.lanes[output].line.length, true);
      }
      paper.lineCap = "round";
      paper.globalAlpha = 0.24;
      paper.lineWidth = this.wide(30, 7);
      paper.strokeStyle = colours.bad;
      paper.stroke();
      paper.globalAlpha = 0.9;
      paper.lineWidth = this.wide(1.6, 1);
      paper.setLineDash([2, 9]);
      paper.lineDashOffset = simnet.still() ? 0 : -(this.marked.wall / 45) % 11;
      paper.stroke();
      paper.setLineDash([]);
      paper.globalAlpha = 1;
      paper.lineCap = "butt";
      this.spans += members.length;
    }

    // Numbers at the outputs that are held, as the list beside the drawing has them.
    paintBadges(members, which) {
      if (this.view.scale < 0.25 || which > 0) return;
      const { paper, colours, scenery } = this;
      let number = 0;
      for (const { output, holds } of members) {
        if (!holds || output >= scenery.lanes.length) continue;
        number += 1;
        const lane = scenery.lanes[output];
        const radius = this.wide(10, 7);
        // On the cable, between STOP at its beginning and the buffer at its end: names of worms stand beside it.
        const [left, top] = lane.line.at(lane.cable * 0.56);
        paper.beginPath();
        paper.arc(left, top, radius, 0, 2 * Math.PI);
        paper.fillStyle = colours.bad;
        paper.fill();
        paper.font = `600 ${radius * 1.25}px system-ui, sans-serif`;
        paper.textAlign = "center";
        paper.textBaseline = "middle";
        paper.fillStyle = colours.paper;
        paper.fillText(String(number), left, top + radius * 0.06);
        this.spans += 1;
      }
    }

    /** Shows for a moment that something happened at a place. */
    flash(place, text, wall, colour = "bad") {
      this.flashes.push({ place, text, wall, colour });
      if (this.flashes.length > 12) this.flashes.shift();
    }

    paintFlashes() {
      const { paper, colours, scenery, marked } = this;
      this.flashes = this.flashes.filter((flash) => marked.wall - flash.wall < 1800);
      for (const { place, text, wall, colour } of this.flashes) {
        if (place >= scenery.lanes.length) continue;
        const age = (marked.wall - wall) / 1800;
        const [x, y] = scenery.lanes[place].line.at(0);
        paper.globalAlpha = simnet.still() ? 0.9 : 1 - age;
        paper.beginPath();
        paper.arc(x, y, simnet.still() ? 18 : 8 + 34 * age, 0, 2 * Math.PI);
        paper.lineWidth = this.wide(3.5, 2);
        paper.strokeStyle = colours[colour];
        paper.stroke();
        paper.globalAlpha = 1;
        this.label(text, x, y - 24, colours[colour], true);
        this.spans += 1;
      }
    }

    // --- names ----------------------------------------------------------------------------------------------------

    paintNames() {
      const { paper, scenery, colours, view, marked, model } = this;
      for (const node of scenery.nodes) {
        if (node.isHost || !this.hasRoom(node, 8) || !this.isSeen([node.x - 30, node.y - 30, node.x + 30, node.y + 30])) continue;
        this.label(shortened(node.name, 8), node.x, node.y, colours.ink, true, 13);
      }
      // All worms are named where they are few, else those that matter.
      const all = model.trail.size <= 24 && view.scale > 0.5;
      for (const [worm, [x, y, dx, dy]] of this.heads) {
        if (!all && worm !== marked.follow && !(marked.stuck.has(worm) && marked.stuck.size <= 24)) continue;
        const out = TUBE + 9;
        paper.globalAlpha = this.strength(worm);
        const [left, top] = [x - dy * out - dx * 16, y + dx * out - dy * 16];
        const align = -dy > 0.4 ? "left" : -dy < -0.4 ? "right" : "center";
        this.label(shortened(model.log.names[worm] ?? "", 14), left, top, colours.ink, false, 11, align);
        paper.globalAlpha = 1;
      }
    }

    label(text, x, y, colour, bold, size = 12, align = "center") {
      const { paper, colours } = this;
      const high = Math.max(size, 9.5 / this.view.scale);
      paper.font = `${bold ? "600 " : ""}${high}px system-ui, sans-serif`;
      paper.textAlign = align;
      paper.textBaseline = "middle";
      paper.lineWidth = high * 0.34;
      paper.strokeStyle = colours.paper;
      paper.strokeText(text, x, y);
      paper.fillStyle = colour;
      paper.fillText(text, x, y);
      this.spans += 1;
    }

    // --- what is at a point ---------------------------------------------------------------------------------------

    /** What is at a point of the canvas: {node} or {place, isBuffer}, or null. */
    find(x, y) {
      const { scenery, view } = this;
      const [wx, wy] = this.inWorld(x, y);
      const near = Math.max(8, 9 / view.scale);
      let [best, least] = [null, near];
      scenery.lanes.forEach((lane, place) => {
        const [left, top, right, bottom] = lane.box;
        if (wx < left || wx > right || wy < top || wy > bottom) return;
        const distance = lane.line.distance(wx, wy);
        if (distance >= least) return;
        least = distance;
        const [endX, endY] = lane.line.at(lane.line.length);
        best = { place, isBuffer: Math.hypot(wx - endX, wy - endY) < lane.tube };
      });
      const node = scenery.nodes.findIndex((one) => Math.hypot(one.x - wx, one.y - wy) < one.radius);
      return best ?? (node >= 0 ? { node } : null);
    }
  }

  function shortened(name, most) {
    const letters = [...name];
    return letters.length <= most ? name : letters.slice(0, most - 1).join("") + "…";
  }

  return Object.assign(Drawing, { Line, Scenery, MOST_SPANS });
})();
