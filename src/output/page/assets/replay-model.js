"use strict";
/* The replay without its pictures: from the events of a scene to the state of the network at any instant.
 *
 *   log = new simnet.replay.Log(scene, network)   decodes a scene of the page's data
 *   model = new simnet.replay.Model(log)          its state after some of the events, first none
 *   while (!model.prepare()) ...                  looks through all events once, a bounded number a call
 *   model.seek(index)                             the state after the first `index` events
 *   model.advance(time)                           the state after all events up to `time`
 *
 * Work is bounded: a keyframe of the state is kept every so many events, so that no call applies more than
 * `model.limits.perCall` events, however far it goes; `model.work` counts.
 *
 * A *place* is a port by its cable: `2 x link` is the link's end `a`, `2 x link + 1` its end `b`; `place ^ 1` is the far
 * end. An output and an input at the same place are told apart by the words `owner` (output) and `queue` (input).
 * Times are in the scene's unit, `log.cycle` of them a base cycle.
 *
 * Nothing here touches a document: it runs under node as well.
 */
simnet.replay = (() => {
  const KINDS = ["start", "arrive", "wait", "grant", "release", "flow", "stop", "go", "reset", "deadlock", "clear", "end",
    "cable", "send", "receive", "frame", "pause", "circle"];
  const [START, ARRIVE, WAIT, GRANT, RELEASE, FLOW, STOP, GO, RESET, DEADLOCK, CLEAR, END, CABLE, SEND, RECEIVE, FRAME, PAUSE, CIRCLE] =
    KINDS.keys();
  // Why a worm was destroyed, by number; 0: it was not.
  const CAUSES = ["", "a forward reset", "a failed cable", "a turn that its switch does not have", "a turn to a port without cable",
    "a host before its route was used up", "a route that ended at a switch", "its time to live"];
  // Where a worm is: gone or not begun, its head on a cable or about to be, in a buffer, waiting, at a host.
  const [NOWHERE, OUT, IN, WAITING, THERE] = [0, 1, 2, 3, 4];

  // --- the log ----------------------------------------------------------------------------------------------------

  class Log {
    /** `network`: {links: [[node, port, node, port, delay]], hosts: per node whether it is a host, base_cycle_ps}. */
    constructor(scene, network) {
      this.scene = scene;
      this.network = network;
      this.names = scene.worms;
      this.kinds = scene.kinds;
      this.count = scene.count;
      this.places = 2 * network.links.length + 1;
      this.cycle = network.base_cycle_ps / scene.unit_ps;
      this.time = new Float64Array(this.count);
      this.kind = new Uint8Array(this.count);
      this.at = new Uint32Array(this.count + 1); // where an event's numbers begin in `numbers`
      this.turns = new Float64Array(this.names.length).fill(-1);
      this.payload = new Float64Array(this.names.length).fill(-1);
      this.isHost = new Uint8Array(this.places);
      this.delay = new Float64Array(this.places).fill(this.cycle);
      network.links.forEach(([a, , b, , delay], link) => {
        this.isHost[2 * link] = network.hosts[a] ? 1 : 0;
        this.isHost[2 * link + 1] = network.hosts[b] ? 1 : 0;
        this.delay[2 * link] = this.delay[2 * link + 1] = Math.max(1, delay) * this.cycle;
      });
      this.decode(scene.bytes);
      this.findFlows();
      this.findArrivals();
    }

    decode(text) {
      const bytes = atob(text);
      const numbers = [];
      let next = 0;
      const number = () => {
        let value = 0;
        for (let scale = 1; ; scale *= 128) {
          const byte = bytes.charCodeAt(next++);
          value += (byte & 127) * scale;
          if (byte < 128) return value;
          if (!(scale < 2 ** 60)) throw new Error("the replay's data are damaged");
        }
      };
      const some = (count) => {
        for (let nth = 0; nth < count; nth++) numbers.push(number());
      };
      let now = 0;
      for (let index = 0; index < this.count; index++) {
        const head = number();
        const kind = head % 32;
        now += (head - kind) / 32;
        this.time[index] = now;
        this.kind[index] = kind;
        this.at[index] = numbers.length;
        switch (kind) {
          case START: {
            some(4);
            const [worm, , turns, payload] = numbers.slice(-4);
            this.turns[worm] = turns;
            this.payload[worm] = payload;
            break;
          }
          case WAIT: case GRANT: case RELEASE: case END: some(3); break;
          case FLOW: some(4); break;
          case STOP: case GO: case CABLE: some(1); break;
          case DEADLOCK: some(2); some(3 * numbers[numbers.length - 1]); break;
          case CIRCLE: some(3); some(2 * numbers[numbers.length - 1]); break;
          case PAUSE: some(4); break;
          case SEND: case RECEIVE: some(5); some(numbers[numbers.length - 1]); break;
          case FRAME: some(5); break;
          default: some(2);
        }
      }
      this.at[this.count] = numbers.length;
      this.numbers = Float64Array.from(numbers);
    }

    /** The numbers of an event, as `encode.rs` writes them. */
    args(index) {
      return this.numbers.subarray(this.at[index], this.at[index + 1]);
    }

    // Per place, the events that change what flows in: for cables that lead to a buffer, what is on them now is what
    // flows in a little later.
    findFlows() {
      const lists = Array.from({ length: this.places }, () => null);
      for (let index = 0; index < this.count; index++) {
        const kind = this.kind[index];
        if (kind !== FLOW && kind !== ARRIVE) continue;
        const place = this.numbers[this.at[index] + (kind === FLOW ? 0 : 1)];
        (lists[place] ??= []).push(index);
        if (kind === FLOW) (lists[place].isBuffer = true);
      }
      this.flows = lists;
      this.findStrips();
    }

    // Flows of an instant in which the worm in front is granted an output: they tell of the buffer without the flit of
    // its route that is taken off then.
    findStrips() {
      this.strips = new Uint8Array(this.count);
      const granted = new Set();
      for (let from = 0, to = 0; from < this.count; from = to) {
        granted.clear();
        for (to = from; to < this.count && this.time[to] === this.time[from]; to++) {
          if (this.kind[to] === GRANT) granted.add(this.numbers[this.at[to] + 1]);
        }
        for (let index = from; granted.size > 0 && index < to; index++) {
          if (this.kind[index] === FLOW && granted.has(this.numbers[this.at[index]])) this.strips[index] = 1;
        }
      }
    }

    // Per event that tells that a frame leaves, when it arrives: the first of its kind at the far end after it.
    findArrivals() {
      this.arrivals = new Map();
      const under = new Map(); // a cable's direction and whose frame for whom -> events whose frame is under way
      let took = 0;
      for (let index = 0; index < this.count; index++) {
        if (this.kind[index] !== FRAME) continue;
        const [place, arrives, source, destination] = this.args(index);
        const key = `${arrives === 1 ? place ^ 1 : place} ${source} ${destination}`;
        if (arrives !== 1) {
          under.set(key, [...(under.get(key) ?? []), index]);
          continue;
        }
        const left = under.get(key)?.shift();
        if (left === undefined) continue;
        this.arrivals.set(left, this.time[index]);
        took += this.time[index] - this.time[left];
      }
      /** Whether frames move here and no worms, and how long one is under way on average. */
      this.isOfFrames = this.names.length === 0 && this.kind.includes(FRAME);
      this.frameTime = this.arrivals.size > 0 ? took / this.arrivals.size : 0;
    }

    /** Whether a place has a buffer of which the log tells. */
    isBuffer(place) {
      return this.flows[place]?.isBuffer === true;
    }

    /** The number of events up to `time`. */
    until(time) {
      let [low, high] = [0, this.count];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.time[middle] <= time) low = middle + 1;
        else high = middle;
      }
      return low;
    }

    /** The worm that an event is about, or -1. */
    wormOf(index) {
      switch (this.kind[index]) {
        case START: case ARRIVE: case WAIT: case GRANT: case RELEASE: case RESET: case END:
          return this.numbers[this.at[index]];
        default: return -1;
      }
    }

    /** Whether event `index` tells of a deadlock. */
    isDeadlock(index) {
      return this.kind[index] === DEADLOCK || this.kind[index] === CIRCLE;
    }

    /** The members of the deadlock that event `index` tells: {worm, input, output, holds}, each waiting for the next; of
     *  paused queues {priority, input, output, holds}. */
    members(index) {
      if (this.kind[index] === CIRCLE) {
        const [, priority, count, ...ends] = this.args(index);
        return Array.from({ length: count }, (_, nth) => ({ priority, input: ends[2 * nth], output: ends[2 * nth + 1], holds: true }));
      }
      const [, count, ...rest] = this.args(index);
      const members = [];
      for (let nth = 0; nth < count; nth++) {
        const [worm, input, output] = rest.slice(3 * nth, 3 * nth + 3);
        members.push({ worm, input, output, holds: false });
      }
      // Who holds an output waits for the buffer at the far end of its cable.
      members.forEach((member, nth) => {
        member.holds = (member.output ^ 1) === members[(nth + 1) % count].input;
      });
      return members;
    }
  }

  // --- the state --------------------------------------------------------------------------------------------------

  class Model {
    /** `limits`: {every, perCall, numbers}: events between keyframes, events a call, numbers that keyframes may hold. */
    constructor(log, limits = {}) {
      this.log = log;
      this.limits = { every: 2048, perCall: 4096, numbers: 4e6, ...limits };
      this.limits.every = Math.min(this.limits.every, this.limits.perCall);
      this.work = { events: 0, calls: 0, maxPerCall: 0, keyframeNumbers: 0, restored: 0 };
      this.keyframes = [];
      this.prepared = 0;
      const places = log.places;
      const worms = log.names.length;
      this.flowAt = new Float64Array(places); // since when the flow is as it is
      this.occupancy = new Float64Array(places); // flits then
      this.inflow = new Float64Array(places);
      this.outflow = new Float64Array(places);
      this.queue = new Array(places).fill(null); // [{worm, flits, whole, leaves, until}], the first in front
      this.countAt = new Float64Array(places); // to when the queue's flits are counted
      this.owner = new Float64Array(places).fill(-1); // the worm that holds the output
      this.ownerIn = new Float64Array(places).fill(-1); // from which input
      this.since = new Float64Array(places);
      this.tail = new Float64Array(places).fill(-1); // the worm whose tail left the output last
      this.tailAt = new Float64Array(places);
      this.stopped = new Uint8Array(places); // the input has sent STOP
      this.stopAt = new Float64Array(places);
      this.paused = new Uint8Array(places); // the priorities that it has paused, a bit each
      this.mode = new Uint8Array(worms);
      this.head = new Float64Array(worms).fill(-1); // the place where the worm's head was last
      this.wants = new Float64Array(worms).fill(-1); // the output that it waits for
      this.granted = new Float64Array(worms); // outputs that it was granted: route flits that it has lost
      this.hit = new Uint8Array(worms); // a forward reset has fired against it
      this.trail = new Map(); // worm in the network -> the places that its head has come by
      this.deadlocks = new Map(); // number -> the event that told it
      this.down = new Set(); // failed cables
      this.frames = new Map(); // place -> Ethernet frames on the way from it: [source, destination, bytes, since, until]
      this.clear();
    }

    clear() {
      for (const list of [this.flowAt, this.occupancy, this.inflow, this.outflow, this.countAt, this.since, this.tailAt,
        this.stopped, this.stopAt, this.paused, this.mode, this.granted, this.hit]) list.fill(0);
      for (const list of [this.owner, this.ownerIn, this.tail, this.head, this.wants]) list.fill(-1);
      this.queue.fill(null);
      this.trail.clear();
      this.deadlocks.clear();
      this.down.clear();
      this.frames.clear();
      this.index = 0;
      this.delivered = 0;
      this.destroyed = 0;
      this.resets = 0;
      this.lastReset = -1; // the event that told the last forward reset
    }

    /** The time of the last event applied. */
    get now() {
      return this.index === 0 ? 0 : this.log.time[this.index - 1];
    }

    // --- going there ----------------------------------------------------------------------------------------------

    /** Looks through events that were not looked through yet, so many as one call may; whether that was all. */
    prepare() {
      const { log, limits } = this;
      if (this.prepared === 0) this.restore(0);
      const until = Math.min(log.count, this.prepared + limits.perCall);
      this.walk(() => {
        while (this.prepared < until) {
          if (this.prepared % limits.every === 0) this.keep();
          this.apply(this.prepared++);
        }
      });
      if (this.prepared === log.count && log.count % limits.every === 0) this.keep();
      return this.prepared === log.count;
    }

    keep() {
      const packed = this.pack();
      this.keyframes.push(packed);
      this.work.keyframeNumbers += packed.length;
      while (this.work.keyframeNumbers > this.limits.numbers && this.keyframes.length > 2) {
        // Too much to keep: every other one stays, and a call may do as much as that asks for.
        this.keyframes = this.keyframes.filter((_, nth) => nth % 2 === 0);
        this.limits.every *= 2;
        this.limits.perCall = Math.max(this.limits.perCall, this.limits.every);
        this.work.keyframeNumbers = this.keyframes.reduce((sum, frame) => sum + frame.length, 0);
      }
    }

    /** Goes to the state after the first `index` events. */
    seek(index) {
      const target = Math.max(0, Math.min(index, this.prepared));
      this.walk(() => {
        if (target < this.index || target - this.index > this.limits.perCall) {
          this.restore(Math.min(Math.floor(target / this.limits.every), this.keyframes.length - 1));
        }
        while (this.index < target) this.apply(this.index);
      });
    }

    /** Goes to the state after all events up to `time`. */
    advance(time) {
      this.seek(this.log.until(time));
    }

    walk(run) {
      const before = this.work.events;
      run();
      this.work.calls += 1;
      this.work.maxPerCall = Math.max(this.work.maxPerCall, this.work.events - before);
    }

    // --- one event ------------------------------------------------------------------------------------------------

    apply(index) {
      const { log } = this;
      const now = log.time[index];
      const numbers = log.numbers;
      const at = log.at[index];
      const [a, b, c] = [numbers[at], numbers[at + 1], numbers[at + 2]];
      switch (log.kind[index]) {
        case START: this.start(a, b, now); break;
        case ARRIVE: this.arrive(a, b, now); break;
        case WAIT:
          this.mode[a] = WAITING;
          this.head[a] = b;
          this.wants[a] = c;
          this.uncover(b, a, now);
          break;
        case GRANT: this.grant(a, b, c, now); break;
        case RELEASE: this.release(a, b, c, now); break;
        case FLOW: this.flow(index, a, b, c, numbers[at + 3], now); break;
        case STOP: case GO:
          this.stopped[a] = log.kind[index] === STOP ? 1 : 0;
          this.stopAt[a] = now;
          break;
        case RESET:
          this.strike(a);
          this.resets += 1;
          this.lastReset = index;
          break;
        case PAUSE: if (b === 1) this.pause(a ^ 1, c, numbers[at + 3], now); break;
        case DEADLOCK: case CIRCLE: this.deadlocks.set(a, index); break;
        case CLEAR: this.deadlocks.delete(a); break;
        case END: this.end(a, b, now); break;
        case CABLE:
          if (a % 2 === 1) this.mend((a - 1) / 2);
          else this.fail(a / 2, now);
          break;
        case FRAME: this.frame(a, b === 1, c, numbers[at + 3], numbers[at + 4], now, index); break;
        default: // messages of processes change nothing in the network
      }
      this.index = index + 1;
      this.work.events += 1;
    }

    start(worm, place, now) {
      this.mode[worm] = OUT;
      this.head[worm] = place;
      this.granted[worm] = 0;
      this.trail.set(worm, [place]);
      this.own(place, worm, place, now);
    }

    own(output, worm, input, now) {
      this.owner[output] = worm;
      this.ownerIn[output] = input;
      this.since[output] = now;
    }

    arrive(worm, place, now) {
      this.head[worm] = place;
      this.trail.get(worm)?.push(place);
      this.mode[worm] = this.log.isHost[place] ? THERE : IN;
      if (this.log.isHost[place] && !this.log.isBuffer(place)) return;
      this.count(place, now);
      const { payload, turns } = this.log;
      const whole = payload[worm] < 0 ? Infinity : payload[worm] + turns[worm] - this.granted[worm];
      (this.queue[place] ??= []).push({ worm, flits: 0, whole, leaves: false, until: Infinity });
    }

    grant(worm, input, output, now) {
      this.uncover(input, worm, now);
      this.mode[worm] = OUT;
      this.head[worm] = output;
      this.wants[worm] = -1;
      this.granted[worm] += 1;
      this.trail.get(worm)?.push(output);
      this.own(output, worm, input, now);
      const front = this.queue[input]?.[0];
      if (front?.worm === worm) front.leaves = true;
    }

    release(worm, input, output, now) {
      if (this.owner[output] === worm) {
        this.own(output, -1, -1, now);
        this.tail[output] = worm;
        this.tailAt[output] = now;
      }
      // A worm that turns back leaves a switch by the port by which it came.
      if (input === output && this.log.isHost[input]) return;
      this.count(input, now);
      // The tail leaves within this cycle; of a worm that was struck the rest comes, and is eaten here.
      if (this.hit[worm] === 1) return;
      const entry = this.queue[input]?.find((one) => one.worm === worm && one.until === Infinity);
      if (entry !== undefined) entry.until = now + this.log.cycle;
    }

    // A worm is destroyed: what is said to leave within this cycle is rather eaten where it is.
    strike(worm) {
      this.hit[worm] = 1;
      for (const place of this.trail.get(worm) ?? []) {
        for (const entry of this.queue[place] ?? []) if (entry.worm === worm) entry.until = Infinity;
      }
    }

    // A cable returns: both ends begin anew, as if no STOP had been sent.
    mend(link) {
      this.down.delete(link);
      this.stopped[2 * link] = 0;
      this.stopped[2 * link + 1] = 0;
    }

    // A cable fails: the worms on it are cut.
    fail(link, now) {
      this.down.add(link);
      for (const place of [2 * link, 2 * link + 1]) {
        const worm = this.owner[place] >= 0 ? this.owner[place] : this.tailAt[place] === now ? this.tail[place] : -1;
        if (worm >= 0 && this.trail.has(worm)) this.strike(worm);
      }
    }

    flow(index, place, occupancy, inflow, outflow, now) {
      this.count(place, now);
      this.flowAt[place] = now;
      this.occupancy[place] = occupancy;
      this.inflow[place] = inflow;
      this.outflow[place] = outflow;
      const queue = this.queue[place];
      if (queue === null) return;
      this.reconcile(queue, occupancy, this.log.strips[index] === 1);
      queue[0].leaves = outflow > 0;
    }

    // Counts are exact while all is told; where a route flit is taken off, a worm is cut, or the log began in the
    // middle, the buffer's own count says what they must come to.
    reconcile(queue, occupancy, strips) {
      let missing = occupancy - queue.reduce((sum, entry) => sum + entry.flits, 0);
      if (missing < 0) {
        // A worm that is granted an output loses a flit of its route; else the last one was cut.
        const take = (entry, most) => {
          const less = Math.min(entry.flits, most, -missing);
          entry.flits -= less;
          missing += less;
        };
        if (strips) take(queue[0], 1);
        for (const entry of [...queue].reverse()) take(entry, Infinity);
      } else if (missing > 0) {
        // Whoever has another behind it is whole, unless it has begun to leave; the last one takes the rest.
        queue.forEach((entry, nth) => {
          const isLast = nth === queue.length - 1;
          const more = isLast ? missing : Math.min(missing, Math.max(0, entry.whole - entry.flits));
          if (isLast || !entry.leaves) {
            entry.flits += more;
            missing -= more;
          }
        });
      }
    }

    // Counts the flits of a buffer's worms up to `now`.
    count(place, now) {
      const queue = this.queue[place];
      if (queue !== null) {
        const cycles = (now - Math.max(this.countAt[place], this.flowAt[place])) / this.log.cycle;
        this.move(queue, cycles, this.inflow[place], this.outflow[place]);
        while (this.queue[place] !== null && queue[0].until <= now) this.remove(place, 0);
      }
      this.countAt[place] = now;
    }

    move(queue, cycles, inflow, outflow) {
      if (!(cycles > 0)) return;
      const last = queue[queue.length - 1];
      if (inflow > 0) last.flits += cycles / inflow;
      if (outflow > 0 && queue[0].leaves) queue[0].flits = Math.max(0, queue[0].flits - cycles / outflow);
    }

    // The worm's head stands in front at `place`: whatever was before it there is gone.
    uncover(place, worm, now) {
      const isIt = (entry) => entry.worm === worm && entry.until === Infinity;
      if (!(this.queue[place]?.some(isIt)) || isIt(this.queue[place][0])) return;
      this.count(place, now);
      while (!isIt(this.queue[place][0])) this.remove(place, 0);
    }

    remove(place, nth) {
      const queue = this.queue[place];
      queue.splice(nth, 1);
      if (queue.length === 0) this.queue[place] = null;
    }

    end(worm, cause, now) {
      for (const place of this.trail.get(worm) ?? []) {
        if (this.owner[place] === worm) this.own(place, -1, -1, now);
        if (!this.queue[place]?.some((entry) => entry.worm === worm)) continue;
        this.count(place, now);
        const rest = this.queue[place]?.filter((entry) => entry.worm !== worm) ?? [];
        this.queue[place] = rest.length > 0 ? rest : null;
      }
      this.trail.delete(worm);
      this.mode[worm] = NOWHERE;
      this.head[worm] = this.wants[worm] = -1;
      this.granted[worm] = this.hit[worm] = 0;
      if (cause === 0) this.delivered += 1;
      else this.destroyed += 1;
    }

    // The sender at the far end of `place` is told which of its priorities are paused.
    pause(place, priorities, paused, now) {
      this.paused[place] = (this.paused[place] & ~priorities) | paused;
      const isStopped = this.paused[place] === 0 ? 0 : 1;
      if (isStopped !== this.stopped[place]) this.stopAt[place] = now;
      this.stopped[place] = isStopped;
    }

    frame(place, arrives, source, destination, bytes, now, index) {
      const from = arrives ? place ^ 1 : place;
      const list = this.frames.get(from) ?? [];
      if (!arrives) {
        this.frames.set(from, [...list, [source, destination, bytes, now, this.log.arrivals.get(index) ?? Infinity]]);
      } else {
        const nth = list.findIndex((frame) => frame[0] === source && frame[1] === destination);
        const rest = list.filter((_, other) => other !== nth);
        if (rest.length > 0) this.frames.set(from, rest);
        else this.frames.delete(from);
      }
    }

    // --- questions ------------------------------------------------------------------------------------------------

    /** The flits in the buffer at `place` at `time`, not before the last event: whole ones, or parts for drawing. */
    flitsAt(place, time) {
      const cycles = (time - this.flowAt[place]) / this.log.cycle;
      const [inflow, outflow] = [this.inflow[place], this.outflow[place]];
      return Math.max(0, this.occupancy[place] + (inflow > 0 ? cycles / inflow : 0) - (outflow > 0 ? cycles / outflow : 0));
    }

    /** The worms in that buffer then, the first in front: [[worm, flits]]. */
    wormsAt(place, time) {
      const queue = this.queue[place];
      if (queue === null) return [];
      const copy = queue.map((entry) => ({ ...entry }));
      const cycles = (time - Math.max(this.countAt[place], this.flowAt[place])) / this.log.cycle;
      this.move(copy, cycles, this.inflow[place], this.outflow[place]);
      return copy.filter((entry) => entry.until > time).map((entry) => [entry.worm, entry.flits]);
    }

    /** What is on the cable from `place` to its far end at `time`: [[worm, from, to]], 0 at the sender, 1 at the end. */
    onCable(place, time) {
      return this.log.isBuffer(place ^ 1) ? this.comingIn(place, time) : this.goingOut(place, time);
    }

    // Flits on the cable at `time` are those that flow in up to `time + delay`.
    comingIn(place, time) {
      const { log } = this;
      const [far, delay] = [place ^ 1, log.delay[place]];
      const list = log.flows[far];
      let [low, high] = [0, list.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] < this.index) low = middle + 1;
        else high = middle;
      }
      const spans = [];
      const queue = this.queue[far];
      let worm = queue === null ? -1 : queue[queue.length - 1].worm;
      let flowing = this.inflow[far] > 0;
      let begin = time;
      const until = (end) => {
        if (flowing && worm >= 0 && end > begin) {
          spans.push([worm, 1 - (end - time) / delay, 1 - (begin - time) / delay]);
        }
        begin = Math.max(begin, end);
      };
      for (let nth = low; nth < list.length; nth++) {
        const index = list[nth];
        if (log.time[index] >= time + delay) break;
        until(log.time[index]);
        if (log.kind[index] === ARRIVE) worm = log.numbers[log.at[index]];
        else flowing = log.numbers[log.at[index] + 2] > 0;
      }
      until(time + delay);
      return spans;
    }

    // Towards a host that takes everything: as far as its worm has come since the output was granted.
    goingOut(place, time) {
      const delay = this.log.delay[place];
      const spans = [];
      if (this.tail[place] >= 0) {
        const from = (time - this.tailAt[place] - this.log.cycle) / delay;
        if (from < 1) spans.push([this.tail[place], Math.max(0, from), 1]);
      }
      const worm = this.owner[place];
      if (worm >= 0 && (this.ownerIn[place] === place || this.outflow[this.ownerIn[place]] > 0)) {
        const to = Math.min(1, (time - this.since[place]) / delay);
        if (to > 0) spans.push([worm, 0, to]);
      }
      return spans;
    }

    /** Whether there is anything in the buffer at `place`. */
    isBusy(place) {
      return this.queue[place] !== null || this.occupancy[place] > 0 || this.inflow[place] > 0;
    }

    /** Whether nothing flows and no head is on its way. */
    isStill() {
      for (let place = 0; place < this.log.places; place++) {
        if (this.inflow[place] > 0 || this.outflow[place] > 0) return false;
      }
      return this.frames.size === 0;
    }

    /** The state in names of numbers, for tests: what a straightforward model must agree with at `time`. */
    state(time) {
      const buffers = {};
      const outputs = {};
      for (let place = 0; place < this.log.places; place++) {
        const flits = Math.floor(this.flitsAt(place, time) + 1e-9);
        const worms = this.queue[place]?.filter((entry) => entry.until > time).map((entry) => entry.worm) ?? [];
        const stop = this.stopped[place] === 1;
        if (flits > 0 || worms.length > 0 || stop) buffers[place] = { flits, worms, stop };
        if (this.owner[place] >= 0) outputs[place] = [this.owner[place], this.ownerIn[place]];
      }
      const waiting = {};
      for (const worm of this.trail.keys()) if (this.mode[worm] === WAITING) waiting[worm] = [this.head[worm], this.wants[worm]];
      const inOrder = (set) => [...set].sort((a, b) => a - b);
      return {
        buffers, outputs, waiting, alive: inOrder(this.trail.keys()), deadlocks: inOrder(this.deadlocks.keys()),
        down: inOrder(this.down), delivered: this.delivered, destroyed: this.destroyed, resets: this.resets,
      };
    }

    // --- keyframes ------------------------------------------------------------------------------------------------

    /** All of the state that is not as at the beginning, as numbers. */
    pack() {
      const out = [this.index, this.delivered, this.destroyed, this.resets, this.lastReset];
      const list = (items) => out.push(items.length, ...items);
      for (let place = 0; place < this.log.places; place++) {
        const queue = this.queue[place];
        const isIdle = queue === null && this.flowAt[place] === 0 && this.owner[place] < 0 && this.stopAt[place] === 0 &&
          this.tail[place] < 0 && this.stopped[place] === 0 && this.occupancy[place] === 0;
        if (isIdle) continue;
        out.push(place, this.flowAt[place], this.occupancy[place], this.inflow[place], this.outflow[place], this.countAt[place],
          this.owner[place], this.ownerIn[place], this.since[place], this.tail[place], this.tailAt[place],
          this.stopped[place], this.stopAt[place], this.paused[place]);
        list((queue ?? []).flatMap((entry) => [entry.worm, entry.flits, entry.whole, entry.leaves ? 1 : 0, entry.until]));
      }
      out.push(-1);
      out.push(this.trail.size);
      for (const [worm, trail] of this.trail) {
        out.push(worm, this.mode[worm], this.head[worm], this.wants[worm], this.granted[worm], this.hit[worm]);
        list(trail);
      }
      list([...this.deadlocks].flat());
      list([...this.down]);
      list([...this.frames].flatMap(([place, frames]) => frames.flatMap((frame) => [place, ...frame])));
      return Float64Array.from(out);
    }

    restore(nth) {
      this.clear();
      const packed = this.keyframes[nth];
      if (packed === undefined) return;
      this.work.restored += packed.length;
      let next = 0;
      const take = () => packed[next++];
      const list = () => {
        const count = take();
        next += count;
        return Array.from(packed.subarray(next - count, next));
      };
      [this.index, this.delivered, this.destroyed, this.resets, this.lastReset] = [take(), take(), take(), take(), take()];
      for (let place = take(); place >= 0; place = take()) {
        for (const field of [this.flowAt, this.occupancy, this.inflow, this.outflow, this.countAt, this.owner, this.ownerIn,
          this.since, this.tail, this.tailAt, this.stopped, this.stopAt, this.paused]) field[place] = take();
        const flat = list();
        const queue = [];
        for (let at = 0; at < flat.length; at += 5) {
          const [worm, flits, whole, leaves, until] = flat.slice(at, at + 5);
          queue.push({ worm, flits, whole, leaves: leaves === 1, until });
        }
        this.queue[place] = queue.length > 0 ? queue : null;
      }
      for (let left = take(); left > 0; left--) {
        const worm = take();
        for (const field of [this.mode, this.head, this.wants, this.granted, this.hit]) field[worm] = take();
        this.trail.set(worm, list());
      }
      const deadlocks = list();
      for (let at = 0; at < deadlocks.length; at += 2) this.deadlocks.set(deadlocks[at], deadlocks[at + 1]);
      this.down = new Set(list());
      const frames = list();
      for (let at = 0; at < frames.length; at += 6) {
        const kept = this.frames.get(frames[at]) ?? [];
        this.frames.set(frames[at], [...kept, frames.slice(at + 1, at + 6)]);
      }
    }
  }

  // --- words ------------------------------------------------------------------------------------------------------

  /** Says events in words. `name(place)` is the name of a port, `node(place)` of its node, `host(id)` of a host. */
  class Words {
    constructor(log, { port, node, host }) {
      Object.assign(this, { log, port, node, host });
    }

    worm(worm) {
      return this.log.names[worm] ?? `worm ${worm}`;
    }

    /** One sentence about event `index`; `model` is in the state before it, or after. */
    event(index, model) {
      const { log } = this;
      const [a, b, c, d, e] = log.args(index);
      const flits = (count) => `${count} ${count === 1 ? "flit" : "flits"}`;
      switch (log.kind[index]) {
        case START: return `${this.node(b)} begins to send ${this.worm(a)}: ${flits(c)} of route, then ${flits(d)}.`;
        case ARRIVE: return log.isHost[b]
          ? `${this.worm(a)} reaches ${this.node(b)}: its head is there.`
          : `The head of ${this.worm(a)} arrives at ${this.port(b)}.`;
        case WAIT: {
          const owner = model.owner[c];
          const held = owner >= 0 ? `, which ${owner === a ? "it holds itself" : `${this.worm(owner)} holds`}` : "";
          return `${this.worm(a)} at ${this.port(b)} must wait for ${this.port(c)}${held}.`;
        }
        case GRANT: return `${this.worm(a)} at ${this.port(b)} is granted ${this.port(c)}.`;
        case RELEASE: return b === c
          ? `${this.node(b)} has sent the tail of ${this.worm(a)}.`
          : `The tail of ${this.worm(a)} has left ${this.port(b)}: ${this.port(c)} is free.`;
        case FLOW: {
          const doing = c > 0 && d > 0 ? "flits flow through" : c > 0 ? "it fills" : d > 0 ? "it empties" : "nothing moves";
          return `The buffer of ${this.port(a)} has ${flits(b)}: ${doing}.`;
        }
        case STOP: return `The buffer of ${this.port(a)} is filling up: STOP to ${this.port(a ^ 1)}.`;
        case GO: return `The buffer of ${this.port(a)} has room again: GO to ${this.port(a ^ 1)}.`;
        case RESET: return `${this.port(b)} was blocked for too long: its forward reset destroys ${this.worm(a)}.`;
        case PAUSE: return `${this.pause(c, d)} ${b === 1 ? `is obeyed by ${this.port(a)}` : `leaves ${this.port(a)}`}.`;
        case DEADLOCK: case CIRCLE: return `Deadlock: ${this.circle(log.members(index))}.`;
        case CLEAR: return `The deadlock is broken at ${this.port(b)}.`;
        case END: return b === 0
          ? `${this.worm(a)} is whole at ${this.host(c)}.`
          : `Nothing is left of ${this.worm(a)}, destroyed by ${CAUSES[b]}.`;
        case CABLE: {
          const link = Math.floor(a / 2);
          return `The cable from ${this.port(2 * link)} to ${this.port(2 * link + 1)} ${a % 2 === 1 ? "works again" : "fails"}.`;
        }
        case SEND: return `${this.host(a)} sends ${this.message(b)} number ${c}${this.route(index)}.`;
        case RECEIVE: return `${this.host(a)} receives ${this.message(b)} number ${c}.`;
        default: return `${this.frame(c, d, e)} ${b === 1 ? "has arrived at" : "leaves"} ${this.port(a)}.`;
      }
    }

    /** A PAUSE frame: which priorities are to be paused, and which may be sent again. */
    pause(priorities, paused) {
      const list = (set) => Array.from({ length: 8 }, (_, priority) => priority).filter((priority) => (set >> priority) & 1).join(", ");
      const parts = [[paused, "XOFF"], [priorities & ~paused, "XON"]].filter(([set]) => set !== 0);
      return `A PAUSE frame (${parts.map(([set, word]) => `${word} for priority ${list(set)}`).join(", ")})`;
    }

    /** Whose frame, for whom, as `frames` of a model have it. */
    frame(source, destination, bytes) {
      return `A frame of ${bytes} bytes from ${this.host(source)} to ${destination === 0 ? "everybody" : this.host(destination - 1)}`;
    }

    message(kind) {
      const name = (this.log.kinds[kind] ?? "message").replaceAll("-", " ");
      return (/^[aeiou]/.test(name) ? "an " : "a ") + name;
    }

    route(index) {
      const turns = [...this.log.args(index)].slice(5);
      const signed = turns.map((turn) => (turn % 2 === 1 ? `−${(turn + 1) / 2}` : turn === 0 ? "0" : `+${turn / 2}`));
      return turns.length > 0 ? ` along ${signed.join(" ")}` : "";
    }

    // Who is in a circle of waiting: "first-0 waits for itself", "8 worms wait for each other in a circle".
    circle(members) {
      if (members[0]?.priority !== undefined) {
        return members.length === 1 ? "a paused queue waits for itself" : `${members.length} paused queues wait for each other in a circle`;
      }
      const worms = [...new Set(members.filter((member) => member.holds).map((member) => member.worm))];
      if (worms.length === 1) return `${this.worm(worms[0])} waits for itself`;
      return `${worms.length === 0 ? "worms" : `${worms.length} worms`} wait for each other in a circle`;
    }

    /** One sentence a worm that holds an output of the cycle: what it holds, and what it waits for. */
    cycle(members) {
      const count = members.length;
      return members.flatMap((member, nth) => {
        if (!member.holds) return [];
        if (member.priority !== undefined) {
          const next = members[(nth + 1) % count];
          return [`Priority ${member.priority} of ${this.port(member.output)} is paused by ${this.port(next.input)}, whose frames wait for ${this.port(next.output)}.`];
        }
        const front = members[(nth + 1) % count];
        const next = front.holds ? front : members[(nth + 2) % count];
        const who = front.worm === member.worm ? "it" : this.worm(front.worm);
        const waits = front.holds
          ? `is stopped at ${this.port(front.input)}, where ${who} cannot move on through ${this.port(front.output)}`
          : `waits at ${this.port(front.input)} for ${this.port(front.output)}, held by ${next.worm === front.worm ? "itself" : this.worm(next.worm)}`;
        if (front.holds || front.worm === member.worm) return [`${this.worm(member.worm)} holds ${this.port(member.output)} and ${waits}.`];
        return [`${this.worm(member.worm)} holds ${this.port(member.output)} behind ${this.worm(front.worm)}, which ${waits}.`];
      });
    }
  }

  return {
    KINDS, CAUSES, NOWHERE, OUT, IN, WAITING, THERE, Log, Model, Words,
    kinds: { START, ARRIVE, WAIT, GRANT, RELEASE, FLOW, STOP, GO, RESET, DEADLOCK, CLEAR, END, CABLE, SEND, RECEIVE, FRAME, PAUSE, CIRCLE },
  };
})();
