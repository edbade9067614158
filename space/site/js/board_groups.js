// Which rows the table shows, in which order, and what is on the screen as a file.
"use strict";
(() => {
  const UNVERIFIED =
    "Unverified: sent in, consistent with the labels, run again by nobody. " +
    "Without rank, and outside the means' choice of tasks.";

  const ENDS = {
    text: ["A to Z", "Z to A"],
    date: ["oldest first", "newest first"],
    number: ["lowest first", "highest first"],
  };

  /** The order that was asked for, or else that of the view. */
  function sortOf(columns, view, state) {
    const asked = columns.find((column) => column.key === state.sort);
    const first = view.hasMean ? "mean" : view.tasks[0].id;
    const column = asked ?? columns.find((each) => each.key === first);
    const descending = asked && state.order ? state.order === "descending" : column.descending;
    return {
      key: column.key,
      value: column.value,
      descending,
      given: Boolean(asked),
      said: `Sorted by ${column.title}, ${ENDS[column.type][Number(descending)]}.`,
    };
  }

  /** Rows of the reported board that have a score on a task of the view. */
  function besideRows(view, beside) {
    return view.isReported || !beside ? [] : SHELF.rowsOf(beside).filter(view.isScored);
  }

  /**
   * The groups of rows that pass the filters: those of the view, and, where they are asked for,
   * unverified and reported ones. `of` is how many there are without filters, `unknown` how many
   * a filter left out because a fact is unknown.
   */
  function groupsOf(view, beside, state, sort) {
    const groups = [
      { heading: null, rows: view.main },
      { heading: UNVERIFIED, rows: state.unverified ? view.unverified : [] },
      {
        heading: `Reported, not computed here: ${beside?.facts.reported ?? ""}`,
        rows: state.reported ? besideRows(view, beside) : [],
      },
    ];
    const passed = groups.map((group) => ({ ...group, ...SHELF.filtered(group.rows, state) }));
    const inOrder = (rows) => (sort.given ? SHELF.sorted(rows, sort.value, sort.descending) : rows);
    const count = (values) => values.reduce((sum, value) => sum + value, 0);
    return {
      groups: passed
        .map(({ heading, kept }) => ({ heading, rows: inOrder(kept) }))
        .filter((group, n) => n === 0 || group.rows.length),
      shown: count(passed.map((group) => group.kept.length)),
      of: count(groups.map((group) => group.rows.length)),
      unknown: count(passed.map((group) => group.unknown)),
    };
  }

  function tableOf({ columns, groups }) {
    const rows = groups.flatMap((group) => group.rows);
    const lines = rows.map((row) => columns.flatMap((column) => column.lines(row)));
    return {
      header: lines[0].map(([name]) => name),
      lines: lines.map((line) => line.map(([, value]) => value)),
    };
  }

  /** What is on the screen as CSV. */
  function boardCsv(current) {
    const { header, lines } = tableOf(current);
    return SHELF.csv(header, lines);
  }

  /** The same as JSON, with what is said of each task. */
  function boardJson(current, board, state) {
    const { header, lines } = tableOf(current);
    const byTask = (value) =>
      Object.fromEntries(current.view.tasks.map((task) => [task.id, value(task)]));
    const found = {
      board: board.facts.title,
      reported: board.facts.reported,
      facet: state.facet,
      formulation: state.formulation,
      chance: byTask((task) => task.chance),
      metric: byTask((task) => task.metric),
      control: byTask((task) => task.control),
      mean: current.view.meanText,
      mean_of: current.view.ofTheMean.map((task) => task.id),
      models: lines.map((line) => Object.fromEntries(line.map((value, n) => [header[n], value]))),
    };
    return `${JSON.stringify(found, null, 2)}\n`;
  }

  Object.assign(SHELF, { sortOf, groupsOf, boardCsv, boardJson });
})();
