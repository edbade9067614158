// Scales of values onto pixels, with ticks that can be read: two at least, and none over another.
"use strict";
(() => {
  const LETTER = 7;
  const GAP = 8;
  const BAND = 64;
  const LEAST_RANGE = 0.002;

  function decades(low, high, steps, stride) {
    const found = [];
    const first = Math.floor(Math.log10(low));
    for (let power = first; power <= Math.ceil(Math.log10(high)); power += 1) {
      if (power % stride) continue;
      for (const step of steps) {
        const tick = step * 10 ** power;
        if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
      }
    }
    return found;
  }

  function evenly(low, high, many = 5) {
    const rough = (high - low) / many;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const found = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step)
      found.push(Number(tick.toPrecision(6)));
    return found;
  }

  function canBeRead(ticks) {
    const boxes = ticks.map(({ at, text }) => [at, (text.length * LETTER) / 2]);
    return boxes.every(
      ([at, half], n) => n === 0 || at - half >= boxes[n - 1][0] + boxes[n - 1][1] + GAP,
    );
  }

  /** A scale in even steps. */
  function linearScale(values, from, to) {
    const least = Math.min(...values);
    const most = Math.max(...values);
    const room = Math.max((most - least) * 0.07, LEAST_RANGE / 2);
    const [low, high] = [least - room, most + room];
    const place = (value) => from + ((value - low) / (high - low)) * (to - from);
    const text = (value) => String(Number(value.toFixed(4))).replace("-", "−");
    return {
      place,
      ticks: evenly(low, high).map((value) => ({ value, at: place(value), text: text(value) })),
    };
  }

  /**
   * A scale in even factors, from left to right. Values of nothing, which it has no place for,
   * stand in a band of their own before it, under the word `zero`.
   */
  function logarithmicScale(values, from, to, zero) {
    const some = values.filter((value) => value > 0);
    const start = some.length < values.length ? from + BAND : from;
    const nothing = some.length ? from + BAND / 2 : (from + to) / 2;
    const low = Math.min(...some) / 1.35;
    const high = Math.max(...some) * 1.35;
    const along = (value) => Math.log(value / low) / Math.log(high / low);
    const place = (value) => (value > 0 ? start + along(value) * (to - start) : nothing);
    const tick = (value) => ({ value, at: place(value), text: SHELF.brief(value) });
    const ofNothing = some.length < values.length ? [{ value: 0, at: nothing, text: zero }] : [];
    return {
      place,
      band: some.length && some.length < values.length ? start : null,
      ticks: some.length ? readable(low, high, tick, ofNothing) : ofNothing,
    };
  }

  /** The closest ticks of which none covers another. */
  function readable(low, high, tick, before) {
    const candidates = [
      decades(low, high, [1, 2, 5], 1),
      decades(low, high, [1, 3], 1),
      ...[1, 2, 3, 4, 6].map((stride) => decades(low, high, [1], stride)),
      ...[5, 3, 2].map((many) => evenly(low, high, many)),
    ];
    const found = candidates
      .filter((values) => values.length > 1)
      .map((values) => [...before, ...values.map(tick)])
      .find(canBeRead);
    return found ?? [...before, tick(Number(high.toPrecision(2)))];
  }

  Object.assign(SHELF, { linearScale, logarithmicScale });
})();
