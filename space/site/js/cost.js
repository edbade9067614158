// Quality against documents a second, parameters and money.
"use strict";
(() => {
  const { element, choice, counted, number } = SHELF;

  // What a model costs: a number, 0 for nothing, null where that is not known. `zero` is nothing in
  // words, `at` a cost in a sentence.
  const COSTS = [
    {
      key: "rate",
      axis: "documents a second (more is cheaper)",
      name: "documents a second",
      unknown: "Documents a second are",
      of: (row) => row.documentsPerSecond || null,
      shown: SHELF.rate,
      at: (value) => `at ${SHELF.rate(value)} documents a second`,
      sign: -1,
    },
    {
      key: "parameters",
      axis: "parameters",
      name: "parameters",
      unknown: "Parameters are",
      zero: "no learned weights",
      of: (row) => SHELF.weightsOf(row.model),
      shown: SHELF.rounded,
      at: (value) => (value ? `at ${SHELF.rounded(value)} parameters` : "with no learned weights"),
      sign: 1,
    },
    {
      key: "money",
      axis: "US dollars for the run",
      name: "money",
      unknown: "Money is",
      zero: "nothing",
      of: (row) => row.money,
      shown: SHELF.money,
      at: (value) => (value ? `for ${SHELF.money(value)}` : "for nothing"),
      sign: 1,
    },
  ];

  const WHY = {
    controls:
      "There is no quality to set against a cost: every task here is a control or optional.",
    unscored: "There is no quality to set against a cost: no model has a score here.",
    apart: "There is no quality to set against a cost: these models have no task in common.",
  };

  async function page() {
    const place = document.getElementById("cost");
    const all = await SHELF.catalogueFor(place);
    if (!all) return;
    const fields = {
      board: await SHELF.boardField(all),
      facet: choice(["all", ...new Set(all.tasks.map((task) => task.facet))], "all"),
      formulation: choice(["all", ...new Set(all.tasks.map((task) => task.formulation))], "all"),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const shown = element("div", null);
    const controls = element("div", { class: "row" });
    SHELF.fill(place, controls, shown);
    const alter = (part) => {
      Object.assign(state, part);
      SHELF.write(fields, state);
      return SHELF.run(show, shown);
    };

    async function show() {
      const board = await SHELF.board(all.boardByKey.get(state.board));
      SHELF.fill(controls, ...choicesOf(all, board, state, alter));
      SHELF.closeFormulations(controls, board, state.facet);
      const view = SHELF.viewOf(board, state.facet, state.formulation);
      const why = view ? SHELF.whyNoQuality(view) : "nothing";
      if (why) {
        SHELF.fill(shown, absent(why, state));
        return;
      }
      const quality = SHELF.qualityOf(view);
      const rows = view.main.filter((row) => quality.of(row) !== null);
      SHELF.fill(shown, ...drawnFor(view, rows, quality));
      SHELF.announce(`${counted(rows.length, "model")} with a ${quality.name}.`);
    }

    await show();
  }

  function choicesOf(all, board, state, alter) {
    const facets = new Set(["all", ...SHELF.occurring(board, "facet"), state.facet]);
    return [
      SHELF.boardChoice(all, state.board, (key) => alter({ board: key })),
      SHELF.selection(
        "Facet",
        [...facets].map((name) => [name, SHELF.capital(name)]),
        state.facet,
        (facet) => alter({ facet }),
        { id: "facet" },
      ),
      SHELF.formulationChoice(board, state.formulation, (formulation) => alter({ formulation })),
    ];
  }

  /** In place of the plots: why there are none. */
  function absent(why, state) {
    if (why === "nothing")
      return SHELF.notice("nothing", element("p", null, "This board has no such task."));
    if (why !== "unverified") return SHELF.notice("nothing", element("p", null, WHY[why]));
    const { board, facet, formulation } = state;
    const there = SHELF.address("index.html", { board, facet, formulation, unverified: "yes" });
    return SHELF.notice(
      "nothing",
      element(
        "p",
        null,
        "Only unverified submissions here. Nobody has run them again, so they are not drawn. ",
        element("a", { href: there }, "Show them in the leaderboard"),
      ),
    );
  }

  function drawnFor(view, rows, quality) {
    const without = view.main.length - rows.length;
    const unverified = view.unverified.filter(view.isScored).length;
    const notDrawn = (n) => `${n === 1 ? "is" : "are"} not drawn.`;
    const said = [
      `Quality is the ${quality.tasks.length > 1 ? view.meanText : quality.name}.`,
      without && `${counted(without, "model")} without it ${notDrawn(without)}`,
      unverified && `${counted(unverified, "unverified submission")} ${notDrawn(unverified)}`,
    ];
    return [
      element(
        "p",
        { class: "note" },
        said[0],
        SHELF.qualityButton(quality),
        ` ${said.slice(1).filter(Boolean).join(" ")}`.trimEnd(),
      ),
      view.isReported &&
        element(
          "p",
          { class: "note" },
          "Reported scores, not computed here: no interval says which of them differ.",
        ),
      element(
        "div",
        { class: "plots" },
        inOrder(COSTS.map((cost) => pictured(cost, rows, quality))),
      ),
    ];
  }

  /** Plots first, then what is not drawn. */
  function inOrder(sections) {
    const isDrawn = (section) => section.classList.contains("drawn");
    const found = sections.filter(isDrawn);
    found.at(-1)?.classList.add("last");
    return [...found, ...sections.filter((section) => !isDrawn(section))];
  }

  /** Rates of two machines are not to be compared: those of the machine with most models. */
  function ofOneMachine(rows) {
    const found = new Map();
    for (const row of rows) found.set(row.machine, [...(found.get(row.machine) ?? []), row]);
    const [most] = [...found].sort((a, b) => b[1].length - a[1].length);
    return most ? { machine: most[0], kept: most[1] } : { machine: null, kept: [] };
  }

  function pictured(cost, rows, quality) {
    const known = rows.filter((row) => cost.of(row) !== null);
    const { machine, kept } =
      cost.key === "rate" ? ofOneMachine(known) : { machine: null, kept: known };
    const title = `Quality against ${cost.name}`;
    if (!kept.length) {
      return element(
        "section",
        { "data-cost": cost.key, class: "undrawn" },
        element("h2", null, title),
        element(
          "p",
          { class: "absent" },
          `Not drawn. ${cost.unknown} not known of any model here.`,
        ),
      );
    }
    const best = SHELF.frontier(
      kept.map((row) => ({ cost: cost.sign * cost.of(row), quality: quality.of(row) })),
    );
    const on = new Set(best.map((n) => kept[n]));
    const others = SHELF.sorted(
      kept.filter((row) => !on.has(row)),
      cost.of,
      cost.sign < 0,
    );
    return element(
      "section",
      { "data-cost": cost.key, class: "drawn" },
      element("h2", null, title),
      SHELF.scatter({
        title: `${title}, ${counted(kept.length, "model")}`,
        points: kept.map((row) => pointOf(row, cost, quality, on.has(row))),
        labels: { x: cost.axis, y: quality.name },
        logarithmic: true,
        zero: cost.zero === "nothing" ? cost.zero : "none",
        steps: true,
        better: cost.sign > 0 ? "left" : "right",
      }),
      element(
        "div",
        { class: "lists" },
        element("p", { class: "note" }, noteOf(cost, rows, known, kept, machine)),
        listed(
          `On the Pareto frontier of ${cost.name}, the cheapest first`,
          [...on],
          cost,
          quality,
        ),
        others.length > 0 &&
          element(
            "details",
            { class: "others" },
            element("summary", null, `${counted(others.length, "model")} not on the frontier`),
            listed(
              `Not on the Pareto frontier of ${cost.name}, the cheapest first`,
              others,
              cost,
              quality,
            ),
          ),
      ),
    );
  }

  function pointOf(row, cost, quality, on) {
    const score = number(quality.of(row));
    return {
      x: cost.of(row),
      y: quality.of(row),
      name: row.name,
      text: `${row.name}: ${score} ${cost.at(cost.of(row))}${on ? ", on the frontier" : ""}`,
      href: SHELF.address("model.html", { model: row.key }),
      on,
      named: on,
    };
  }

  function noteOf(cost, rows, known, kept, machine) {
    const unknown = rows.length - known.length;
    const elsewhere = known.length - kept.length;
    const free = kept.filter((row) => cost.of(row) === 0).length;
    return [
      machine && `Measured on ${machine}.`,
      elsewhere &&
        `${counted(elsewhere, "model")} measured on another machine ` +
          `${elsewhere === 1 ? "is" : "are"} left out, since such rates are not comparable.`,
      free && `${counted(free, "model")} at the left: ${cost.zero}.`,
      unknown && `Of ${counted(unknown, "model")} it is not known.`,
    ]
      .filter(Boolean)
      .join(" ");
  }

  function listed(caption, rows, cost, quality) {
    const shown = (row) => (cost.of(row) === 0 ? cost.zero : cost.shown(cost.of(row)));
    return SHELF.scrolled(
      caption,
      SHELF.headed(["model", cost.name, ["quality", SHELF.qualityButton(quality)]]),
      element(
        "tbody",
        null,
        rows.map((row) =>
          element(
            "tr",
            null,
            element("th", { scope: "row" }, row.name),
            element("td", null, shown(row)),
            element("td", null, number(quality.of(row))),
          ),
        ),
      ),
    );
  }

  SHELF.run(page);
})();
