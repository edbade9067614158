// Which points are worth their cost: none is both cheaper and better.
"use strict";
(() => {
  /** Positions of the points {cost, quality} that no other dominates, the cheapest first. */
  function frontier(points) {
    const order = points
      .map((_, n) => n)
      .sort(
        (a, b) => points[a].cost - points[b].cost || points[b].quality - points[a].quality || a - b,
      );
    const kept = [];
    for (const n of order) {
      const last = points[kept.at(-1)];
      const same = last && points[n].cost === last.cost && points[n].quality === last.quality;
      if (!last || points[n].quality > last.quality || same) kept.push(n);
    }
    return kept;
  }

  Object.assign(SHELF, { frontier });
})();
