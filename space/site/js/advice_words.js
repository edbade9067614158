// What is said of the models that answer a wish, and where none does, why.
"use strict";
(() => {
  const { counted, duration, number, listed, capital, spoken } = SHELF;

  const PATIENCE = new Map([
    ["1", "an hour"],
    ["12", "a night (12 hours)"],
    ["168", "a week"],
    ["any", "as long as it takes"],
  ]);

  // Models that look words up, with no layers that a GPU would run faster.
  const NO_GPU = new Set(["sparse", "static"]);
  const MOST_NAMED = 5;

  const WHY = {
    nothing: "This board has no such task. Choose another kind of work.",
    controls:
      "Every task of this choice is a control or optional: models score at or near chance by nature, " +
      "so that none can be recommended.",
    unverified:
      "Only unverified submissions have scores here. Nobody has run them again, so that none is recommended.",
    unscored: "No model of this board has a score on this.",
    apart:
      "These models have no task in common, so that there is no mean to compare them by. Choose one kind of work.",
  };

  /** Why there is no answer. */
  function whyText(found, wish) {
    switch (found.why) {
      case "none":
        return wish.budget === "api"
          ? "No model of this kind is on the board: none is a paid service."
          : "No model of this kind is on the board: all are paid services.";
      case "incomplete":
        return `No model of this kind has a score on all that this is judged by: ${found.quality.name}.`;
      case "chance":
        return "No model here is above chance on this, so that none is recommended.";
      case "slow":
        return `${slowCount(found)} ${slowText(found, wish)}`;
    }
    return WHY[found.why];
  }

  const slowCount = ({ tooSlow }) =>
    `${counted(tooSlow.length, "model")} would take longer than you have.`;

  /** The best of those that take too long, and what patience it needs. */
  function slowText(found, wish) {
    const [best] = found.tooSlow;
    const seconds = SHELF.secondsFor(best, wish);
    const score = number(found.quality.of(best));
    const patience = PATIENCE.get(SHELF.patienceFor(seconds));
    const time = `${duration(seconds)} for ${counted(wish.documents, "document")}`;
    const which = found.tooSlow.length === 1 ? "It is" : "The best of them is";
    return `${which} ${best.name} with ${score}: ${time}. For it, choose “${patience}”.`;
  }

  /** A score with its interval, the chance level that it is held against, and its tie group. */
  function scoreText(task, cell) {
    const level = SHELF.chanceOf(task, cell);
    const parts = [
      `${number(cell.value)} ${SHELF.interval(cell.low, cell.high)}`.trim(),
      chanceText(task, cell, level),
      cell.group && `tie group ${cell.group}`,
    ];
    return parts.filter(Boolean).join(", ");
  }

  /** What a task asks, in plain words. */
  function taskText(task) {
    return task.question || `${capital(spoken(task.formulation))}, facet ${task.facet}.`;
  }

  function chanceText(task, cell, level = SHELF.chanceOf(task, cell)) {
    if (level === null) return "chance not known";
    return `${SHELF.isAtChance(task, cell) ? "at chance" : "chance"} ${number(level)}`;
  }

  /** The best score on each task, where all are at chance. */
  function atChanceTexts(found) {
    return found.quality.tasks.map((task) => {
      const [best] = SHELF.sorted(found.scored, (row) => row.value(task.id), true);
      return `${taskText(task)} The best is ${best.name} with ${scoreText(task, best.cell(task.id))}`;
    });
  }

  /** The place of a score among others. */
  function tieText(cell, board) {
    if (board.facts.reported)
      return "Without an interval: which other models equal it is not known.";
    if (cell.rank === null) return "It has no rank.";
    const group = cell.group
      ? ` Tie group ${cell.group}: models that share a letter are not told apart.`
      : "";
    return `Rank ${cell.rank}${cell.tied ? ", shared" : ""}, by intervals that do not overlap.${group}`;
  }

  /** How long a collection takes, or what a service costs. */
  function timeText(row, wish) {
    const collection = counted(wish.documents, "document");
    const seconds = SHELF.secondsFor(row, wish);
    if (SHELF.isService(row)) {
      const price =
        row.money === null
          ? "What it costs is not known."
          : `The benchmark's own run cost ${SHELF.money(row.money)}.`;
      return `${price} Its speed is that of the service, and says nothing of yours.`;
    }
    if (seconds === null) {
      return row.documentsPerSecond
        ? `The time for ${collection} is not known: its speed was measured on a GPU.`
        : `The time for ${collection} is not known: no speed was measured.`;
    }
    const bound =
      wish.budget === "gpu" && !SHELF.isOnGpu(row) && !NO_GPU.has(row.model.kind)
        ? " on a CPU; a GPU is faster, how much was not measured"
        : "";
    const place = row.machine ? ` (${row.machine})` : "";
    const rate = SHELF.rate(row.documentsPerSecond);
    return `${capital(duration(seconds))} for ${collection}, at ${rate} a second${bound}${place}.`;
  }

  /** Kind, size, licence, and whether it may have seen the documents. */
  function factsText(row) {
    const isKnown = SHELF.weightsOf(row.model) !== null;
    const size = isKnown ? SHELF.weightsText(row.model) : "size unknown";
    const licence = row.model.licence ?? "licence unknown";
    return `${capital(row.model.kind)}; ${size}; ${licence}; ${SHELF.seen(row.seen)}.`;
  }

  function lackText(found) {
    const n = found.ofBudget.length - found.scored.length;
    if (!n) return null;
    const verbs = n === 1 ? ["lacks", "is"] : ["lack", "are"];
    return `${counted(n, "model")} ${verbs[0]} a task that this is judged by, and ${verbs[1]} left out.`;
  }

  function chanceRemark(found) {
    const n = found.scored.length - found.above.length;
    if (!n) return null;
    return `${counted(n, "model")} ${n === 1 ? "is" : "are"} at chance on this, and never recommended.`;
  }

  function slowRemark(found, wish) {
    return found.tooSlow.length ? `${slowCount(found)} ${slowText(found, wish)}` : null;
  }

  function untimedRemark(found, wish) {
    const { quality, untimed, inTime, tooSlow } = found;
    if (!untimed.length || wish.budget === "api") return null;
    const machine = wish.budget === "cpu" ? "a CPU" : "such a machine";
    if (!inTime.length && !tooSlow.length)
      return (
        `No speed on ${machine} is known here, so nothing is said of time. ` +
        "The command shelf evaluate measures it on yours."
      );
    const of = `Of ${counted(untimed.length, "model")} no speed on ${machine} is known`;
    if (!inTime.length) return `${of}, so nothing says whether the time is enough for those above.`;
    const [first] = untimed;
    const score = `${first.name} with ${number(quality.of(first))}`;
    return untimed.length === 1
      ? `${of}, so it is not named above: ${score}.`
      : `${of}, so they are not named above; the best of them is ${score}.`;
  }

  /** The models that the evidence does not tell from the first one named, or else the next one. */
  function nextRemark({ picks, above, quality }, board) {
    const best = picks[0].row;
    const named = new Set(picks.map(({ row }) => row));
    const others = above.filter((row) => !named.has(row) && quality.of(row) <= quality.of(best));
    if (!others.length) return null;
    const scored = (row) => `${row.name} with ${number(quality.of(row))}`;
    const equal = board.facts.reported
      ? []
      : others.filter((row) => !SHELF.isToldApart(best, row, quality.tasks));
    if (!equal.length)
      return `${picks.length > 1 ? "Next of those not named above" : "The second"}: ${scored(others[0])}.`;
    const more = equal.length - MOST_NAMED;
    const names = equal.slice(0, MOST_NAMED).map(scored);
    return `Not told apart from ${best.name} either: ${listed(more > 0 ? [...names, `${more} more`] : names)}.`;
  }

  /** What has to be known beside the answer. */
  function remarks(found, wish, board) {
    return [
      ...board.facts.notes,
      board.facts.reported &&
        "These scores were reported elsewhere and not computed here. " +
          "They have no intervals, so small differences between them say nothing.",
      nextRemark(found, board),
      lackText(found),
      chanceRemark(found),
      slowRemark(found, wish),
      untimedRemark(found, wish),
      "A score is one on documents written to a specification, not on your catalogue. " +
        "Try the model on your own records before you decide.",
    ].filter(Boolean);
  }

  Object.assign(SHELF, {
    PATIENCE,
    whyText,
    taskText,
    scoreText,
    chanceText,
    atChanceTexts,
    tieText,
    timeText,
    factsText,
    remarks,
  });
})();
