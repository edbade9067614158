// A model's page.
"use strict";
(() => {
  const { element, number } = SHELF;

  async function page() {
    const place = document.getElementById("model");
    const all = await SHELF.catalogue();
    SHELF.know(all);
    const fields = {
      model: SHELF.choice(
        all.models.map((model) => model.key),
        "",
      ),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const position = all.byKey.get(state.model);
    if (position === undefined) {
      SHELF.fill(place, listOf(all));
      return;
    }
    const model = all.models[position];
    document.title = `${model.name}, SHELF`;
    const boards = await Promise.all(model.boards.map((n) => SHELF.board(n)));
    const details = model.detailed ? await SHELF.load(`model-${position}`) : [];
    const rows = boards.flatMap((board) =>
      SHELF.rowsOf(board).filter((row) => row.key === model.key),
    );
    SHELF.fill(
      place,
      element("h1", null, model.name),
      facts(model, rows),
      element(
        "p",
        null,
        element(
          "a",
          {
            href: SHELF.address("compare.html", {
              board: rows[0]?.board.facts.key ?? "",
              model: model.key,
            }),
          },
          "Compare it with others",
        ),
      ),
      ...rows.map((row) =>
        onBoard(
          row,
          all,
          details.find((entry) => entry.board === row.board.number && entry.row === row.n),
        ),
      ),
    );
  }

  function listOf(all) {
    return [
      element("h1", null, "Models"),
      element(
        "p",
        null,
        all.models.length
          ? "The link names no model. These are known:"
          : "There are no models yet.",
      ),
      element(
        "ul",
        { class: "plain" },
        all.models.map((model) =>
          element(
            "li",
            null,
            element("a", { href: SHELF.address("model.html", { model: model.key }) }, model.name),
            ` (${model.kind}${model.reported ? ", reported" : ""})`,
          ),
        ),
      ),
    ];
  }

  function facts(model, rows) {
    const known = [
      ["Kind", model.kind],
      ["Given as", model.spec],
      ["Weights", model.checkpoint],
      ["Revision", model.revision],
      ["Parameters", model.parameters === null ? null : `${SHELF.whole(model.parameters)}`],
      ["Dimension", model.dimension === null ? null : SHELF.whole(model.dimension)],
      ["Context", model.max_tokens === null ? null : `${SHELF.whole(model.max_tokens)} tokens`],
      ["Open weights", { true: "yes", false: "no" }[model.open_weights] ?? null],
      ["Licence", model.licence],
      ["Released", model.released],
      [
        "Learned nothing after",
        model.cutoff &&
          `${model.cutoff} (${model.cutoff_of === "training" ? "end of its training data" : "its release"})`,
      ],
      ["Source of that date", model.cutoff_source],
      ["Speed", speeds(rows)],
    ];
    const missing = known
      .filter(([name]) => name !== "Given as")
      .filter(([, value]) => value === null || value === undefined || value === "")
      .map(([name]) => name.toLowerCase());
    return element(
      "div",
      null,
      element(
        "dl",
        { class: "facts-list" },
        known
          .filter(([, value]) => value)
          .flatMap(([name, value]) => [element("dt", null, name), element("dd", null, value)]),
      ),
      missing.length > 0 &&
        element("p", { class: "note" }, `Not known or not there: ${SHELF.listed(missing)}.`),
    );
  }

  function speeds(rows) {
    const found = rows
      .filter((row) => row.documentsPerSecond !== null)
      .map(
        (row) =>
          `${SHELF.rate(row.documentsPerSecond)} documents a second${row.rateLow === null ? "" : ` [${SHELF.rate(row.rateLow)}, ${SHELF.rate(row.rateHigh)}]`}${row.machine ? ` on ${row.machine}` : ""}`,
      );
    return [...new Set(found)].join("; ");
  }

  const STATUS = {
    computed: "Computed by those who hold the results.",
    verified: "Sent in, and run again with the same outcome.",
    unverified: "Sent in and consistent with its items; nobody has run it again. It has no rank.",
    reported: "Published elsewhere, without items: no interval, no rank.",
  };

  function onBoard(row, all, detail) {
    const { board } = row;
    const tasks = board.tasks.filter((task) => row.value(task.id) !== null);
    const absent = board.tasks.filter((task) => row.value(task.id) === null);
    const level = Math.round(100 * (board.facts.level ?? 0.95));
    return element(
      "section",
      { "data-board": board.facts.key },
      element("h2", null, all.boards[board.number].label),
      element("p", null, STATUS[row.status]),
      element("p", { class: "seen" }, `The documents: ${seenText(row.seen)}`),
      row.cut !== null &&
        element(
          "p",
          null,
          `${(100 * row.cut).toFixed(0)} % of the texts were longer than it reads, so it did not see their ends.`,
        ),
      SHELF.scrolled(
        `${board.facts.title}${board.facts.level ? `; in brackets ${level} % intervals` : ""}`,
        element(
          "thead",
          null,
          element(
            "tr",
            null,
            ["task", "score", "rank", "tie group", "chance", "on the scale from 0 to 1"].map(
              (name, n) => element("th", { scope: "col", class: n === 5 ? "words" : null }, name),
            ),
          ),
        ),
        element(
          "tbody",
          null,
          tasks.map((task) => scoreLine(row, task)),
        ),
      ),
      absent.length > 0 &&
        element(
          "details",
          null,
          element("summary", null, `${SHELF.counted(absent.length, "task")} without a score`),
          element(
            "ul",
            null,
            absent.map((task) =>
              element("li", null, element("code", null, task.id), `: ${row.cell(task.id).reason}`),
            ),
          ),
        ),
      detail && mistakes(detail),
      detail && strata(detail),
    );
  }

  function seenText(seen) {
    return {
      "out of sample by date":
        "they were written after all that it learned from, so it cannot have met them.",
      "may have seen": "they were there before its training ended, so it may have met them.",
      unknown: "it is not known whether it has met them, since no source states the dates.",
      "in pretraining data":
        "such texts are known to be in pretraining data, so it has probably met some.",
      "no pretraining": "it knows nothing but the collection that it is fitted on.",
    }[seen];
  }

  function scoreLine(row, task) {
    const cell = row.cell(task.id);
    const ranked = SHELF.rowsOf(row.board).filter(
      (other) => SHELF.isRanked(other) && other.value(task.id) !== null,
    ).length;
    return element(
      "tr",
      { "data-task": task.id },
      element(
        "th",
        { scope: "row" },
        element("code", null, SHELF.breakable(task.id)),
        element(
          "span",
          { class: "interval" },
          SHELF.metricName(task.metric),
          SHELF.help(SHELF.metricName(task.metric), SHELF.metricHelp(task.metric)),
        ),
        task.control && element("span", { class: "mark" }, "control"),
      ),
      element(
        "td",
        null,
        number(cell.value),
        element("span", { class: "interval" }, SHELF.interval(cell.low, cell.high)),
      ),
      element(
        "td",
        null,
        cell.rank === null ? "–" : `${cell.rank}${cell.tied ? ", shared" : ""}`,
        cell.rank !== null && element("span", { class: "interval" }, `of ${ranked}`),
      ),
      element("td", null, cell.group || "–"),
      element(
        "td",
        null,
        number(task.chance),
        cell.low !== null &&
          task.chance !== null &&
          cell.low <= task.chance &&
          element("span", { class: "interval" }, "not told from it"),
      ),
      element("td", { class: "words" }, SHELF.dots([{ ...cell, name: row.name }], task.chance)),
    );
  }

  function mistakes(detail) {
    const found = detail.confusions.filter((one) => one.most.length);
    if (!found.length) return null;
    return element(
      "div",
      { class: "mistakes" },
      element("h3", null, "What it takes for what"),
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
          part.text && element("p", { class: "note" }, part.text),
          SHELF.scrolled(
            `${part.task}, ${SHELF.metricName(part.metric)} by ${part.by}`,
            element(
              "thead",
              null,
              element(
                "tr",
                null,
                ["part", "items", "score", "interval"].map((name) =>
                  element("th", { scope: "col" }, name),
                ),
              ),
            ),
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

  SHELF.run(page, document.getElementById("model"));
})();
