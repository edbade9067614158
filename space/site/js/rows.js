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
    chance: null,
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
      chance: column.chances[n],
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
      notCompared: known.not_compared[n],
      flagged: known.flagged[n],
      money: known.money[n],
      cut: known.cut[n],
      seen: known.seen[n],
      why: (task) => board.reasons[byTask.get(task)?.reason[n]] ?? "no score",
      value: (task) => byTask.get(task)?.value[n] ?? null,
      cell: (task) => (byTask.has(task) ? cellOf(board, byTask.get(task), n) : EMPTY),
    }));
    return board.made;
  }

  const isRanked = (row) => row.status === "computed" || row.status === "verified";

  /**
   * The level that a score has to leave below it: the greater of the chance that its own run
   * measured and of the one that the registry states.
   */
  function chanceOf(task, cell) {
    const known = [cell.chance, task.chance].filter(SHELF.isNumber);
    return known.length ? Math.max(...known) : null;
  }

  /** Whether a score is not told from chance: its interval, or it alone, reaches down to it. */
  function isAtChance(task, cell) {
    const level = chanceOf(task, cell);
    const low = cell.low ?? cell.value;
    return level !== null && low !== null && low <= level;
  }

  /** Learned weights of a model: none of one that counts words; null where it is not known. */
  function weightsOf(model) {
    return model.parameters ?? (model.kind === "sparse" ? 0 : null);
  }

  /** The same in words. */
  function weightsText(model) {
    const weights = weightsOf(model);
    return weights === 0 ? "no learned weights" : `${SHELF.rounded(weights)} parameters`;
  }

  /**
   * The view of a facet and a formulation; null where the board has no such task. `main` are the
   * rows that it is about: those that have ranks, or on a board of reported scores all.
   */
  function viewOf(board, facet, formulation) {
    const key = `${facet === "all" ? "" : facet}|${formulation === "all" ? "" : formulation}`;
    const found = board.views[key];
    if (!found) return null;
    const all = rowsOf(board);
    const rows = found.order.map((n) => all[n]);
    const tasks = found.tasks.map((n) => board.tasks[n]);
    const isReported = board.facts.reported !== null;
    const own = (values) => (row) =>
      values && row.board === board ? (values[row.n] ?? null) : null;
    return {
      tasks,
      rows,
      isReported,
      main: isReported ? rows : rows.filter(isRanked),
      unverified: isReported ? [] : rows.filter((row) => row.status === "unverified"),
      isScored: (row) => tasks.some((task) => row.value(task.id) !== null),
      ofTheMean: found.mean_tasks.map((n) => board.tasks[n]),
      mean: own(found.means),
      meanText: found.mean_text,
      meanGroup: own(found.mean_groups),
      meanPlaces: own(found.mean_places),
      hasMean: found.tasks.length > 1 && found.mean_tasks.length > 0,
    };
  }

  const isCounted = (task) => !task.control && !task.optional;

  /** What is compared in a view: the mean, or the one task that counts. */
  function qualityOf(view) {
    const tasks = view.hasMean ? view.ofTheMean : view.tasks.filter(isCounted);
    if (!view.hasMean && tasks.length !== 1) return null;
    const [task] = tasks;
    const isOne = tasks.length === 1;
    return {
      name: isOne
        ? `${task.id}, ${SHELF.metricName(task.metric)}`
        : `mean of ${SHELF.counted(tasks.length, "task")}`,
      of: isOne ? (row) => row.value(task.id) : view.mean,
      tasks,
    };
  }

  /** Why the models of a view are not compared by one number; null where they are. */
  function whyNoQuality(view) {
    if (!view.tasks.some(isCounted)) return "controls";
    if (!view.main.some(view.isScored))
      return view.unverified.some(view.isScored) ? "unverified" : "unscored";
    return qualityOf(view) ? null : "apart";
  }

  /** The board that a page opens with: the first that has rows with ranks, or reported ones. */
  async function firstBoard(all) {
    for (let n = 0; n < all.boards.length; n += 1) {
      const board = await SHELF.board(n);
      if (board.facts.reported !== null || rowsOf(board).some(isRanked)) return board;
    }
    return SHELF.board(0);
  }

  /** The field of the address that names a board. */
  async function boardField(all) {
    return SHELF.choice(
      all.boards.map((board) => board.key),
      (await firstBoard(all)).facts.key,
    );
  }

  /** What all boards are about; null, and a page says so, where there are none. */
  async function catalogueFor(place) {
    const all = await SHELF.catalogue();
    if (all.boards.length) {
      know(all);
      return all;
    }
    const said = SHELF.element("p", null, "There are no scores yet.");
    SHELF.fill(place, SHELF.notice("nothing", said));
    return null;
  }

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

  /** The choice of a formulation of a board; the one that is chosen is always there. */
  function formulationChoice(board, chosen, changed) {
    const names = new Set(["all", ...SHELF.occurring(board, "formulation"), chosen]);
    return SHELF.selection(
      "Formulation",
      [...names].map((name) => [name, SHELF.capital(SHELF.spoken(name))]),
      chosen,
      changed,
      { id: "formulation" },
    );
  }

  /** Closes the formulations that a facet of a board has no task of, in the choice within a place. */
  function closeFormulations(place, board, facet) {
    const key = (name) => (name === "all" ? "" : name);
    for (const option of place.querySelectorAll("#formulation option"))
      option.disabled =
        option.value !== "all" && !board.views[`${key(facet)}|${key(option.value)}`];
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

  const MEAN_HELP =
    "The plain average over the same tasks for every model that has one; which tasks, stands below the table. " +
    "A model that lacks one of them has no mean. Controls and optional tasks are in none. " +
    "It has no interval: the interval of a task is from draws of its own items, and the tasks share documents, " +
    "so that those of the tasks do not add up to one of the mean. Whether the means of two models differ is " +
    "tested in pairs where items are known; the page Compare shows it.";

  /** A help button of a metric. */
  function metricButton(id) {
    return SHELF.help(metricName(id), metricHelp(id));
  }

  /** A help button of what models are compared by: a metric, or a mean with its metrics. */
  function qualityButton({ name, tasks }) {
    const metric = [...new Set(tasks.map((task) => task.metric))];
    if (tasks.length === 1) return metricButton(metric[0]);
    const own = metric.map((id) => `${SHELF.capital(metricName(id))}: ${metricHelp(id)}`);
    return SHELF.help(name, [MEAN_HELP, ...own].join(" "));
  }

  /** The head of a task's line: its id, its metric with what stands beside it, and a mark. */
  function taskHeading(task, ...beside) {
    return SHELF.element(
      "th",
      { scope: "row" },
      SHELF.element("code", null, SHELF.breakable(task.id)),
      SHELF.element("span", { class: "interval" }, metricName(task.metric), beside),
      task.control && SHELF.element("span", { class: "mark" }, "control"),
    );
  }

  Object.assign(SHELF, {
    rowsOf,
    isRanked,
    chanceOf,
    isAtChance,
    weightsOf,
    weightsText,
    viewOf,
    qualityOf,
    whyNoQuality,
    firstBoard,
    boardField,
    catalogueFor,
    occurring,
    boardChoice,
    formulationChoice,
    closeFormulations,
    know,
    metricName,
    metricHelp,
    MEAN_HELP,
    metricButton,
    qualityButton,
    taskHeading,
  });
})();
