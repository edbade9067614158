// Quality against documents a second, parameters and money.
"use strict";
(() => {
  const { element, choice, counted, number } = SHELF;

  const COSTS = [
    {
      key: "rate",
      axis: "documents a second (more is cheaper)",
      name: "documents a second",
      of: (row) => row.documentsPerSecond,
      shown: SHELF.rate,
      sign: -1,
    },
    {
      key: "parameters",
      axis: "parameters",
      name: "parameters",
      of: (row) => row.model.parameters,
      shown: SHELF.rounded,
      sign: 1,
    },
    {
      key: "money",
      axis: "US dollars for the run",
      name: "money",
      of: (row) => row.money,
      shown: SHELF.money,
      sign: 1,
    },
  ];

  async function page() {
    const all = await SHELF.catalogue();
    const place = document.getElementById("cost");
    if (!all.boards.length)
      return SHELF.fill(
        place,
        SHELF.notice("nothing", element("p", null, "There are no scores yet.")),
      );
    SHELF.know(all);
    const fields = {
      board: choice(
        all.boards.map((board) => board.key),
        all.boards[0].key,
      ),
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
      const names = (kind) =>
        ["all", ...SHELF.occurring(board, kind)].map((name) => [
          name,
          SHELF.capital(SHELF.spoken(name)),
        ]);
      SHELF.fill(
        controls,
        SHELF.boardChoice(all, state.board, (key) => alter({ board: key })),
        SHELF.selection("Facet", names("facet"), state.facet, (facet) => alter({ facet }), {
          id: "facet",
        }),
        SHELF.selection(
          "Formulation",
          names("formulation"),
          state.formulation,
          (formulation) => alter({ formulation }),
          { id: "formulation" },
        ),
      );
      const view = SHELF.viewOf(board, state.facet, state.formulation);
      const quality = view && SHELF.qualityOf(view);
      if (!quality) {
        const why = view
          ? "There is no quality to set against a cost: these tasks are controls, or the models have too few of them in common."
          : "This board has no such task.";
        SHELF.fill(shown, SHELF.notice("nothing", element("p", null, why)));
        return;
      }
      const rows = view.rows.filter(
        (row) => (board.facts.reported || SHELF.isRanked(row)) && quality.of(row) !== null,
      );
      const without = view.rows.length - rows.length;
      SHELF.fill(
        shown,
        element(
          "p",
          { class: "note" },
          `Quality is the ${quality.name}.${without ? ` ${counted(without, "row")} without it, or unverified, ${without === 1 ? "is" : "are"} not drawn.` : ""}`,
        ),
        board.facts.reported &&
          element(
            "p",
            { class: "note" },
            "Reported scores, not computed here: no interval says which of them differ.",
          ),
        element(
          "div",
          { class: "plots" },
          COSTS.map((cost) => pictured(cost, rows, quality)),
        ),
      );
      SHELF.announce(`${counted(rows.length, "model")} with a ${quality.name}.`);
    }

    await show();
  }

  /** Rates of two machines are not to be compared: those of the machine with most models. */
  function ofOneMachine(rows) {
    const found = new Map();
    for (const row of rows) found.set(row.machine, [...(found.get(row.machine) ?? []), row]);
    const [most] = [...found].sort((a, b) => b[1].length - a[1].length);
    return most ? { machine: most[0], kept: most[1] } : { machine: null, kept: [] };
  }

  function pictured(cost, rows, quality) {
    const known = rows.filter((row) => cost.of(row) !== null && cost.of(row) > 0);
    const { machine, kept } =
      cost.key === "rate" ? ofOneMachine(known) : { machine: null, kept: known };
    const title = `Quality against ${cost.name}`;
    if (!kept.length) {
      return element(
        "section",
        { "data-cost": cost.key },
        element("h2", null, title),
        element(
          "p",
          { class: "absent" },
          `Not drawn: ${cost.name} ${cost.key === "rate" || cost.key === "money" ? "is" : "are"} not known of any model here.`,
        ),
      );
    }
    const best = SHELF.frontier(
      kept.map((row) => ({ cost: cost.sign * cost.of(row), quality: quality.of(row) })),
    );
    const on = new Set(best);
    const points = kept.map((row, n) => ({
      x: cost.of(row),
      y: quality.of(row),
      name: row.name,
      text: `${row.name}: ${number(quality.of(row))} at ${cost.shown(cost.of(row))} ${cost.name}${on.has(n) ? ", on the frontier" : ""}`,
      href: SHELF.address("model.html", { model: row.key }),
      on: on.has(n),
      named: on.has(n),
    }));
    const unknown = rows.length - known.length;
    const elsewhere = known.length - kept.length;
    return element(
      "section",
      { "data-cost": cost.key },
      element("h2", null, title),
      SHELF.scatter({
        title: `${title}, ${counted(kept.length, "model")}`,
        points,
        labels: { x: cost.axis, y: quality.name },
        logarithmic: true,
        steps: true,
        better: cost.sign > 0 ? "left" : "right",
      }),
      element(
        "p",
        { class: "note" },
        [
          machine && `Measured on ${machine}.`,
          elsewhere &&
            `${counted(elsewhere, "model")} measured on another machine ${elsewhere === 1 ? "is" : "are"} left out, since such rates are not comparable.`,
          unknown && `Of ${counted(unknown, "model")} it is not known.`,
        ]
          .filter(Boolean)
          .join(" "),
      ),
      SHELF.scrolled(
        `On the Pareto frontier of ${cost.name}, the cheapest first`,
        element(
          "thead",
          null,
          element(
            "tr",
            null,
            ["model", cost.name, "quality"].map((name) => element("th", { scope: "col" }, name)),
          ),
        ),
        element(
          "tbody",
          null,
          best.map((n) =>
            element(
              "tr",
              null,
              element("th", { scope: "row" }, kept[n].name),
              element("td", null, cost.shown(cost.of(kept[n]))),
              element("td", null, number(quality.of(kept[n]))),
            ),
          ),
        ),
      ),
    );
  }

  SHELF.run(page);
})();
