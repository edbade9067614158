// The models that are ticked in the table, to be compared on a page of their own.
"use strict";
(() => {
  const { element, counted } = SHELF;
  const MOST_COMPARED = 5;

  const FULL = `At most ${MOST_COMPARED} models can be compared at once. Take one away to choose another.`;

  /**
   * A box that chooses a row; `chosen` gives the keys that are, `changed` takes the new ones,
   * `refused` is called where no more can be chosen.
   */
  function tickBox(row, chosen, changed, refused) {
    const box = element("input", {
      type: "checkbox",
      checked: chosen().includes(row.key),
      "aria-label": `Choose ${row.name} to compare`,
      value: row.key,
    });
    box.addEventListener("change", () => {
      const others = chosen().filter((key) => key !== row.key);
      if (box.checked && others.length >= MOST_COMPARED) {
        box.checked = false;
        SHELF.announce(FULL);
        refused();
        return;
      }
      changed(box.checked ? [...others, row.key] : others);
    });
    return box;
  }

  /** The link to the comparison of the chosen models. */
  function compareLink(board, chosen) {
    if (!chosen.length) return "";
    if (chosen.length < 2) return "One model is chosen: choose another to compare them.";
    const query = new URLSearchParams([["board", board], ...chosen.map((key) => ["model", key])]);
    return element(
      "a",
      { href: `compare.html?${query}` },
      `Compare ${counted(chosen.length, "model")}`,
    );
  }

  Object.assign(SHELF, { MOST_COMPARED, FULL, tickBox, compareLink });
})();
