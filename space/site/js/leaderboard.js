// The first page: the librarian's question, then the table.
"use strict";
(() => {
  const { element, choice, choices, words, counted, spoken, capital } = SHELF;
  const MOST_COMPARED = 5;

  async function page() {
    const all = await SHELF.catalogue();
    SHELF.know(all);
    if (!all.boards.length) {
      SHELF.fill(
        document.getElementById("librarian"),
        SHELF.notice(
          "nothing",
          element("p", null, "There are no scores yet, so no model can be named."),
        ),
      );
      return;
    }
    const keys = all.boards.map((board) => board.key);
    const first = keys[0];
    const fields = {
      board: choice(keys, first),
      facet: choice(["all", ...new Set(all.tasks.map((task) => task.facet))], all.first_facet),
      formulation: choice(["all", ...new Set(all.tasks.map((task) => task.formulation))], "all"),
      sort: words(),
      order: choice(["ascending", "descending", ""], ""),
      ...SHELF.filterFields(all.models),
      chosen: choices(
        all.models.map((model) => model.key),
        MOST_COMPARED,
      ),
      ...SHELF.adviceFields(),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const change = (part) => {
      Object.assign(state, part);
      SHELF.write(fields, state);
    };
    const place = document.getElementById("leaderboard");
    const shown = leaderboard(place, all, state, change);
    await shown.board(state.board);
  }

  function leaderboard(place, all, state, change) {
    const top = element("div", { class: "choices" });
    const filters = element("details", { class: "filters" });
    const notes = element("div", { class: "below" });
    const count = element("p", { class: "count", id: "count" });
    const table = document.getElementById("table");
    const compare = element("p", { class: "compare" });
    let board = null;
    let beside = null;
    let current = null;

    SHELF.fill(
      place,
      top,
      filters,
      element("div", { class: "bar" }, count, compare, downloads()),
      table,
      notes,
    );

    const alter = (part) => {
      change(part);
      show();
    };

    async function toBoard(key) {
      const number = all.boardByKey.get(key);
      place.setAttribute("aria-busy", "true");
      board = await SHELF.board(number);
      if (state.reported) await withReported();
      place.removeAttribute("aria-busy");
      controls();
      SHELF.librarian(document.getElementById("librarian"), board, () => state, change);
      show();
    }

    async function withReported() {
      const number = all.boards[board.number].reported_beside;
      beside = number === null ? null : await SHELF.board(number);
    }

    function controls() {
      const facets = ["all", ...SHELF.occurring(board, "facet")];
      const formulations = ["all", ...SHELF.occurring(board, "formulation")];
      SHELF.fill(
        top,
        element(
          "fieldset",
          { class: "tabs" },
          element("legend", null, "Facet"),
          facets.map((facet) =>
            element(
              "label",
              null,
              element("input", {
                type: "radio",
                name: "facet",
                value: facet,
                checked: facet === state.facet,
                onchange: () => alter({ facet, sort: "", order: "" }),
              }),
              element("span", null, capital(facet)),
            ),
          ),
        ),
        element(
          "div",
          { class: "row" },
          SHELF.selection(
            "Formulation",
            formulations.map((name) => [name, name === "all" ? "All" : capital(spoken(name))]),
            state.formulation,
            (formulation) => alter({ formulation, sort: "", order: "" }),
            { id: "formulation" },
          ),
          all.boards.length > 1 &&
            SHELF.boardChoice(all, state.board, (key) => {
              change({ board: key, sort: "", order: "" });
              SHELF.run(() => toBoard(key), notes);
            }),
          SHELF.typed("Search models", "search", state.q, (q) => alter({ q }), {
            id: "q",
            maxlength: 200,
            autocomplete: "off",
          }),
        ),
      );
      const facts = all.boards[board.number];
      const isOpen =
        filters.open || SHELF.filtersSet(state) > 0 || state.unverified || state.reported;
      SHELF.fill(
        filters,
        element("summary", null, "Filters"),
        SHELF.filterControls(
          board.models,
          () => state,
          async (part) => {
            change(part);
            if (part.reported) await SHELF.run(withReported, notes);
            show();
          },
          {
            hasReported: facts.reported_beside !== null,
            hasUnverified: board.rows.status.includes("unverified"),
          },
        ),
      );
      filters.open = isOpen;
    }

    function downloads() {
      const button = (text, save) => element("button", { type: "button", onclick: save }, text);
      const parquet = element("a", { id: "parquet", download: "" }, "Whole board, Parquet");
      return element(
        "p",
        { class: "downloads" },
        "Download: ",
        button("CSV", () => SHELF.save(`${fileName()}.csv`, "text/csv", asCsv())),
        " ",
        button("JSON", () => SHELF.save(`${fileName()}.json`, "application/json", asJson())),
        " ",
        parquet,
      );
    }

    const fileName = () =>
      ["shelf", state.board, state.facet, state.formulation]
        .filter((part) => part !== "all")
        .join("-");

    function lines() {
      const rows = current.groups.flatMap((group) => group.rows);
      const columns = current.columns;
      const header = columns.flatMap((column) => column.lines(current.any).map(([name]) => name));
      return {
        header,
        rows: rows.map((row) =>
          columns.flatMap((column) => column.lines(row).map(([, value]) => value)),
        ),
      };
    }

    function asCsv() {
      const { header, rows } = lines();
      return SHELF.csv(header, rows);
    }

    function asJson() {
      const { header, rows } = lines();
      return `${JSON.stringify(
        {
          board: board.facts.title,
          reported: board.facts.reported,
          facet: state.facet,
          formulation: state.formulation,
          chance: Object.fromEntries(current.view.tasks.map((task) => [task.id, task.chance])),
          mean_of: current.view.ofTheMean,
          models: rows.map((row) => Object.fromEntries(row.map((value, n) => [header[n], value]))),
        },
        null,
        2,
      )}\n`;
    }

    function tickBox(row) {
      const box = element("input", {
        type: "checkbox",
        checked: state.chosen.includes(row.key),
        "aria-label": `Choose ${row.name} to compare`,
        value: row.key,
      });
      box.addEventListener("change", () => {
        const others = state.chosen.filter((key) => key !== row.key);
        if (box.checked && others.length >= MOST_COMPARED) {
          box.checked = false;
          SHELF.announce(`At most ${MOST_COMPARED} models can be compared.`);
          return;
        }
        change({ chosen: box.checked ? [...others, row.key] : others });
        sayCompare();
      });
      return box;
    }

    function sayCompare() {
      const n = state.chosen.length;
      if (n < 2) {
        SHELF.fill(compare, n ? "One model is chosen: choose another to compare them." : "");
        return;
      }
      const query = new URLSearchParams([
        ["board", state.board],
        ...state.chosen.map((key) => ["model", key]),
      ]);
      SHELF.fill(
        compare,
        element("a", { href: `compare.html?${query}` }, `Compare ${counted(n, "model")}`),
      );
    }

    function show() {
      sayCompare();
      const link = document.getElementById("parquet");
      link.href = `data/${board.facts.parquet}`;
      const view = SHELF.viewOf(board, state.facet, state.formulation);
      if (!view) return nothing();
      const columns = SHELF.columnsOf(view, { facet: state.facet, marks: tickBox });
      const sort = sortOf(columns, view);
      const isReported = board.facts.reported !== null;
      const main = isReported ? view.rows : view.rows.filter(SHELF.isRanked);
      const unverified =
        isReported || !state.unverified
          ? []
          : view.rows.filter((row) => row.status === "unverified");
      const reported = state.reported && beside && !isReported ? besideRows(view) : [];
      let unknown = 0;
      const chosen = (rows) => {
        const { kept, unknown: without } = SHELF.filtered(rows, state);
        unknown += without;
        const column = columns.find((each) => each.key === sort.key);
        return sort.given ? SHELF.sorted(kept, column.value, sort.descending) : kept;
      };
      const groups = [
        { heading: null, rows: chosen(main) },
        {
          heading:
            "Unverified: sent in, consistent with the labels, computed again by nobody. Without rank, and outside the means' choice of tasks.",
          rows: chosen(unverified),
        },
        {
          heading: `Reported, not computed here: ${beside?.facts.reported ?? ""}`,
          rows: chosen(reported),
        },
      ].filter((group, n) => n === 0 || group.rows.length);
      const rows = groups.reduce((sum, group) => sum + group.rows.length, 0);
      current = { view, columns, groups, any: view.rows[0] };
      for (const button of place.querySelectorAll(".downloads button"))
        button.disabled = rows === 0;
      sayCount(rows, main.length + unverified.length + reported.length, unknown);
      if (!rows) {
        SHELF.fill(
          table,
          SHELF.notice("nothing", element("p", null, "No model passes the filters."), clear()),
        );
        below(view);
        return;
      }
      SHELF.draw(table, {
        caption: `${board.facts.title}. ${sort.said}`,
        columns,
        groups,
        sort,
        ranked: board.facts.reported === null,
        sortBy: (column) => {
          const same = sort.key === column.key;
          const descending = same ? !sort.descending : column.descending;
          alter({ sort: column.key, order: descending ? "descending" : "ascending" });
          SHELF.announce(`Sorted by ${column.title}, ${descending ? "descending" : "ascending"}.`);
        },
      });
      below(view);
    }

    function besideRows(view) {
      const tasks = view.tasks.map((task) => task.id);
      return SHELF.rowsOf(beside).filter((row) => tasks.some((task) => row.value(task) !== null));
    }

    function sortOf(columns, view) {
      const asked = columns.find((column) => column.key === state.sort);
      const first = view.hasMean ? "mean" : view.tasks[0].id;
      const column = asked ?? columns.find((each) => each.key === first);
      const descending = asked && state.order ? state.order === "descending" : column.descending;
      const ends =
        column.type === "text"
          ? ["A to Z", "Z to A"]
          : column.type === "date"
            ? ["oldest first", "newest first"]
            : ["lowest first", "highest first"];
      return {
        key: column.key,
        descending,
        given: Boolean(asked),
        said: `Sorted by ${column.title}, ${ends[Number(descending)]}.`,
      };
    }

    function clear() {
      return element(
        "button",
        {
          type: "button",
          onclick: () => {
            const start = SHELF.filterFields(all.models);
            change(
              Object.fromEntries(
                Object.entries(start).map(([name, field]) => [name, field.initial]),
              ),
            );
            controls();
            show();
          },
        },
        "Clear the filters",
      );
    }

    function nothing() {
      current = null;
      for (const button of place.querySelectorAll(".downloads button")) button.disabled = true;
      sayCount(0, 0, 0);
      SHELF.fill(
        table,
        SHELF.notice(
          "nothing",
          element(
            "p",
            null,
            `This board has no task of the ${[
              state.facet !== "all" && `facet ${state.facet}`,
              state.formulation !== "all" && `formulation ${spoken(state.formulation)}`,
            ]
              .filter(Boolean)
              .join(" in the ")}. Choose another facet or formulation.`,
          ),
        ),
      );
      SHELF.fill(notes);
    }

    function sayCount(rows, of, unknown) {
      const left = unknown
        ? `; ${counted(unknown, "model")} left out because a filtered fact is unknown`
        : "";
      count.textContent = `${rows === of ? counted(rows, "model") : `${rows.toLocaleString("en")} of ${counted(of, "model")}`}${left}`;
      SHELF.announce(count.textContent);
    }

    function below(view) {
      const facts = board.facts;
      const hidden = board.rows.status.filter((status) => status === "unverified").length;
      const own = facts.reported ? view.rows : view.rows.filter(SHELF.isRanked);
      const have = own.filter((row) => view.mean(row) !== null).length;
      const missing = reasons(view);
      SHELF.fill(
        notes,
        ...[
          facts.limit &&
            element(
              "p",
              { class: "smoke" },
              element("strong", null, "Smoke run, comparable with nothing."),
              ` Only ${facts.limit} documents of each split were used; these scores show that the models run, and nothing else.`,
            ),
          facts.reported &&
            element(
              "p",
              { class: "smoke" },
              element("strong", null, "Reported scores."),
              " They were published elsewhere, without items: there are no intervals, no ranks and no tie groups, and none are made up.",
            ),
          view.hasMean
            ? element(
                "p",
                null,
                `Mean: over ${view.ofTheMean.length} of ${counted(view.tasks.length, "task")}, which ${have} of ${counted(own.length, "model")} have: `,
                view.ofTheMean.flatMap((task, n) => [n ? ", " : "", element("code", null, task)]),
                ".",
              )
            : view.tasks.length > 1 &&
              element(
                "p",
                null,
                view.tasks.every((task) => task.control || task.optional)
                  ? "No mean: every task here is a control or optional."
                  : "No mean: these models have too few tasks in common.",
              ),
          !facts.reported &&
            element(
              "p",
              null,
              `In brackets ${Math.round(100 * (facts.level ?? 0.95))} % intervals. # is the rank: one more than the number of models whose interval lies wholly above; = marks a rank that several share. Models that share a letter are not told apart by the tests of paired differences. The bar is the score, the tick in it chance.`,
            ),
          hidden > 0 &&
            !state.unverified &&
            element(
              "p",
              null,
              `${counted(hidden, "unverified submission")} not shown; the filters can show ${hidden === 1 ? "it" : "them"}, apart.`,
            ),
          missing.length > 0 &&
            element(
              "details",
              null,
              element("summary", null, `${counted(missing.length, "reason")} for missing scores`),
              element(
                "ul",
                null,
                missing.map(([text, n]) => element("li", null, `${text} (${counted(n, "score")})`)),
              ),
            ),
        ].filter(Boolean),
      );
    }

    function reasons(view) {
      const found = new Map();
      for (const row of view.rows) {
        for (const task of view.tasks) {
          if (row.value(task.id) === null)
            found.set(row.why(task.id), (found.get(row.why(task.id)) ?? 0) + 1);
        }
      }
      return [...found].sort((a, b) => b[1] - a[1]).slice(0, 50);
    }

    return { board: toBoard };
  }

  SHELF.run(page);
})();
