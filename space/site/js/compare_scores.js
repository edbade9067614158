// Chosen models, task by task: scores, intervals, and paired differences.
"use strict";
(() => {
  const { element, number, signed } = SHELF;

  /**
   * The paired differences as a function of task, first and other row: {value, low, high, apart},
   * or null.
   */
  function differencesOf(pairs) {
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

  /** A table with a line a task: scores, intervals, and differences to the first model. */
  function comparedScores(board, chosen, differences) {
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
      SHELF.headed(
        header.map((text) => SHELF.breakable(text)),
        (n) => n > chosen.length,
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
      element(
        "th",
        { scope: "row" },
        `mean of ${SHELF.counted(view.ofTheMean.length, "task")}`,
        SHELF.help("the mean", SHELF.MEAN_HELP),
      ),
      chosen.map((row) => element("td", null, number(view.mean(row)))),
      element("td", { class: "words" }),
      others.map((row) => {
        const [a, b] = [view.mean(row), view.mean(first)];
        if (a === null || b === null)
          return element("td", { class: "words" }, "no mean to compare");
        return differenceCell(differences(null, first, row), a - b, whyNot(first, row));
      }),
    );
  }

  function taskLine(task, first, others, chosen, differences) {
    const cells = chosen.map((row) => row.cell(task.id));
    return element(
      "tr",
      { "data-task": task.id },
      SHELF.taskHeading(task, SHELF.metricButton(task.metric)),
      cells.map((cell) =>
        element(
          "td",
          { title: cell.reason },
          number(cell.value),
          element("span", { class: "interval" }, SHELF.interval(cell.low, cell.high)),
          SHELF.isAtChance(task, cell) && element("span", { class: "interval" }, "at chance"),
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
        const why = `${whyNot(first, row)}${overlapText(a, b)}`;
        return differenceCell(differences(task.id, first, row), a.value - b.value, why);
      }),
    );
  }

  /** Why two models have no paired difference. */
  function whyNot(first, other) {
    const reason = first.notCompared ?? other.notCompared;
    return reason ? `not tested: ${reason}` : "not tested";
  }

  function overlapText(a, b) {
    if (a.low === null || b.low === null) return "";
    return a.low <= b.high && b.low <= a.high
      ? "; the intervals overlap, which decides nothing"
      : "; the intervals do not overlap";
  }

  function differenceCell(found, plain, why) {
    if (!found) {
      return element(
        "td",
        { class: "words" },
        signed(plain),
        element("span", { class: "interval" }, why),
      );
    }
    return element(
      "td",
      { class: `words${found.apart ? " differs" : ""}` },
      `${signed(found.value)} ${found.low === null ? "" : `[${signed(found.low)}, ${signed(found.high)}]`}`,
      element("span", { class: "interval" }, found.apart ? "told apart" : "not told apart"),
    );
  }

  Object.assign(SHELF, { differencesOf, comparedScores });
})();
