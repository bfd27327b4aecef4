/* Runs side by side: every pane is a replay of its own; those of a case play together. */
simnet.section("runs", (root, data) => {
  const { el } = simnet;
  const players = new Map(); // pane -> its player

  for (const pane of root.querySelectorAll(".pane")) {
    const run = data[Number(pane.dataset.run)];
    if (run !== null) players.set(pane, simnet.replay.start(pane, run));
  }
  for (const one of root.querySelectorAll(".case")) {
    const own = [...one.querySelectorAll(".pane")].map((pane) => players.get(pane)).filter((player) => player !== undefined);
    const button = (text, act) => el("button", { type: "button", onclick: () => own.forEach(act) }, text);
    one.querySelector(".both")?.replaceChildren(
      button("Play both", (player) => player.play(true)),
      button("Pause both", (player) => player.play(false)),
      button("Both to the beginning", (player) => { player.play(false); player.rewind(); }));
  }
  simnet.replay.players = [...players.values()];
});
