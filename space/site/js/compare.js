// Two to five models, task by task.
"use strict";
(() => {
  const { element, choice, choices, number, signed } = SHELF;
  const MOST = 5;

  async function page() {
    const place = document.getElementById("compare");
    const all = await SHELF.catalogue();
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
      model: choices(
        all.models.map((model) => model.key),
        MOST,
      ),
      strata: SHELF.words(),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const chooser = element("div", null);
    const shown = element("div", null);
    SHELF.fill(place, chooser, shown);
    const alter = (part) => {
      Object.assign(state, part);
      SHELF.write(fields, state);
      return SHELF.run(show, shown);
    };

    async function show() {
      const board = await SHELF.board(all.boardByKey.get(state.board));
      const rows = SHELF.rowsOf(board);
      const byKey = new Map(rows.map((row) => [row.key, row]));
      SHELF.fill(chooser, choosing(all, board, rows, byKey, state, alter));
      const chosen = state.model.map((key) => byKey.get(key)).filter(Boolean);
      if (chosen.length < 2) {
        SHELF.fill(
          shown,
          SHELF.notice("nothing", element("p", null, "Choose at least two models of the board.")),
        );
        return;
      }
      const pairs = await SHELF.load(`pairs-${board.number}`);
      const differences = differencesOf(pairs, board);
      SHELF.fill(
        shown,
        element("h2", null, "Task by task"),
        element("p", { class: "note" }, leadText(board, pairs, chosen)),
        scores(board, chosen, differences),
        element("h2", null, "In parts"),
        await parts(all, board, chosen, state, alter),
      );
      SHELF.announce(`${SHELF.counted(chosen.length, "model")} compared.`);
    }

    await show();
  }

  function choosing(all, board, rows, byKey, state, alter) {
    const names = new Map(rows.map((row) => [row.name, row.key]));
    const box = element("input", {
      list: "models",
      id: "add",
      autocomplete: "off",
      placeholder: "Name of a model",
    });
    const add = () => {
      const key = names.get(box.value);
      if (!key || state.model.includes(key)) return;
      alter({ model: [...state.model, key] }).then(() => document.getElementById("add")?.focus());
    };
    box.addEventListener("change", add);
    const full = state.model.length >= MOST;
    const absent = state.model
      .filter((key) => !byKey.has(key))
      .map((key) => all.models[all.byKey.get(key)].name);
    return [
      element(
        "div",
        { class: "row" },
        SHELF.boardChoice(all, state.board, (key) => alter({ board: key })),
        !full && element("label", { class: "field" }, element("span", null, "Add a model"), box),
        element(
          "datalist",
          { id: "models" },
          rows
            .filter((row) => !state.model.includes(row.key))
            .map((row) => element("option", { value: row.name })),
        ),
      ),
      element(
        "ul",
        { class: "chips", "aria-label": "Chosen models" },
        state.model.map((key, n) => {
          const name = byKey.get(key)?.name ?? all.models[all.byKey.get(key)].name;
          return element(
            "li",
            null,
            element("span", { class: `swatch s${n}`, "aria-hidden": "true" }),
            element("a", { href: SHELF.address("model.html", { model: key }) }, name),
            element(
              "button",
              {
                type: "button",
                class: "small",
                "aria-label": `Remove ${name}`,
                onclick: () => alter({ model: state.model.filter((other) => other !== key) }),
              },
              "Remove",
            ),
          );
        }),
      ),
      absent.length
        ? element("p", { class: "note" }, `Not on this board: ${SHELF.listed(absent)}.`)
        : "",
    ];
  }

  function leadText(board, pairs, chosen) {
    const [first] = chosen;
    const base = `The colours are those of the names above. Differences are those to ${first.name}.`;
    if (board.facts.reported)
      return `${base} Reported scores have no items: there are no intervals and no tests, and nothing says which differences are chance.`;
    if (pairs.why_not)
      return `${base} There are no paired differences: ${pairs.why_not}. Where both scores have intervals it is said whether these overlap.`;
    return `${base} In brackets ${Math.round(100 * (board.facts.level ?? 0.95))} % intervals; a difference is told apart after Holm’s correction for all ${SHELF.whole(pairs.n_tests)} that were tested on this board, not only those shown.`;
  }

  /** A function of task, first and other row: {value, low, high, apart}, or null. */
  function differencesOf(pairs, board) {
    const found = new Map();
    for (const contest of [...pairs.tasks, ...(pairs.mean ? [pairs.mean] : [])]) {
      for (const [i, j, value, low, high, p, apart] of contest.differences) {
        found.set(`${contest.task ?? ""}/${i}/${j}`, {
          value,
          low,
          high,
          p,
          apart: Boolean(apart),
        });
        const minus = (bound) => (bound === null ? null : -bound);
        found.set(`${contest.task ?? ""}/${j}/${i}`, {
          value: -value,
          low: minus(high),
          high: minus(low),
          p,
          apart: Boolean(apart),
        });
      }
    }
    return (task, first, other) => found.get(`${task ?? ""}/${other.n}/${first.n}`) ?? null;
  }

  function scores(board, chosen, differences) {
    const [first, ...others] = chosen;
    const view = SHELF.viewOf(board, "all", "all");
    const tasks = board.tasks.filter((task) => chosen.some((row) => row.value(task.id) !== null));
    const header = [
      "task",
      ...chosen.map((row) => row.name),
      "scores and intervals",
      ...others.map((row) => `${row.name} less ${first.name}`),
    ];
    return SHELF.scrolled(
      board.facts.title,
      element(
        "thead",
        null,
        element(
          "tr",
          null,
          header.map((text, n) =>
            element(
              "th",
              { scope: "col", class: n > chosen.length ? "words" : null },
              SHELF.breakable(text),
            ),
          ),
        ),
      ),
      element(
        "tbody",
        null,
        view?.hasMean && meanLine(view, first, others, chosen, differences),
        tasks.map((task) => taskLine(task, first, others, chosen, differences)),
      ),
    );
  }

  function meanLine(view, first, others, chosen, differences) {
    return element(
      "tr",
      null,
      element("th", { scope: "row" }, `mean of ${SHELF.counted(view.ofTheMean.length, "task")}`),
      chosen.map((row) => element("td", null, number(view.mean(row)))),
      element("td", { class: "words" }),
      others.map((row) => {
        const [a, b] = [view.mean(row), view.mean(first)];
        if (a === null || b === null)
          return element("td", { class: "words" }, "no mean to compare");
        return differenceCell(differences(null, first, row), a - b, null);
      }),
    );
  }

  function taskLine(task, first, others, chosen, differences) {
    const cells = chosen.map((row) => row.cell(task.id));
    return element(
      "tr",
      { "data-task": task.id },
      element(
        "th",
        { scope: "row" },
        element("code", null, SHELF.breakable(task.id)),
        element("span", { class: "interval" }, SHELF.metricName(task.metric)),
        task.control && element("span", { class: "mark" }, "control"),
      ),
      cells.map((cell) =>
        element(
          "td",
          { title: cell.reason },
          number(cell.value),
          element("span", { class: "interval" }, SHELF.interval(cell.low, cell.high)),
        ),
      ),
      element(
        "td",
        { class: "words" },
        SHELF.dots(
          cells.map((cell, n) => ({ ...cell, name: chosen[n].name })),
          task.chance,
        ),
      ),
      others.map((row) => {
        const [a, b] = [row.cell(task.id), first.cell(task.id)];
        if (a.value === null || b.value === null)
          return element("td", { class: "words" }, "one has no score");
        const known = [a, b].every((cell) => cell.low !== null);
        const overlap = known ? a.low <= b.high && b.low <= a.high : null;
        return differenceCell(differences(task.id, first, row), a.value - b.value, overlap);
      }),
    );
  }

  function differenceCell(found, plain, overlap) {
    if (!found) {
      const said =
        overlap === null
          ? "not tested"
          : overlap
            ? "not tested; the intervals overlap, which decides nothing"
            : "not tested; the intervals do not overlap";
      return element(
        "td",
        { class: "words" },
        signed(plain),
        element("span", { class: "interval" }, said),
      );
    }
    return element(
      "td",
      { class: `words${found.apart ? " differs" : ""}` },
      `${signed(found.value)} ${found.low === null ? "" : `[${signed(found.low)}, ${signed(found.high)}]`}`,
      element("span", { class: "interval" }, found.apart ? "told apart" : "not told apart"),
    );
  }

  async function parts(all, board, chosen, state, alter) {
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
          (strata) => alter({ strata }),
          { id: "strata", class: "wide" },
        ),
      ),
      any.text && element("p", { class: "note" }, any.text),
      SHELF.scrolled(
        `${key}, ${SHELF.metricName(any.metric)}`,
        element(
          "thead",
          null,
          element(
            "tr",
            null,
            ["part", "items", ...chosen.map((row) => row.name)].map((text) =>
              element("th", { scope: "col" }, text),
            ),
          ),
        ),
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

  SHELF.run(page, document.getElementById("compare"));
})();
