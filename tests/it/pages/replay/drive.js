"use strict";
// Runs the replay's model under node: jobs from the standard input, what came of them to the standard output.
const fs = require("fs");
globalThis.simnet = {};
(0, eval)(fs.readFileSync(process.argv[2], "utf8"));
const { data, jobs } = JSON.parse(fs.readFileSync(0, "utf8"));
const { Log, Model, Words } = simnet.replay;

const rows = (model, time) => {
  const rows = {};
  for (let place = 0; place < model.log.places; place++) {
    const worms = model.wormsAt(place, time).map(([worm, flits]) => [model.log.names[worm], Math.round(flits)]);
    if (worms.some(([, flits]) => flits > 0)) rows[place] = worms.filter(([, flits]) => flits > 0);
  }
  return rows;
};

const done = jobs.map(({ scene, limits, steps, words }) => {
  const log = new Log(data.scenes[scene], data.network);
  const model = new Model(log, limits ?? {});
  let calls = 1;
  while (!model.prepare()) calls += 1;
  const states = steps.map(({ index, until, time, quiet }) => {
    if (index === undefined) model.advance(until);
    else model.seek(index);
    return quiet ? null : { ...model.state(time), rows: rows(model, time), cables: cables(model, time), frames: frames(model) };
  });
  const name = (id) => `p${id}`;
  const said = new Words(log, { port: name, node: name, host: name });
  return {
    states: states.filter((state) => state !== null), work: model.work, limits: model.limits, calls,
    keyframes: model.keyframes.length, names: log.names, frames: [log.isOfFrames, log.frameTime],
    words: words ? Array.from({ length: log.count }, (_, index) => said.event(index, model)) : [],
  };
});

// Frames on cables, in picoseconds: where, whose, from when to when.
function frames(model) {
  const { unit_ps } = model.log.scene;
  return [...model.frames].flatMap(([place, list]) => list.map(([source, , , since, until]) => [place, source, since * unit_ps, until * unit_ps]));
}

// Spans on cables lie on them, and do not overlap.
function cables(model, time) {
  for (let place = 0; place < model.log.places - 1; place++) {
    const spans = model.onCable(place, time).map(([, from, to]) => [from, to]).sort((a, b) => a[0] - b[0]);
    spans.forEach(([from, to], nth) => {
      const before = nth === 0 ? 0 : spans[nth - 1][1];
      if (!(from >= before - 1e-9 && to >= from && to <= 1 + 1e-9)) throw new Error(`a span from ${from} to ${to} on ${place}`);
    });
  }
  return true;
}

process.stdout.write(JSON.stringify(done));
