// Which models of a board answer a wish. What is not known is never guessed, and a model that is
// not told from chance is never named.
"use strict";
(() => {
  const BUDGETS = ["cpu", "gpu", "api"];
  const PATIENCE = [
    { key: "1", hours: 1 },
    { key: "12", hours: 12 },
    { key: "168", hours: 168 },
    { key: "any", hours: Infinity },
  ];
  const LEAST_DOCUMENTS = 1;
  const MOST_DOCUMENTS = 1_000_000_000;
  const MUCH_FASTER = 10;
  const FASTER = 1.5;
  const MOST_PICKS = 3;

  /** The fields of a wish in the state; `facets` and `work` are all that can be asked. */
  function adviceFields(facets, work, facet) {
    return {
      for: SHELF.choice(facets, facet),
      work: SHELF.choice(work, "all"),
      documents: SHELF.wholeNumber(LEAST_DOCUMENTS, MOST_DOCUMENTS, 100000),
      budget: SHELF.choice(BUDGETS, "cpu"),
      time: SHELF.choice(
        PATIENCE.map(({ key }) => key),
        "12",
      ),
    };
  }

  const isService = (row) => row.model.kind === "endpoint";
  const isOnGpu = (row) => /\b(gpu|cuda|nvidia|rocm|mps)\b/i.test(row.machine ?? "");

  /** Seconds for a collection; null where no rate was measured on what the reader has. */
  function secondsFor(row, wish) {
    const rate = row.documentsPerSecond;
    if (!rate || isService(row) || (wish.budget === "cpu" && isOnGpu(row))) return null;
    return wish.documents / rate;
  }

  /** The least patience that a time needs. */
  const patienceFor = (seconds) => PATIENCE.find(({ hours }) => seconds <= hours * 3600).key;

  /** Whether all that a model is judged by is at chance. */
  const isAllAtChance = (row, tasks) =>
    tasks.every((task) => SHELF.isAtChance(task, row.cell(task.id)));

  /** Whether the evidence tells `row` from `best` on one of the tasks. */
  function isToldApart(best, row, tasks) {
    return tasks.some((task) => {
      const [a, b] = [best.cell(task.id), row.cell(task.id)];
      if (a.value === null || b.value === null) return false;
      if (a.group && b.group)
        return !a.group.split(" ").some((letter) => b.group.split(" ").includes(letter));
      if (a.low === null || b.low === null) return a.value !== b.value;
      return a.low > b.high || b.low > a.high;
    });
  }

  /**
   * Answers a wish from a board: one to three `picks` {row, why, than}, or `why` there is none,
   * with what else is known. All lists of rows are best first.
   */
  function advise(board, wish) {
    const view = SHELF.viewOf(board, wish.for, wish.work);
    if (!view) return { why: "nothing" };
    const why = SHELF.whyNoQuality(view);
    if (why) return { why, view };
    const quality = SHELF.qualityOf(view);
    const ofBudget = view.main.filter((row) => isService(row) === (wish.budget === "api"));
    const scored = SHELF.sorted(
      ofBudget.filter((row) => quality.of(row) !== null),
      quality.of,
      true,
    );
    const above = scored.filter((row) => !isAllAtChance(row, quality.tasks));
    const limit = 3600 * PATIENCE.find(({ key }) => key === wish.time).hours;
    const seconds = (row) => secondsFor(row, wish);
    const found = {
      view,
      quality,
      ofBudget,
      scored,
      above,
      tooSlow: above.filter((row) => seconds(row) !== null && seconds(row) > limit),
      inTime: above.filter((row) => seconds(row) !== null && seconds(row) <= limit),
      untimed: above.filter((row) => seconds(row) === null),
    };
    const whyNot = whyNoPick(found);
    return whyNot ? { why: whyNot, ...found } : { picks: picksOf(found, wish), ...found };
  }

  function whyNoPick({ ofBudget, scored, above, tooSlow }) {
    if (!ofBudget.length) return "none";
    if (!scored.length) return "incomplete";
    if (!above.length) return "chance";
    return tooSlow.length === above.length ? "slow" : null;
  }

  function picksOf(found, wish) {
    const { inTime, tooSlow, untimed } = found;
    if (inTime.length) return ofTimed(found, wish);
    const names = tooSlow.length
      ? ["The best of those whose speed is not known", "The second of those", "The third of those"]
      : ["The best score", "The second", "The third"];
    return untimed.slice(0, MOST_PICKS).map((row, n) => ({
      row,
      why: `${names[n]}${tooSlow.length ? "" : untimedText(row, wish)}`,
    }));
  }

  /** What a heading may not leave out: nothing says that this one is fast enough. */
  function untimedText(row, wish) {
    // A service's speed is its own, and is spoken of apart.
    if (wish.budget === "api") return "";
    return row.documentsPerSecond
      ? ", but nobody has measured its speed on a CPU"
      : ", but nobody has measured its speed";
  }

  function bestName({ quality, above, inTime }, wish) {
    if (quality.of(inTime[0]) >= quality.of(above[0])) return "The best score";
    return wish.time === "any"
      ? "The best of those whose speed is known"
      : "The best of those known to be done in time";
  }

  function ofTimed(found, wish) {
    const [best, ...others] = found.inTime;
    const picks = [{ row: best, why: bestName(found, wish) }];
    const fast = (row) => row.documentsPerSecond;
    const equal = others.filter((row) => !isToldApart(best, row, found.quality.tasks));
    const [faster] = SHELF.sorted(
      equal.filter((row) => fast(row) > FASTER * fast(best)),
      fast,
      true,
    );
    if (faster)
      picks.push({
        row: faster,
        why: "Not told apart from it, and faster",
        than: fast(faster) / fast(best),
      });
    const base = faster ?? best;
    const much = others.find((row) => row !== faster && fast(row) > MUCH_FASTER * fast(base));
    if (much)
      picks.push({ row: much, why: "Lower, and much faster", than: fast(much) / fast(best) });
    return picks;
  }

  Object.assign(SHELF, {
    adviceFields,
    advise,
    secondsFor,
    isToldApart,
    patienceFor,
    isService,
    isOnGpu,
    LEAST_DOCUMENTS,
    MOST_DOCUMENTS,
  });
})();
