// Scores with their intervals on one line.
"use strict";
(() => {
  const { element, drawn, number } = SHELF;
  const LEFT = 6;
  const WIDE = 228;
  const LINE = 11;

  /** Scores on lines, chance as a tick. `found` are {value, low, high, name}. */
  function dots(found, chance, { least = 0, greatest = 1 } = {}) {
    const place = (value) =>
      LEFT + WIDE * Math.min(1, Math.max(0, (value - least) / (greatest - least)));
    const height = 10 + LINE * Math.max(1, found.length);
    const line = (n) => LINE * (n + 1);
    const text = found
      .filter((one) => one.value !== null)
      .map((one) => `${one.name} ${number(one.value)} ${SHELF.interval(one.low, one.high)}`.trim())
      .join("; ");
    return element(
      "div",
      { class: "dots" },
      drawn(
        "svg",
        {
          viewBox: `0 0 240 ${height}`,
          role: "img",
          "aria-label": text + (chance === null ? "" : `; chance ${number(chance)}`),
        },
        found.map((_, n) =>
          drawn("line", { class: "track", x1: LEFT, x2: LEFT + WIDE, y1: line(n), y2: line(n) }),
        ),
        found.flatMap((one, n) => (one.value === null ? [] : dot(one, n, line(n), place))),
        chance !== null &&
          drawn("line", {
            class: "chance",
            x1: place(chance),
            x2: place(chance),
            y1: 3,
            y2: height - 3,
          }),
      ),
    );
  }

  function dot({ value, low, high }, n, y, place) {
    const colour = `s${n % 5}`;
    return [
      low !== null &&
        drawn("line", {
          class: colour,
          x1: place(low),
          x2: place(high),
          y1: y,
          y2: y,
          "stroke-width": 3,
        }),
      drawn("circle", { class: colour, cx: place(value), cy: y, r: 4 }),
    ];
  }

  Object.assign(SHELF, { dots });
})();
