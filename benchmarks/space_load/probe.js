// Runs in every page before its own scripts: tells when a table is on the screen.
"use strict";
globalThis.shelfLoad = (() => {
  let pressed = 0;
  addEventListener("pointerdown", (event) => (pressed = event.timeStamp), true);

  /** Milliseconds since the navigation, a frame after the one in which something was there. */
  const painted = (isThere) =>
    new Promise((resolve) => {
      const look = () => {
        if (isThere()) requestAnimationFrame(() => resolve(performance.now()));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });

  const texts = (selector) =>
    [...document.querySelectorAll(selector)].map((own) => own.textContent.trim());

  /** Whether the columns are the tasks of a facet, and its first row stands in the window. */
  function isShown({ headings, row }, { tasks, words }) {
    const first = document.querySelector(row);
    if (!first || !words.every((word) => first.textContent.includes(word))) return false;
    const { top, height } = first.getBoundingClientRect();
    if (!height || top < 0 || top + height > innerHeight) return false;
    const own = texts(headings);
    return own.length === tasks.length && tasks.every((task, n) => own[n] === task);
  }

  return {
    /** When a facet is shown. */
    shown: (place, facet) => painted(() => isShown(place, facet)),
    /** When a facet is shown whose table can be sorted. */
    usable: (place, facet) =>
      painted(() => document.querySelector(place.sorts) !== null && isShown(place, facet)),
    /** When all rows are drawn. */
    whole: (place) => painted(() => document.querySelector(place.whole) !== null),
    /** When the last press of the pointer was. */
    pressed: () => pressed,
  };
})();
