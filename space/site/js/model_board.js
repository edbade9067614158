// A model on one board: its scores, ranks and tie groups.
"use strict";
(() => {
  const { element, number } = SHELF;

  const STATUS = {
    computed: "Computed by those who hold the results.",
    verified: "Sent in, and run again with the same outcome.",
    unverified: "Sent in and consistent with its items; nobody has run it again. It has no rank.",
    reported: "Published elsewhere, without items: no interval, no rank.",
  };

  /** The scores of a model on a board; `detail` is what is known beyond them. */
  function modelOnBoard(row, all, detail) {
    const { board } = row;
    const tasks = board.tasks.filter((task) => row.value(task.id) !== null);
    const absent = board.tasks.filter((task) => row.value(task.id) === null);
    const level = Math.round(100 * (board.facts.level ?? 0.95));
    return element(
      "section",
      { "data-board": board.facts.key },
      element("h2", null, all.boards[board.number].label),
      element("p", null, STATUS[row.status]),
      row.flagged && element("p", { class: "flagged" }, `Looked at: ${row.flagged}.`),
      element("p", { class: "seen" }, `The documents: ${seenText(row.seen)}`),
      row.cut !== null &&
        element(
          "p",
          null,
          `${SHELF.capital(SHELF.percent(row.cut))} of the texts were longer than it reads, `,
          "so it did not see their ends.",
        ),
      SHELF.scrolled(
        `${board.facts.title}${board.facts.level ? `; in brackets ${level} % intervals` : ""}`,
        SHELF.headed(
          ["task", "score", "rank", "tie group", chanceHead(), "on the scale from 0 to 1"],
          (n) => n === 5,
        ),
        element(
          "tbody",
          null,
          tasks.map((task) => scoreLine(row, task)),
        ),
      ),
      absent.length > 0 &&
        element(
          "details",
          null,
          element("summary", null, `${SHELF.counted(absent.length, "task")} without a score`),
          element(
            "ul",
            null,
            absent.map((task) =>
              element("li", null, element("code", null, task.id), `: ${row.cell(task.id).reason}`),
            ),
          ),
        ),
      detail && SHELF.mistakes(detail),
      detail && SHELF.strata(detail),
    );
  }

  function chanceHead() {
    return [
      "chance",
      SHELF.help(
        "chance",
        "The level that this model's score is held against. Stated: what the task itself states. " +
          "Measured: what shuffled labels gave in this model's own run, where that is greater. " +
          "The page Tasks has the level of all models together.",
      ),
    ];
  }

  function seenText(seen) {
    return {
      "out of sample by date":
        "they were written after all that it learned from, so it cannot have met them.",
      "may have seen": "they were there before its training ended, so it may have met them.",
      unknown: "it is not known whether it has met them, since no source states the dates.",
      "in pretraining data":
        "such texts are known to be in pretraining data, so it has probably met some.",
      "no pretraining":
        "it has seen none before; it learns from the collection that it is fitted on, and from nothing else.",
    }[seen];
  }

  function scoreLine(row, task) {
    const cell = row.cell(task.id);
    const level = SHELF.chanceOf(task, cell);
    const ranked = SHELF.rowsOf(row.board).filter(
      (other) => SHELF.isRanked(other) && other.value(task.id) !== null,
    ).length;
    return element(
      "tr",
      { "data-task": task.id },
      SHELF.taskHeading(task, SHELF.metricButton(task.metric)),
      element(
        "td",
        null,
        number(cell.value),
        element("span", { class: "interval" }, SHELF.interval(cell.low, cell.high)),
      ),
      element(
        "td",
        null,
        cell.rank === null ? "–" : `${cell.rank}${cell.tied ? ", shared" : ""}`,
        cell.rank !== null && element("span", { class: "interval" }, `of ${ranked}`),
      ),
      element("td", null, cell.group || "–"),
      element(
        "td",
        null,
        number(level),
        level !== null &&
          element("span", { class: "interval" }, level === task.chance ? "stated" : "measured"),
        SHELF.isAtChance(task, cell) && element("span", { class: "interval" }, "not told from it"),
      ),
      element("td", { class: "words" }, SHELF.dots([{ ...cell, name: row.name }], level)),
    );
  }

  Object.assign(SHELF, { modelOnBoard });
})();
