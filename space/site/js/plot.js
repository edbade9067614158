// Plots as SVG elements. Every point is a link with a name: by mouse, by touch and by keyboard.
"use strict";
(() => {
  const { element, drawn } = SHELF;
  const WIDE = { width: 640, height: 420 };
  // On a phone the same picture would shrink its letters.
  const NARROW = { width: 400, height: 360 };
  const PHONE = 640;
  const EDGE = { left: 56, right: 16, top: 14, bottom: 46 };

  function frameNow() {
    const { width, height } = innerWidth < PHONE ? NARROW : WIDE;
    return {
      width,
      height,
      left: EDGE.left,
      right: width - EDGE.right,
      top: EDGE.top,
      bottom: height - EDGE.bottom,
    };
  }

  const line = (kind, x1, y1, x2, y2) => drawn("line", { class: kind, x1, y1, x2, y2 });

  const text = (attributes, words) =>
    drawn("text", { "text-anchor": "middle", ...attributes }, words);

  function axes(frame, x, y, labels) {
    const { left, right, top, bottom } = frame;
    return [
      ...y.ticks.map(({ at }) => line("grid", left, at, right, at)),
      x.band ? line("grid", x.band, top, x.band, bottom) : null,
      line("axis", left, bottom, right, bottom),
      line("axis", left, top, left, bottom),
      ...x.ticks.map((tick) => text({ class: "tick-x", x: tick.at, y: bottom + 17 }, tick.text)),
      ...y.ticks.map((tick) =>
        text({ class: "tick-y", x: left - 7, y: tick.at + 4, "text-anchor": "end" }, tick.text),
      ),
      text({ x: (left + right) / 2, y: frame.height - 8 }, labels.x),
      text({ x: -(top + bottom) / 2, y: 13, transform: "rotate(-90)" }, labels.y),
    ];
  }

  function spotOf(point, x, y, pointed) {
    const [cx, cy] = [x.place(point.x), y.place(point.y)];
    const mark = point.on
      ? drawn("rect", { class: "point on", x: cx - 5, y: cy - 5, width: 10, height: 10 })
      : drawn("circle", { class: "point", cx, cy, r: 5 });
    const spot = { point, cx, cy };
    const here = () => pointed(spot);
    const away = () => pointed(null);
    spot.link = drawn(
      "a",
      {
        href: point.href,
        tabindex: "-1",
        "aria-label": point.text,
        class: "spot",
        onfocus: here,
        onblur: away,
        onpointerenter: here,
        onpointerleave: away,
      },
      drawn("circle", { cx, cy, r: 11, fill: "transparent" }),
      mark,
    );
    return spot;
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

  /** The name and the sentence of the point that the reader points at. */
  function pointing(frame) {
    const sentence = element(
      "p",
      { class: "reading", "aria-hidden": "true" },
      "Point at a model, or move to it with Tab and the arrows.",
    );
    const label = drawn("g", { class: "label" });
    return {
      sentence,
      label,
      show: (spot, standing) => {
        if (spot) sentence.textContent = spot.point.text;
        SHELF.fill(label, spot && !standing.has(spot.point) && SHELF.pointedName(spot, frame));
      },
    };
  }

  /**
   * A scatter plot. Points are {x, y, name, text, href, on, named}; `zero` is what a logarithmic
   * axis calls nothing; `steps` joins the points that are `on` by stairs, `better` says on which
   * side of x lies the cheap end, `diagonal` draws x = y.
   */
  function scatter({
    title,
    points,
    labels,
    logarithmic = false,
    zero = "none",
    steps = false,
    better = "left",
    diagonal = false,
  }) {
    const frame = frameNow();
    const across = points.map((point) => point.x);
    const x = logarithmic
      ? SHELF.logarithmicScale(across, frame.left, frame.right, zero)
      : SHELF.linearScale(across, frame.left, frame.right);
    const up = points.map((point) => point.y);
    const y = SHELF.linearScale(up, frame.bottom, frame.top);
    const reading = pointing(frame);
    const spots = [...points]
      .sort((a, b) => Number(a.on) - Number(b.on))
      .map((point) => spotOf(point, x, y, (spot) => reading.show(spot, standing)));
    const corners = steps ? stairs(points, x, y, better) : [];
    const room = { ...frame, right: frame.width, top: 0 };
    const standing = SHELF.standingNames(spots, room, corners);
    const group = drawn(
      "g",
      null,
      spots.map((spot) => spot.link),
    );
    walked(group, spots);
    const same = diagonal ? diagonalOf(across, up, x, y) : null;
    return element(
      "figure",
      { class: "plot" },
      drawn(
        "svg",
        { viewBox: `0 0 ${frame.width} ${frame.height}`, role: "group", "aria-label": title },
        axes(frame, x, y, labels),
        same,
        steps && drawn("polyline", { class: "steps", points: corners.join(" ") }),
        group,
        [...standing.values()],
        reading.label,
      ),
      reading.sentence,
      same && element("figcaption", { class: "note" }, "On the dotted line both scores are equal."),
    );
  }

  function diagonalOf(across, up, x, y) {
    const low = Math.max(Math.min(...across), Math.min(...up));
    const high = Math.min(Math.max(...across), Math.max(...up));
    if (high <= low) return null;
    return line("same", x.place(low), y.place(low), x.place(high), y.place(high));
  }

  /** Corners of the line that joins the points that are `on`, level and upright in turn. */
  function stairs(points, x, y, better) {
    const ordered = points
      .filter((point) => point.on)
      .sort((a, b) => (better === "left" ? a.x - b.x : b.x - a.x) || b.y - a.y);
    const corners = ordered.flatMap((point, n) =>
      n
        ? [
            [point.x, ordered[n - 1].y],
            [point.x, point.y],
          ]
        : [[point.x, point.y]],
    );
    return corners.map(([a, b]) => [x.place(a), y.place(b)]);
  }

  Object.assign(SHELF, { scatter });
})();
