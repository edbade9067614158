// What stands below the table, and in its place where no row is shown.
"use strict";
(() => {
  const { element, counted, spoken } = SHELF;
  const MOST_REASONS = 50;

  const paragraph = (...children) => element("p", null, ...children);
  const strong = (...children) =>
    element("p", { class: "smoke" }, element("strong", null, children[0]), children[1]);

  function kindNote({ limit, reported }) {
    if (limit)
      return strong(
        "Smoke run, comparable with nothing.",
        ` Only ${limit} documents of each split were used; ` +
          "these scores show that the models run, and nothing else.",
      );
    if (reported)
      return strong(
        "Reported scores.",
        " They were published elsewhere, without items: there are no intervals, no ranks and no " +
          "tie groups, and none are made up.",
      );
    return null;
  }

  const NO_MEAN = {
    controls: "No mean: every task here is a control or optional.",
    unverified:
      "No mean: models with a rank decide which tasks it is over, and none has a score here.",
    unscored: "No mean: no model has a score here.",
    apart: "No mean: these models have no task in common.",
  };

  function meanNote(view) {
    if (view.tasks.length < 2) return null;
    if (!view.hasMean) {
      const why = SHELF.whyNoQuality(view);
      return paragraph(NO_MEAN[why] ?? "No mean: one task alone is neither control nor optional.");
    }
    const have = view.main.filter((row) => view.mean(row) !== null).length;
    const of = `${view.ofTheMean.length} of ${counted(view.tasks.length, "task")}`;
    const models = counted(view.main.length, "model");
    return paragraph(
      `${SHELF.capital(view.meanText)}. It is over ${of}, which ${have} of ${models} ${have === 1 ? "has" : "have"}: `,
      view.ofTheMean.flatMap((task, n) => [n ? ", " : "", element("code", null, task.id)]),
      ".",
    );
  }

  function intervalNote({ level }) {
    return paragraph(
      `In brackets ${Math.round(100 * (level ?? 0.95))} % intervals. # is the rank: one more than `,
      "the number of models whose interval lies wholly above; = marks a rank that several share. ",
      "Models that share a letter are not told apart by the tests of paired differences. ",
      "The bar is the score, the tick in it chance. At chance: the interval reaches down to what ",
      "shuffled labels gave, or to the level that the task states, whichever is greater.",
    );
  }

  function hiddenNote(view, state) {
    const n = view.unverified.filter(view.isScored).length;
    // Where nothing else is there, the table's place says so.
    if (!n || state.unverified || !view.main.length) return null;
    return paragraph(
      `${counted(n, "unverified submission")} not shown; the filters can show ${n === 1 ? "it" : "them"}, apart.`,
    );
  }

  function missingNote(view) {
    const found = new Map();
    for (const row of view.rows) {
      for (const { id } of view.tasks) {
        if (row.value(id) === null) found.set(row.why(id), (found.get(row.why(id)) ?? 0) + 1);
      }
    }
    if (!found.size) return null;
    const most = [...found].sort((a, b) => b[1] - a[1]).slice(0, MOST_REASONS);
    return element(
      "details",
      null,
      element("summary", null, `${counted(found.size, "reason")} for missing scores`),
      element(
        "ul",
        null,
        most.map(([text, n]) => element("li", null, `${text} (${counted(n, "score")})`)),
      ),
    );
  }

  /** What has to be known beside the table. */
  function boardNotes(view, board, state) {
    return [
      kindNote(board.facts),
      meanNote(view),
      !view.isReported && intervalNote(board.facts),
      hiddenNote(view, state),
      missingNote(view),
    ];
  }

  /** How many models are shown. */
  function countText({ shown, of, unknown }) {
    const left = unknown
      ? `; ${counted(unknown, "model")} left out because a filtered fact is unknown`
      : "";
    const models = counted(of, "model");
    return `${shown === of ? models : `${shown.toLocaleString("en")} of ${models}`}${left}`;
  }

  /** In place of a table: this board has no such task. */
  function noTask(state) {
    const named = [
      state.facet !== "all" && `facet ${state.facet}`,
      state.formulation !== "all" && `formulation ${spoken(state.formulation)}`,
    ];
    const text = named.filter(Boolean).join(" in the ");
    return SHELF.notice(
      "nothing",
      paragraph(`This board has no task of the ${text}. Choose another facet or formulation.`),
    );
  }

  /** In place of a table: why no row is shown, with a button that shows some. */
  function noRows(view, found, clear, showUnverified) {
    const button = (text, onclick) => element("button", { type: "button", onclick }, text);
    if (found.of)
      return SHELF.notice(
        "nothing",
        paragraph("No model passes the filters."),
        button("Clear the filters", clear),
      );
    if (view.unverified.length)
      return SHELF.notice(
        "nothing",
        paragraph(
          "Only unverified submissions here: sent in, consistent with the labels, run again by ",
          "nobody. They have no rank.",
        ),
        button("Show them", showUnverified),
      );
    return SHELF.notice("nothing", paragraph("No model of this board has a score here."));
  }

  Object.assign(SHELF, { boardNotes, countText, noTask, noRows });
})();
