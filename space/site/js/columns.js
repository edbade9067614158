// The columns of the leaderboard: what a cell shows, what it is sorted by, what is downloaded.
"use strict";
(() => {
  const { element } = SHELF;

  const HELP = {
    mean:
      "The plain average over the same tasks for every model that has one; which tasks, stands below the table. " +
      "A model that lacks one of them has no mean. Controls and optional tasks are in none.",
    coverage: "On how many tasks of this view the model has a score.",
    rate:
      "Documents that the model encodes in a second, on the machine that its run names. " +
      "It belongs to that machine: on another it is another number.",
    parameters: "Weights of the model that were learned: what decides how much memory it takes.",
    context:
      "Where a text is cut, in tokens (about three quarters of a word each). A dash: not cut, or not known.",
    released: "The day when the weights came out, where it is known.",
    cut: "Share of the texts that were longer than the model's limit, so that it did not see their ends.",
    money: "What the run cost in US dollars, where an endpoint charges for tokens.",
    licence: "Of the weights.",
    seen: "Whether the model can have met the documents in training: by the day when they were written and the last day of its training data, where sources state both.",
    interval:
      "Below a score stands its interval: how far it could move with other documents of the same kind.",
  };

  const asText = (value) =>
    value === null || value === undefined || value === "" ? "–" : String(value);

  function plain(key, title, type, value, shown, extra) {
    return {
      key,
      title,
      type,
      value,
      descending: type === "number",
      cell: (row) => element("td", { class: type === "text" ? "words" : null }, shown(row)),
      lines: (row) => [[title, value(row)]],
      ...extra,
    };
  }

  function modelColumn(marks) {
    return {
      key: "model",
      title: "Model",
      type: "text",
      width: "model",
      value: (row) => row.name,
      descending: false,
      lines: (row) => [
        ["model", row.name],
        ["key", row.key],
        ["status", row.status],
        ["kind", row.model.kind],
      ],
      cell: (row) =>
        element(
          "th",
          { scope: "row" },
          marks && marks(row),
          element(
            "a",
            {
              class: "name",
              href: SHELF.address("model.html", { model: row.key }),
              title: row.name.length > 60 ? row.name : null,
            },
            row.name,
          ),
          element("span", { class: "facts" }, factsOf(row)),
        ),
    };
  }

  function factsOf(row) {
    const size = row.model.parameters;
    const known = [
      row.model.kind,
      size === null ? null : SHELF.rounded(size),
      row.status === "verified" ? "verified" : null,
    ];
    return known.filter(Boolean).join(", ");
  }

  function meanColumn(view) {
    return plain("mean", "Mean", "number", view.mean, (row) => SHELF.number(view.mean(row)), {
      help: HELP.mean,
      width: "mean",
      cell: (row) =>
        element(
          "td",
          { class: "mean" },
          element("b", null, SHELF.number(view.mean(row))),
          element("i", null, view.meanGroup(row) ?? ""),
        ),
      lines: (row) => [["mean", view.mean(row)]],
    });
  }

  const percent = (value) => Math.round(100 * Math.min(1, Math.max(0, value)));

  // A hundred classes for the bars: a style on each of 40,000 cells would be slow to draw.
  const bars = new CSSStyleSheet();
  for (let n = 0; n <= 100; n += 1) {
    bars.insertRule(`.score.v${n} { --value: ${n}; }`);
    bars.insertRule(`.score.c${n} { --chance: ${n}; }`);
  }
  document.adoptedStyleSheets.push(bars);

  function taskColumn(task, facetShown) {
    const chance = task.chance;
    const isAtChance = (cell) => chance !== null && cell.low !== null && cell.low <= chance;
    return {
      key: task.id,
      title: task.id,
      type: "number",
      width: "task",
      task,
      over: SHELF.capital(
        facetShown
          ? `${task.facet}, ${SHELF.spoken(task.formulation)}`
          : SHELF.spoken(task.formulation),
      ),
      under: SHELF.metricName(task.metric),
      help: `${SHELF.metricHelp(task.metric)} ${task.note}`.trim(),
      value: (row) => row.value(task.id),
      descending: true,
      lines: (row) => {
        const { value, low, high, rank, tied, group } = row.cell(task.id);
        return [
          [task.id, value],
          [`${task.id} low`, low],
          [`${task.id} high`, high],
          [`${task.id} rank`, rank],
          [`${task.id} tied`, rank === null ? null : tied ? "yes" : "no"],
          [`${task.id} group`, group || null],
        ];
      },
      cell: (row) => scoreCell(row.cell(task.id), task, isAtChance),
    };
  }

  function scoreCell(cell, task, isAtChance) {
    if (cell.value === null) {
      return element(
        "td",
        { class: "score none", title: cell.reason },
        "–",
        element("span", { class: "unseen" }, ` ${cell.reason}`),
      );
    }
    const best = cell.rank === 1 && !task.control;
    const place =
      cell.rank === null
        ? ""
        : `#${cell.rank}${cell.tied ? "=" : ""}${cell.group ? ` ${cell.group}` : ""}`;
    const td = element(
      "td",
      {
        class: `score v${percent(cell.value)}${task.chance === null ? "" : ` c${percent(task.chance)}`}${task.control ? " control" : ""}${best ? " best" : ""}`,
      },
      element("b", null, SHELF.number(cell.value)),
      element("i", null, place),
      cell.low === null ? null : element("small", null, SHELF.interval(cell.low, cell.high)),
      isAtChance(cell) ? element("em", null, "at chance") : null,
    );
    return td;
  }

  /** All columns of a view. */
  function columnsOf(view, { facet, marks }) {
    const covered = (row) => view.tasks.filter((task) => row.value(task.id) !== null).length;
    return [
      modelColumn(marks),
      ...(view.hasMean ? [meanColumn(view)] : []),
      ...view.tasks.map((task) => taskColumn(task, facet === "all")),
      plain(
        "coverage",
        "Tasks",
        "number",
        covered,
        (row) => `${covered(row)} of ${view.tasks.length}`,
        {
          help: HELP.coverage,
          lines: (row) => [
            ["tasks", covered(row)],
            ["of", view.tasks.length],
          ],
        },
      ),
      plain(
        "rate",
        "Docs/s",
        "number",
        (row) => row.documentsPerSecond,
        (row) => SHELF.rate(row.documentsPerSecond),
        {
          help: HELP.rate,
          cell: (row) => element("td", { title: row.machine }, SHELF.rate(row.documentsPerSecond)),
          lines: (row) => [
            ["documents_per_second", row.documentsPerSecond],
            ["machine", row.machine],
          ],
        },
      ),
      plain(
        "parameters",
        "Parameters",
        "number",
        (row) => row.model.parameters,
        (row) => SHELF.rounded(row.model.parameters),
        {
          help: HELP.parameters,
          lines: (row) => [["parameters", row.model.parameters]],
        },
      ),
      plain(
        "context",
        "Context",
        "number",
        (row) => row.model.max_tokens,
        (row) => SHELF.whole(row.model.max_tokens),
        {
          help: HELP.context,
          lines: (row) => [["max_tokens", row.model.max_tokens]],
        },
      ),
      plain(
        "cut",
        "Texts cut",
        "number",
        (row) => row.cut,
        (row) => (row.cut === null ? "–" : `${(100 * row.cut).toFixed(0)} %`),
        {
          help: HELP.cut,
          lines: (row) => [["cut_share", row.cut]],
        },
      ),
      plain(
        "money",
        "Cost",
        "number",
        (row) => row.money,
        (row) => SHELF.money(row.money),
        {
          help: HELP.money,
          lines: (row) => [["money_usd", row.money]],
        },
      ),
      plain(
        "released",
        "Released",
        "date",
        (row) => row.model.released,
        (row) => asText(row.model.released),
        {
          help: HELP.released,
          descending: true,
          lines: (row) => [["released", row.model.released]],
        },
      ),
      plain(
        "licence",
        "Licence",
        "text",
        (row) => row.model.licence,
        (row) => asText(row.model.licence),
        {
          help: HELP.licence,
          lines: (row) => [["licence", row.model.licence]],
        },
      ),
      plain(
        "seen",
        "Seen before?",
        "text",
        (row) => SHELF.seen(row.seen),
        (row) => SHELF.capital(SHELF.seen(row.seen)),
        {
          help: HELP.seen,
          width: "sentence",
          lines: (row) => [["seen", row.seen]],
        },
      ),
    ];
  }

  Object.assign(SHELF, { columnsOf, HELP });
})();
