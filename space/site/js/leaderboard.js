// The first page: the librarian's question, then the table.
"use strict";
(() => {
  const { element, choice, choices, words } = SHELF;
  const FIRST_FACET = "subject";

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
    const fields = fieldsOf(all, await SHELF.firstBoard(all));
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const change = (part) => {
      Object.assign(state, part);
      SHELF.write(fields, state);
    };
    await leaderboard(document.getElementById("leaderboard"), all, state, change);
  }

  /** The state of the page; it opens with the subject, where the first board has it. */
  function fieldsOf(all, first) {
    const facet = `${FIRST_FACET}|` in first.views ? FIRST_FACET : "all";
    return {
      board: choice([...all.boardByKey.keys()], first.facts.key),
      facet: choice(["all", ...new Set(all.tasks.map((task) => task.facet))], facet),
      formulation: choice(["all", ...new Set(all.tasks.map((task) => task.formulation))], "all"),
      sort: words(),
      order: choice(["ascending", "descending", ""], ""),
      ...SHELF.filterFields(all.models),
      chosen: choices([...all.byKey.keys()], SHELF.MOST_COMPARED),
      ...SHELF.wishFields(facet),
    };
  }

  async function leaderboard(place, all, state, change) {
    const top = element("div", { class: "choices" });
    const filters = element("details", { class: "filters" });
    const above = element("div", { class: "above" });
    const notes = element("div", { class: "below" });
    const count = element("p", { class: "count", id: "count" });
    const table = document.getElementById("table");
    const compare = element("p", { class: "compare" });
    const parquet = element("a", { id: "parquet", download: "" }, "Whole board, Parquet");
    let board = null;
    let beside = null;
    let current = null;

    SHELF.fill(
      place,
      top,
      filters,
      above,
      element("div", { class: "bar" }, count, compare, downloads()),
      table,
      notes,
    );

    const alter = (part) => {
      change(part);
      show();
    };

    async function toBoard(part) {
      change(part);
      board = await SHELF.board(all.boardByKey.get(state.board));
      beside = await besideOf();
      parquet.href = `data/${board.facts.parquet}`;
      SHELF.fill(above, ...board.facts.notes.map((text) => element("p", { class: "note" }, text)));
      drawChoices();
      SHELF.librarian(
        document.getElementById("librarian"),
        board,
        () => state,
        change,
        showUnverified,
      );
      show();
    }

    async function besideOf() {
      const number = all.boards[board.number].reported_beside;
      return state.reported && number !== null ? SHELF.board(number) : null;
    }

    function drawChoices() {
      SHELF.fill(
        top,
        ...SHELF.boardChoices(all, board, state, alter, (part) =>
          SHELF.run(() => toBoard(part), notes),
        ),
      );
      const isOpen =
        filters.open || SHELF.filtersSet(state) > 0 || state.unverified || state.reported;
      SHELF.fill(filters, ...SHELF.boardFilters(all, board, beside, state, filter));
      filters.open = isOpen;
    }

    async function filter(part) {
      change(part);
      if ("reported" in part) {
        await SHELF.run(async () => {
          beside = await besideOf();
        }, notes);
        // What is known of the models may be more now, or less.
        drawChoices();
        document.getElementById("reported")?.focus();
      }
      show();
    }

    /** Draws choices and table anew with another state, and goes to the table. */
    function restart(part) {
      change(part);
      drawChoices();
      show();
      table.querySelector(".scroller")?.focus({ preventScroll: true });
      table.scrollIntoView({ block: "nearest" });
    }

    function showUnverified(wish = null) {
      const asked = wish ? { facet: wish.for, formulation: wish.work } : {};
      restart({ ...asked, unverified: true });
    }

    const clear = () =>
      restart(
        Object.fromEntries(
          Object.entries(SHELF.filterFields(all.models)).map(([name, field]) => [
            name,
            field.initial,
          ]),
        ),
      );

    function downloads() {
      const button = (text, save) => element("button", { type: "button", onclick: save }, text);
      const named = (ending) => {
        const parts = ["shelf", state.board, state.facet, state.formulation];
        return `${parts.filter((part) => part !== "all").join("-")}.${ending}`;
      };
      return element(
        "p",
        { class: "downloads" },
        "Download: ",
        button("CSV", () => SHELF.save(named("csv"), "text/csv", SHELF.boardCsv(current))),
        " ",
        button("JSON", () =>
          SHELF.save(named("json"), "application/json", SHELF.boardJson(current, board, state)),
        ),
        " ",
        parquet,
      );
    }

    const sayChosen = () => SHELF.fill(compare, SHELF.compareLink(state.board, state.chosen));

    const marks = (row) =>
      SHELF.tickBox(
        row,
        () => state.chosen,
        (chosen) => {
          change({ chosen });
          sayChosen();
        },
        () => SHELF.fill(compare, SHELF.compareLink(state.board, state.chosen), ` ${SHELF.FULL}`),
      );

    function sayCount(found) {
      for (const button of place.querySelectorAll(".downloads button"))
        button.disabled = found.shown === 0;
      count.textContent = SHELF.countText(found);
      SHELF.announce(count.textContent);
    }

    function show() {
      sayChosen();
      SHELF.closeFormulations(top, board, state.facet);
      const view = SHELF.viewOf(board, state.facet, state.formulation);
      if (!view) {
        sayCount({ shown: 0, of: 0, unknown: 0 });
        SHELF.fill(table, SHELF.noTask(state));
        SHELF.fill(notes);
        return;
      }
      const columns = SHELF.columnsOf(view, { facet: state.facet, marks });
      if (state.sort && !columns.some((column) => column.key === state.sort)) {
        SHELF.sayIgnored(["sort"], document.getElementById("notes"));
        Object.assign(state, { sort: "", order: "" });
      }
      const sort = SHELF.sortOf(columns, view, state);
      const found = SHELF.groupsOf(view, beside, state, sort);
      current = { view, columns, groups: found.groups };
      sayCount(found);
      if (found.shown) drawTable(current, sort);
      else
        SHELF.fill(
          table,
          SHELF.noRows(view, found, clear, () => showUnverified()),
        );
      SHELF.fill(notes, ...SHELF.boardNotes(view, board, state));
    }

    function drawTable({ view, columns, groups }, sort) {
      SHELF.draw(table, {
        caption: `${board.facts.title}. ${sort.said}`,
        columns,
        groups,
        sort,
        ranked: !view.isReported,
        sortBy: (column) => {
          const isSame = sort.key === column.key;
          const descending = isSame ? !sort.descending : column.descending;
          alter({ sort: column.key, order: descending ? "descending" : "ascending" });
          SHELF.announce(`Sorted by ${column.title}, ${descending ? "descending" : "ascending"}.`);
        },
      });
    }

    await toBoard({});
  }

  SHELF.run(page);
})();
