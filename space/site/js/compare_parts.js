// Chosen models in parts of the items: by length of the text, by who wrote it.
"use strict";
(() => {
  const { element, number } = SHELF;

  /** The scores of chosen models in parts of a task's items; the reader chooses which parts. */
  async function comparedParts(all, board, chosen, state, alter) {
    const details = await Promise.all(
      chosen.map(async (row) => {
        if (!row.model.detailed) return [];
        const own = await SHELF.load(`model-${all.byKey.get(row.key)}`);
        return own
          .filter((entry) => entry.board === board.number && entry.row === row.n)
          .flatMap((entry) => entry.strata);
      }),
    );
    const keys = [...new Set(details.flat().map((part) => `${part.task}, by ${part.by}`))];
    if (!keys.length)
      return element(
        "p",
        { class: "absent" },
        "Scores in parts are not known of these models on this board.",
      );
    const key = keys.includes(state.strata) ? state.strata : keys[0];
    const found = details.map((own) => own.find((part) => `${part.task}, by ${part.by}` === key));
    const any = found.find(Boolean);
    const names = [...new Set(found.flatMap((part) => part?.strata.map(([name]) => name) ?? []))];
    return element(
      "div",
      null,
      element(
        "div",
        { class: "row" },
        SHELF.selection(
          "Parts of",
          keys.map((each) => [each, each]),
          key,
          (strata) => alter({ strata: strata === keys[0] ? "" : strata }),
          { id: "strata", class: "wide" },
        ),
      ),
      element(
        "p",
        { class: "note" },
        `By ${SHELF.metricName(any.metric)}`,
        SHELF.metricButton(any.metric),
        `. ${any.text ?? ""}`.trimEnd(),
      ),
      SHELF.scrolled(
        `${key}, ${SHELF.metricName(any.metric)}`,
        SHELF.headed(["part", "items", ...chosen.map((row) => row.name)]),
        element(
          "tbody",
          null,
          names.map((name) => {
            const own = found.map((part) => part?.strata.find(([each]) => each === name) ?? null);
            return element(
              "tr",
              null,
              element("th", { scope: "row" }, name),
              element("td", null, SHELF.whole(own.find(Boolean)?.[1])),
              own.map((stratum) =>
                element(
                  "td",
                  null,
                  number(stratum?.[2]),
                  element(
                    "span",
                    { class: "interval" },
                    SHELF.interval(stratum?.[3], stratum?.[4]),
                  ),
                ),
              ),
            );
          }),
        ),
      ),
      element("p", { class: "note" }, "A dash: too few items for a value, or none."),
    );
  }

  Object.assign(SHELF, { comparedParts });
})();
