// Plots as SVG elements. Every point is a link with a name: by mouse, by touch and by keyboard.
"use strict";
(() => {
  const { element, drawn, number } = SHELF;
  const WIDE = [640, 420];
  const NARROW = [400, 360];
  let [WIDTH, HEIGHT] = WIDE;
  const EDGE = { left: 56, right: 16, top: 14, bottom: 46 };

  function decades(low, high) {
    const found = [];
    const wide = Math.log10(high / low) > 2.5;
    for (
      let power = Math.floor(Math.log10(low));
      power <= Math.ceil(Math.log10(high));
      power += 1
    ) {
      for (const step of wide ? [1] : [1, 2, 5]) {
        const tick = step * 10 ** power;
        if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
      }
    }
    return found;
  }

  function evenly(low, high) {
    const rough = (high - low || 1) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const found = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step)
      found.push(Number(tick.toPrecision(6)));
    return found;
  }

  /** A scale of values onto pixels, with its ticks. */
  function scaleOf(values, from, to, logarithmic) {
    let low = Math.min(...values);
    let high = Math.max(...values);
    if (logarithmic) {
      low /= 1.35;
      high *= 1.35;
      const place = (value) =>
        from + ((Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low))) * (to - from);
      return { place, ticks: decades(low, high) };
    }
    const room = (high - low || 0.1) * 0.07;
    low -= room;
    high += room;
    return {
      place: (value) => from + ((value - low) / (high - low)) * (to - from),
      ticks: evenly(low, high),
    };
  }

  function tickText(value, logarithmic) {
    return logarithmic
      ? SHELF.rounded(value >= 1 ? value : Number(value.toPrecision(2))).replace(/\.0(?= |$)/, "")
      : String(Number(value.toFixed(4))).replace("-", "−");
  }

  function axes(x, y, labels, logarithmic) {
    const bottom = HEIGHT - EDGE.bottom;
    return [
      y.ticks.map((tick) =>
        drawn("line", {
          class: "grid",
          x1: EDGE.left,
          x2: WIDTH - EDGE.right,
          y1: y.place(tick),
          y2: y.place(tick),
        }),
      ),
      drawn("line", {
        class: "axis",
        x1: EDGE.left,
        x2: WIDTH - EDGE.right,
        y1: bottom,
        y2: bottom,
      }),
      drawn("line", { class: "axis", x1: EDGE.left, x2: EDGE.left, y1: EDGE.top, y2: bottom }),
      x.ticks.map((tick) =>
        drawn(
          "text",
          { x: x.place(tick), y: bottom + 17, "text-anchor": "middle" },
          tickText(tick, logarithmic),
        ),
      ),
      y.ticks.map((tick) =>
        drawn(
          "text",
          { x: EDGE.left - 7, y: y.place(tick) + 4, "text-anchor": "end" },
          tickText(tick),
        ),
      ),
      drawn(
        "text",
        { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 8, "text-anchor": "middle" },
        labels.x,
      ),
      drawn(
        "text",
        { x: -(EDGE.top + bottom) / 2, y: 13, transform: "rotate(-90)", "text-anchor": "middle" },
        labels.y,
      ),
    ].flat();
  }

  /** Names beside points, those that find room. */
  function namesOf(points, x, y) {
    const taken = points.map((point) => ({
      l: x.place(point.x) - 5,
      r: x.place(point.x) + 5,
      t: y.place(point.y) - 5,
      b: y.place(point.y) + 5,
    }));
    const free = (box) =>
      box.l > EDGE.left &&
      box.r < WIDTH &&
      box.t > 0 &&
      taken.every(
        (other) => box.r < other.l || box.l > other.r || box.b < other.t || box.t > other.b,
      );
    return points
      .filter((point) => point.named)
      .flatMap((point) => {
        const text = point.name.length > 26 ? `${point.name.slice(0, 25)}…` : point.name;
        const wide = text.length * 7.3;
        const [cx, cy] = [x.place(point.x), y.place(point.y)];
        const places = [
          { at: cx + 9, base: cy + 4, left: cx + 9, anchor: "start" },
          { at: cx - 9, base: cy + 4, left: cx - 9 - wide, anchor: "end" },
          { at: cx, base: cy - 10, left: cx - wide / 2, anchor: "middle" },
          { at: cx, base: cy + 19, left: cx - wide / 2, anchor: "middle" },
        ];
        const boxOf = ({ left, base }) => ({ l: left, r: left + wide, t: base - 10, b: base + 3 });
        const spot = places.find((place) => free(boxOf(place)));
        if (!spot) return [];
        taken.push(boxOf(spot));
        return [
          drawn(
            "text",
            {
              class: "name",
              x: spot.at,
              y: spot.base,
              "text-anchor": spot.anchor,
              "aria-hidden": "true",
            },
            text,
          ),
        ];
      });
  }

  function pointOf(point, x, y, read) {
    const [cx, cy] = [x.place(point.x), y.place(point.y)];
    const mark = point.on
      ? drawn("rect", { class: "point on", x: cx - 5, y: cy - 5, width: 10, height: 10 })
      : drawn("circle", { class: "point", cx, cy, r: 5 });
    const link = drawn(
      "a",
      {
        href: point.href,
        tabindex: "-1",
        "aria-label": point.text,
        class: "spot",
        onfocus: () => read(point),
        onpointerenter: () => read(point),
      },
      drawn("circle", { cx, cy, r: 11, fill: "transparent" }),
      mark,
    );
    return { link, cx, cy };
  }

  /** One stop of the Tab key; the arrows go from point to point, from left to right. */
  function walked(group, spots) {
    const order = [...spots].sort((a, b) => a.cx - b.cx || b.cy - a.cy).map((spot) => spot.link);
    order[0]?.setAttribute("tabindex", "0");
    group.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      const place = order.indexOf(event.target.closest("a"));
      if (!step || place < 0) return;
      event.preventDefault();
      const next = order[Math.min(order.length - 1, Math.max(0, place + step))];
      order[place].setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  }

  /**
   * A scatter plot. Points are {x, y, name, text, href, on, named}; `steps` joins those that are
   * `on` by stairs, `better` says on which side of x lies the cheap end, `diagonal` draws x = y.
   */
  function scatter({
    title,
    points,
    labels,
    logarithmic = false,
    steps = false,
    better = "left",
    diagonal = false,
  }) {
    // On a phone the same picture would shrink its letters.
    [WIDTH, HEIGHT] = innerWidth < 640 ? NARROW : WIDE;
    const bottom = HEIGHT - EDGE.bottom;
    const x = scaleOf(
      points.map((point) => point.x),
      EDGE.left,
      WIDTH - EDGE.right,
      logarithmic,
    );
    const y = scaleOf(
      points.map((point) => point.y),
      bottom,
      EDGE.top,
      false,
    );
    const reading = element(
      "p",
      { class: "reading", "aria-hidden": "true" },
      "Point at a model, or move to it with Tab and the arrows.",
    );
    const read = (point) => {
      reading.textContent = point.text;
    };
    const spots = [...points]
      .sort((a, b) => Number(a.on) - Number(b.on))
      .map((point) => pointOf(point, x, y, read));
    const group = drawn(
      "g",
      null,
      spots.map((spot) => spot.link),
    );
    const svg = drawn(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": title },
      axes(x, y, labels, logarithmic),
      diagonal && diagonalOf(points, x, y),
      steps &&
        stairs(
          points.filter((point) => point.on),
          x,
          y,
          better,
        ),
      group,
      namesOf(points, x, y),
    );
    walked(group, spots);
    const isDrawn = svg.querySelector(".same") !== null;
    return element(
      "figure",
      { class: "plot" },
      svg,
      reading,
      isDrawn &&
        element("figcaption", { class: "note" }, "On the dotted line both scores are equal."),
    );
  }

  function diagonalOf(points, x, y) {
    const low = Math.max(
      Math.min(...points.map((point) => point.x)),
      Math.min(...points.map((point) => point.y)),
    );
    const high = Math.min(
      Math.max(...points.map((point) => point.x)),
      Math.max(...points.map((point) => point.y)),
    );
    if (high <= low) return null;
    return drawn("line", {
      class: "same",
      x1: x.place(low),
      y1: y.place(low),
      x2: x.place(high),
      y2: y.place(high),
    });
  }

  function stairs(points, x, y, better) {
    const ordered = [...points].sort((a, b) => (better === "left" ? a.x - b.x : b.x - a.x));
    const corners = ordered.flatMap((point, n) =>
      n
        ? [
            [point.x, ordered[n - 1].y],
            [point.x, point.y],
          ]
        : [[point.x, point.y]],
    );
    return drawn("polyline", {
      class: "steps",
      points: corners.map(([a, b]) => `${x.place(a)},${y.place(b)}`).join(" "),
    });
  }

  /** Scores with intervals on one line, chance as a tick. `found` are {value, low, high, name}. */
  function dots(found, chance, { least = 0, greatest = 1 } = {}) {
    const place = (value) =>
      6 + 228 * Math.min(1, Math.max(0, (value - least) / (greatest - least)));
    const known = found.filter((one) => one.value !== null);
    const height = 10 + 11 * Math.max(1, found.length);
    const line = (n) => 11 + 11 * n;
    const text = known
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
          drawn("line", { class: "track", x1: 6, x2: 234, y1: line(n), y2: line(n) }),
        ),
        found.flatMap((one, n) =>
          one.value === null
            ? []
            : [
                one.low !== null &&
                  drawn("line", {
                    class: `s${n % 5}`,
                    x1: place(one.low),
                    x2: place(one.high),
                    y1: line(n),
                    y2: line(n),
                    "stroke-width": 3,
                  }),
                drawn("circle", { class: `s${n % 5}`, cx: place(one.value), cy: line(n), r: 4 }),
              ],
        ),
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

  Object.assign(SHELF, { scatter, dots });
})();
