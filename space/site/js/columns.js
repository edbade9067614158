// The columns of the leaderboard: what a cell shows, what it is sorted by, what is downloaded.
"use strict";
(() => {
  const { element } = SHELF;

  const HELP = {
    coverage: "On how many tasks of this view the model has a score.",
    rate:
      "Documents that the model encodes in a second, on the machine that its run names. " +
      "It belongs to that machine: on another it is another number.",
    parameters:
      "Weights of the model that were learned: what decides how much memory it takes. " +
      "None where words are counted and nothing is learned.",
    context:
      "Where a text is cut, in tokens (about three quarters of a word each). " +
      "A dash: not cut, or not known.",
    released: "The day when the weights came out, where it is known.",
    cut:
      "Share of the texts that were longer than the model's limit, " +
      "so that it did not see their ends.",
    money: "What the run cost in US dollars, where an endpoint charges for tokens.",
    licence: "Of the weights.",
    seen:
      "Whether the model can have met the documents in training: by the day when they were written " +
      "and the last day of its training data, where sources state both.",
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
            SHELF.breakable(row.name),
          ),
          element("span", { class: "facts", title: row.flagged }, factsOf(row)),
        ),
    };
  }

  function factsOf(row) {
    const size = SHELF.weightsOf(row.model);
    const known = [
      row.model.kind,
      size ? SHELF.rounded(size) : null,
      row.status === "verified" ? "verified" : null,
      row.flagged ? "flagged" : null,
    ];
    return known.filter(Boolean).join(", ");
  }

  /** The places of a mean that the tests leave open, and its letters. */
  function meanPlace(view, row) {
    const places = view.meanPlaces(row);
    if (!places) return "";
    const [best, worst] = places;
    const place = best === worst ? `#${best}` : `#${best} to #${worst}`;
    return `${place} ${view.meanGroup(row) ?? ""}`.trimEnd();
  }

  function meanColumn(view) {
    return plain("mean", "Mean", "number", view.mean, (row) => SHELF.number(view.mean(row)), {
      help: SHELF.MEAN_HELP,
      width: "mean",
      under: view.meanText,
      cell: (row) =>
        element(
          "td",
          { class: "mean" },
          element("b", null, SHELF.number(view.mean(row))),
          element("i", null, meanPlace(view, row)),
        ),
      lines: (row) => {
        const [best, worst] = view.meanPlaces(row) ?? [null, null];
        return [
          ["mean", view.mean(row)],
          ["mean best rank", best],
          ["mean worst rank", worst],
          ["mean group", view.meanGroup(row)],
        ];
      },
    });
  }

  const step = (value) => Math.round(100 * Math.min(1, Math.max(0, value)));

  // A hundred classes for the bars: a style on each of 40,000 cells would be slow to draw.
  const bars = new CSSStyleSheet();
  for (let n = 0; n <= 100; n += 1) {
    bars.insertRule(`.score.v${n} { --value: ${n}; }`);
    bars.insertRule(`.score.c${n} { --chance: ${n}; }`);
  }
  document.adoptedStyleSheets.push(bars);

  function taskColumn(task, facetShown) {
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
      help: [task.question, SHELF.metricHelp(task.metric), task.note].filter(Boolean).join(" "),
      value: (row) => row.value(task.id),
      descending: true,
      lines: (row) => scoreLines(task, row.cell(task.id)),
      cell: (row) => scoreCell(row.cell(task.id), task),
    };
  }

  const said = (holds) => (holds ? "yes" : "no");

  function scoreLines(task, cell) {
    const isThere = cell.value !== null;
    const parts = {
      low: cell.low,
      high: cell.high,
      rank: cell.rank,
      tied: cell.rank === null ? null : said(cell.tied),
      group: cell.group || null,
      chance: SHELF.chanceOf(task, cell),
      "at chance": isThere ? said(SHELF.isAtChance(task, cell)) : null,
      metric: task.metric,
      control: said(task.control),
    };
    const named = Object.entries(parts).map(([name, value]) => [`${task.id} ${name}`, value]);
    return [[task.id, cell.value], ...named];
  }

  function placeText({ rank, tied, group }) {
    return rank === null ? "" : `#${rank}${tied ? "=" : ""} ${group}`.trimEnd();
  }

  function scoreCell(cell, task) {
    if (cell.value === null) {
      return element(
        "td",
        { class: "score none", title: cell.reason },
        "–",
        element("span", { class: "unseen" }, ` ${cell.reason}`),
      );
    }
    const level = SHELF.chanceOf(task, cell);
    const classes = [
      `score v${step(cell.value)}`,
      level !== null && `c${step(level)}`,
      task.control && "control",
      cell.rank === 1 && !task.control && "best",
    ];
    return element(
      "td",
      { class: classes.filter(Boolean).join(" ") },
      element("b", null, SHELF.number(cell.value)),
      element("i", null, placeText(cell)),
      cell.low !== null && element("small", null, SHELF.interval(cell.low, cell.high)),
      SHELF.isAtChance(task, cell) &&
        element("em", { title: `Chance is ${SHELF.number(level)}.` }, "at chance"),
    );
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
        (row) => SHELF.weightsOf(row.model),
        (row) => (SHELF.weightsOf(row.model) === 0 ? "none" : SHELF.rounded(row.model.parameters)),
        {
          help: HELP.parameters,
          lines: (row) => [["parameters", SHELF.weightsOf(row.model)]],
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
        (row) => SHELF.percent(row.cut),
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

  Object.assign(SHELF, { columnsOf });
})();
