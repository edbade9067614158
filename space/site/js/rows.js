// Rows of a board as the pages want them: a model, what is known of it, its cells by task.
"use strict";
(() => {
  const EMPTY = {
    value: null,
    low: null,
    high: null,
    rank: null,
    tied: false,
    group: "",
    reason: "",
  };

  function cellOf(board, column, n) {
    const value = column.value[n];
    if (value === null) return { ...EMPTY, reason: board.reasons[column.reason[n]] ?? "no score" };
    return {
      value,
      low: column.low[n],
      high: column.high[n],
      rank: column.rank[n],
      tied: Boolean(column.tied[n]),
      group: column.group[n],
      reason: "",
    };
  }

  /** All rows of a board, in its order. */
  function rowsOf(board) {
    if (board.made) return board.made;
    const byTask = new Map(board.tasks.map((task, n) => [task.id, board.columns[n]]));
    const known = board.rows;
    board.made = board.models.map((model, n) => ({
      n,
      board,
      model,
      key: model.key,
      name: known.name[n],
      status: known.status[n],
      documentsPerSecond: known.rate[n],
      rateLow: known.rate_low[n],
      rateHigh: known.rate_high[n],
      machine: board.machines[known.machine[n]] ?? null,
      money: known.money[n],
      cut: known.cut[n],
      seen: known.seen[n],
      why: (task) => board.reasons[byTask.get(task)?.reason[n]] ?? "no score",
      value: (task) => byTask.get(task)?.value[n] ?? null,
      cell: (task) => (byTask.has(task) ? cellOf(board, byTask.get(task), n) : EMPTY),
    }));
    return board.made;
  }

  /** The view of a facet and a formulation; null where the board has no such task. */
  function viewOf(board, facet, formulation) {
    const key = `${facet === "all" ? "" : facet}|${formulation === "all" ? "" : formulation}`;
    const found = board.views[key];
    if (!found) return null;
    const rows = rowsOf(board);
    const own = (values) => (row) =>
      values && row.board === board ? (values[row.n] ?? null) : null;
    return {
      tasks: found.tasks.map((n) => board.tasks[n]),
      rows: found.order.map((n) => rows[n]),
      ofTheMean: found.mean_tasks.map((n) => board.tasks[n].id),
      mean: own(found.means),
      meanGroup: own(found.mean_groups),
      hasMean: found.tasks.length > 1 && found.mean_tasks.length > 0,
    };
  }

  /** What is compared in a view: the mean, or the one task that counts. */
  function qualityOf(view) {
    if (view.hasMean)
      return {
        name: `mean of ${SHELF.counted(view.ofTheMean.length, "task")}`,
        of: view.mean,
        tasks: view.ofTheMean,
      };
    const counted = view.tasks.filter((task) => !task.control && !task.optional);
    if (counted.length !== 1) return null;
    const [task] = counted;
    return {
      name: `${task.id}, ${SHELF.metricName(task.metric)}`,
      of: (row) => row.value(task.id),
      tasks: [task.id],
    };
  }

  const isRanked = (row) => row.status === "computed" || row.status === "verified";

  /** Facets and formulations that a board has tasks of, in the registry's order. */
  function occurring(board, kind) {
    return [...new Set(board.tasks.map((task) => task[kind]))];
  }

  /** The choice of a board: those computed here, then those that were reported elsewhere. */
  function boardChoice(all, chosen, changed) {
    const entries = all.boards.map((board) => [board.key, board.label]);
    const groups = [
      { group: "Computed here", choices: entries.filter((_, n) => !all.boards[n].reported) },
      {
        group: "Reported, not computed here",
        choices: entries.filter((_, n) => all.boards[n].reported),
      },
    ].filter((group) => group.choices.length);
    return SHELF.selection("Board", groups, chosen, changed, { id: "board", class: "wide" });
  }

  let metrics = new Map();

  /** Tells the names of metrics, once the catalogue is there. */
  function know(all) {
    metrics = all.metricById;
  }

  function metricName(id) {
    return metrics.get(id)?.label ?? id.replaceAll("_", " ");
  }

  function metricHelp(id) {
    return metrics.get(id)?.help ?? "";
  }

  Object.assign(SHELF, {
    rowsOf,
    viewOf,
    qualityOf,
    isRanked,
    occurring,
    boardChoice,
    know,
    metricName,
    metricHelp,
  });
})();
