// What is known of a model beyond its scores.
"use strict";
(() => {
  const { element, number } = SHELF;

  /** What a model takes for what, in sentences; nothing where that is not known. */
  function mistakes(detail) {
    const found = detail.confusions.filter((one) => one.most.length);
    if (!found.length) return null;
    return element(
      "div",
      { class: "mistakes" },
      element("h3", null, "Which labels it mistakes for others"),
      element(
        "div",
        { class: "columns" },
        found.map((one) =>
          element(
            "div",
            null,
            element(
              "p",
              null,
              element("code", null, SHELF.breakable(one.task)),
              `: ${SHELF.whole(one.wrong)} of ${SHELF.counted(one.n, "document")} wrong. Most often:`,
            ),
            sentences(one.most.slice(0, 5)),
            one.most.length > 5 &&
              element(
                "details",
                null,
                element("summary", null, `${one.most.length - 5} more`),
                sentences(one.most.slice(5)),
              ),
          ),
        ),
      ),
    );
  }

  function sentences(texts) {
    return element(
      "ul",
      { class: "said" },
      texts.map((text) => element("li", null, text)),
    );
  }

  /** Its scores in parts of the items. */
  function strata(detail) {
    if (!detail.strata.length) return null;
    return element(
      "details",
      { class: "strata" },
      element("summary", null, "Scores in parts: by length, and by who wrote the text"),
      detail.strata.map((part) =>
        element(
          "div",
          null,
          element("h3", null, element("code", null, part.task), `, by ${part.by}`),
          element(
            "p",
            { class: "note" },
            `By ${SHELF.metricName(part.metric)}`,
            SHELF.metricButton(part.metric),
            `. ${part.text ?? ""}`.trimEnd(),
          ),
          SHELF.scrolled(
            `${part.task}, ${SHELF.metricName(part.metric)} by ${part.by}`,
            SHELF.headed(["part", "items", "score", "interval"]),
            element(
              "tbody",
              null,
              part.strata.map(([name, n, value, low, high]) =>
                element(
                  "tr",
                  null,
                  element("th", { scope: "row" }, name),
                  element("td", null, SHELF.whole(n)),
                  element("td", null, number(value)),
                  element("td", null, SHELF.interval(low, high) || "–"),
                ),
              ),
            ),
          ),
          part.in_none > 0 &&
            element(
              "p",
              { class: "note" },
              `${SHELF.counted(part.in_none, "item")} in none of these parts.`,
            ),
        ),
      ),
    );
  }

  Object.assign(SHELF, { mistakes, strata });
})();
