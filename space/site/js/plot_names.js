// Names beside the points of a plot: some stand there, the others come where the reader points.
"use strict";
(() => {
  const { drawn } = SHELF;
  const LONGEST = 26;
  const LETTER = 7.3;
  const HALF = 5;

  const shortened = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

  /** Places of a name around a point, the best first: {x, y, anchor, box}. */
  function placesOf(name, cx, cy) {
    const wide = shortened(name).length * LETTER;
    const around = [
      { x: cx + 9, y: cy + 4, left: cx + 9, anchor: "start" },
      { x: cx - 9, y: cy + 4, left: cx - 9 - wide, anchor: "end" },
      { x: cx, y: cy - 10, left: cx - wide / 2, anchor: "middle" },
      { x: cx, y: cy + 19, left: cx - wide / 2, anchor: "middle" },
      { x: cx - 4, y: cy - 10, left: cx - 4, anchor: "start" },
      { x: cx - 4, y: cy + 19, left: cx - 4, anchor: "start" },
    ];
    return around.map(({ left, ...place }) => ({
      ...place,
      box: { left, right: left + wide, top: place.y - 10, bottom: place.y + 3 },
    }));
  }

  const isWithin = (box, frame) =>
    box.left > frame.left && box.right < frame.right && box.top > frame.top;

  const isApart = (box, other) =>
    box.right < other.left ||
    box.left > other.right ||
    box.bottom < other.top ||
    box.top > other.bottom;

  const written = (name, place, kind) =>
    drawn(
      "text",
      {
        class: kind,
        x: place.x,
        y: place.y,
        "text-anchor": place.anchor,
        "aria-hidden": "true",
      },
      shortened(name),
    );

  /** Boxes of the straight lines between corners [x, y], each level or upright. */
  const alongLines = (corners) =>
    corners.slice(1).map(([x, y], n) => ({
      left: Math.min(x, corners[n][0]) - 1,
      right: Math.max(x, corners[n][0]) + 1,
      top: Math.min(y, corners[n][1]) - 1,
      bottom: Math.max(y, corners[n][1]) + 1,
    }));

  /**
   * The names that find room within a frame, none over another, a point or a line; `spots` are
   * {point, cx, cy}, `corners` those of the line.
   */
  function standingNames(spots, frame, corners = []) {
    const taken = spots.map(({ cx, cy }) => ({
      left: cx - HALF,
      right: cx + HALF,
      top: cy - HALF,
      bottom: cy + HALF,
    }));
    taken.push(...alongLines(corners));
    const found = new Map();
    for (const { point, cx, cy } of spots.filter((spot) => spot.point.named)) {
      const place = placesOf(point.name, cx, cy).find(
        ({ box }) => isWithin(box, frame) && taken.every((other) => isApart(box, other)),
      );
      if (!place) continue;
      taken.push(place.box);
      found.set(point, written(point.name, place, "name"));
    }
    return found;
  }

  /** The name of a point that the reader points at, over whatever is there. */
  function pointedName({ point, cx, cy }, frame) {
    const places = placesOf(point.name, cx, cy);
    const place = places.find(({ box }) => isWithin(box, frame)) ?? places[2];
    return written(point.name, place, "name pointed");
  }

  Object.assign(SHELF, { standingNames, pointedName });
})();
