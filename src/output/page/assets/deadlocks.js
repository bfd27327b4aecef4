"use strict";
/* Deadlocks that the replay holds get a link to it. */
simnet.section("deadlocks", (root) => {
  const scenes = simnet.data.replay?.scenes ?? [];
  const isShown = (key, formed) => scenes.some((scene) =>
    String(scene.point ?? scene.kind) === key && scene.deadlocks.some((ns) => Math.abs(ns - formed) < 0.01));
  for (const link of root.querySelectorAll("a.show")) {
    link.hidden = !isShown(link.dataset.scene, Number(link.dataset.formed));
  }
});
