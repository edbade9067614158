// The librarian's question: which model for my task, with my machine? Every answer is a model of the
// board with its evidence; what is not known is said and never guessed.
"use strict";
(() => {
  const { element, counted, duration, number } = SHELF;

  const FACETS = new Map([
    ["all", "anything"],
    ["subject", "its subject (LC class)"],
    ["category", "its genre, broadly (category)"],
    ["form", "its genre or form, exactly"],
    ["topic", "its topics"],
    ["audience", "its audience"],
    ["register", "its register"],
    ["geography", "the place it is about"],
  ]);
  const WORK = new Map([
    ["all", "do any of this"],
    ["classification", "assign a class to each"],
    ["multilabel_classification", "assign several labels to each"],
    ["retrieval", "find what is alike"],
    ["instruction_retrieval", "find by an instruction"],
    ["pair_classification", "judge pairs"],
    ["clustering", "make groups"],
    ["conditional_clustering", "make groups within a class"],
  ]);
  const BUDGETS = [
    ["cpu", "a computer, CPU only"],
    ["gpu", "a GPU"],
    ["api", "a paid service (API)"],
  ];
  const PATIENCE = [
    ["1", "an hour"],
    ["12", "a night (12 hours)"],
    ["168", "a week"],
    ["any", "as long as it takes"],
  ];
  const MUCH_FASTER = 10;
  const FASTER = 1.5;

  function adviceFields() {
    return {
      for: SHELF.choice([...FACETS.keys()], "subject"),
      work: SHELF.choice([...WORK.keys()], "all"),
      documents: SHELF.amount(100000),
      budget: SHELF.choice(
        BUDGETS.map(([key]) => key),
        "cpu",
      ),
      time: SHELF.choice(
        PATIENCE.map(([key]) => key),
        "12",
      ),
    };
  }

  const isService = (row) => row.model.kind === "endpoint";
  const onGpu = (row) => /\b(gpu|cuda|nvidia|rocm|mps)\b/i.test(row.machine ?? "");

  /** Seconds for a collection, where the rate was measured on what the reader has. */
  function secondsFor(row, wish) {
    const rate = row.documentsPerSecond;
    if (!rate || (wish.budget === "cpu" && onGpu(row))) return null;
    return wish.documents / rate;
  }

  /** Whether the evidence tells `row` from `best` on one of the tasks. */
  function isToldApart(best, row, tasks) {
    return tasks.some((task) => {
      const [a, b] = [best.cell(task), row.cell(task)];
      if (a.value === null || b.value === null) return false;
      if (a.group && b.group)
        return !a.group.split(" ").some((letter) => b.group.split(" ").includes(letter));
      if (a.low === null || b.low === null) return a.value !== b.value;
      return a.low > b.high || b.low > a.high;
    });
  }

  /** One to three models of a board for a wish, each with the reason. */
  function advise(board, wish) {
    const view = SHELF.viewOf(board, wish.for, wish.work);
    if (!view) return { why: "nothing" };
    const quality = SHELF.qualityOf(view);
    if (!quality) return { why: "controls", view };
    const ranked = board.facts.reported ? view.rows : view.rows.filter(SHELF.isRanked);
    const service = wish.budget === "api";
    const ofBudget = ranked.filter((row) => isService(row) === service);
    const scored = ofBudget.filter((row) => quality.of(row) !== null);
    const timed = (row) => secondsFor(row, wish);
    const limit = wish.time === "any" ? Infinity : Number(wish.time) * 3600;
    const tooSlow = scored.filter((row) => timed(row) !== null && timed(row) > limit);
    const fits = scored.filter((row) => timed(row) === null || timed(row) <= limit);
    const known = SHELF.sorted(
      fits.filter((row) => timed(row) !== null),
      quality.of,
      true,
    );
    const unknown = SHELF.sorted(
      fits.filter((row) => timed(row) === null),
      quality.of,
      true,
    );
    const counts = { view, quality, ofBudget, scored, tooSlow, unknown, known };
    if (!fits.length) return { why: ofBudget.length ? "slow" : "none", ...counts };
    const isBest =
      !unknown.length || (known.length > 0 && quality.of(known[0]) >= quality.of(unknown[0]));
    const picks = known.length ? ofKnown(known, quality, isBest) : ofUnknown(unknown);
    return { picks, ...counts };
  }

  function ofKnown(known, quality, isBest) {
    const [best, ...others] = known;
    const picks = [
      { row: best, why: isBest ? "The best score" : "The best score with a known rate" },
    ];
    const equal = others.filter((row) => !isToldApart(best, row, quality.tasks));
    const fast = (row) => row.documentsPerSecond;
    const faster = SHELF.sorted(
      equal.filter((row) => fast(row) > FASTER * fast(best)),
      fast,
      true,
    )[0];
    if (faster)
      picks.push({
        row: faster,
        why: "Not told apart from it, and faster",
        than: fast(faster) / fast(best),
      });
    const base = faster ?? best;
    const much = others.filter((row) => row !== faster && fast(row) > MUCH_FASTER * fast(base));
    if (much.length)
      picks.push({ row: much[0], why: "Lower, and much faster", than: fast(much[0]) / fast(best) });
    return picks;
  }

  function ofUnknown(unknown) {
    const names = ["The best score", "The second", "The third"];
    return unknown.slice(0, 3).map((row, n) => ({ row, why: names[n] }));
  }

  function evidence(pick, found, wish, board) {
    const { row } = pick;
    const single = found.quality.tasks.length === 1 ? row.cell(found.quality.tasks[0]) : null;
    const tasks = found.view.tasks.filter(
      (task) => !task.control && !task.optional && row.value(task.id) !== null,
    );
    const seconds = secondsFor(row, wish);
    return element(
      "li",
      { class: "pick", "data-model": row.key },
      element(
        "p",
        { class: "why" },
        pick.than
          ? `${pick.why}: ${pick.than >= 10 ? Math.round(pick.than) : pick.than.toFixed(1)} times`
          : pick.why,
      ),
      element(
        "h2",
        null,
        element("a", { href: SHELF.address("model.html", { model: row.key }) }, row.name),
      ),
      element(
        "p",
        { class: "big" },
        element("b", null, number(found.quality.of(row))),
        " ",
        element(
          "span",
          null,
          single?.low !== null && single ? SHELF.interval(single.low, single.high) : "",
        ),
        " ",
        element("span", null, found.quality.name),
      ),
      element("p", null, timeText(row, seconds, wish)),
      tasks.length > 1 &&
        element(
          "ul",
          { class: "tasks" },
          tasks.slice(0, 6).map((task) => {
            const cell = row.cell(task.id);
            return element(
              "li",
              null,
              element("code", null, SHELF.breakable(task.id)),
              ` ${number(cell.value)} ${SHELF.interval(cell.low, cell.high)} ${cell.group ? `group ${cell.group}` : ""}`.trimEnd(),
            );
          }),
          tasks.length > 6 && element("li", null, `and ${counted(tasks.length - 6, "task")} more`),
        ),
      single && element("p", { class: "quiet" }, tieText(single, board)),
      element("p", { class: "quiet" }, factsText(row)),
    );
  }

  function tieText(cell, board) {
    if (board.facts.reported)
      return "Without an interval: which other models equal it is not known.";
    if (cell.rank === null) return "It has no rank.";
    const group = cell.group
      ? ` Tie group ${cell.group}: models that share a letter are not told apart.`
      : "";
    return `Rank ${cell.rank}${cell.tied ? ", shared" : ""}, by intervals that do not overlap.${group}`;
  }

  function timeText(row, seconds, wish) {
    const collection = counted(wish.documents, "document");
    if (isService(row)) {
      const price =
        row.money === null
          ? "What it costs is not known."
          : `The benchmark's own run cost ${SHELF.money(row.money)}.`;
      return `${price} Its rate is that of the service, and was not measured.`;
    }
    if (seconds === null) {
      return row.documentsPerSecond
        ? `The time for ${collection} is not known: it was measured on a GPU.`
        : `The time for ${collection} is not known: no rate was measured.`;
    }
    const bound =
      wish.budget === "gpu" && !onGpu(row)
        ? " on a CPU; a GPU is faster, how much was not measured"
        : "";
    const place = row.machine ? ` (${row.machine})` : "";
    return `About ${duration(seconds)} for ${collection}, at ${SHELF.rate(row.documentsPerSecond)} a second${bound}${place}.`;
  }

  function factsText(row) {
    const size =
      row.model.parameters === null
        ? "size unknown"
        : `${SHELF.rounded(row.model.parameters)} parameters`;
    const licence = row.model.licence ?? "licence unknown";
    return `${SHELF.capital(row.model.kind)}; ${size}; ${licence}; ${SHELF.seen(row.seen)}.`;
  }

  /** What has to be known beside the answer. */
  function remarks(found, wish, board) {
    const said = [];
    const without = found.ofBudget.length - found.scored.length;
    if (board.facts.reported) {
      said.push(
        "These scores were reported elsewhere and not computed here. They have no intervals, so small differences between them say nothing.",
      );
    }
    if (without)
      said.push(
        `${counted(without, "model")} lack${without === 1 ? "s" : ""} a task that this is judged by, and ${without === 1 ? "is" : "are"} left out.`,
      );
    if (found.tooSlow.length)
      said.push(`${counted(found.tooSlow.length, "model")} would take longer than you have.`);
    if (found.known.length && found.unknown.length) {
      const [first] = found.unknown;
      const score = `${first.name} with ${number(found.quality.of(first))}`;
      const rest =
        found.unknown.length === 1
          ? `it is not named above: ${score}`
          : `they are not named above; the best of them is ${score}`;
      said.push(
        `Of ${counted(found.unknown.length, "model")} no rate on such a machine is known, so ${rest}.`,
      );
    }
    if (!found.known.length && wish.budget !== "api") {
      said.push(
        "No rate is known here, so nothing is said of time. The command shelf evaluate measures it on your machine.",
      );
    }
    said.push(
      "A score is one on documents written to a specification, not on your catalogue. Try the model on your own records before you decide.",
    );
    return said;
  }

  const NOTHING = {
    nothing: "This board has no such task. Choose another kind of work.",
    controls:
      "Every task of this choice is a control or optional: models score at or near chance by nature, so that none can be recommended.",
    none: "No model of this kind is on the board.",
    slow: "No model with a score is known to be done in that time.",
  };

  /** Draws question and answer into a place; `change` takes what is new in the state. */
  function librarian(place, board, state, change) {
    const answer = element("div", { class: "answer", "aria-live": "polite" });
    const documents = element("input", {
      type: "number",
      id: "documents",
      min: "1",
      max: "1000000000",
      step: "1",
      value: state().documents,
      inputmode: "numeric",
    });
    documents.addEventListener("input", () => {
      if (documents.value !== "" && documents.validity.valid)
        changed({ documents: Number(documents.value) });
    });
    const chosen = (key) => (value) => changed({ [key]: value });
    const facets = SHELF.occurring(board, "facet");
    const work = SHELF.occurring(board, "formulation");
    const there = (names, found) =>
      [...names].filter(([key]) => key === "all" || found.includes(key));
    SHELF.fill(
      place,
      element(
        "form",
        { class: "question", onsubmit: (event) => event.preventDefault() },
        SHELF.selection("I ask of a document", there(FACETS, facets), state().for, chosen("for"), {
          id: "for",
        }),
        SHELF.selection("My work is to", there(WORK, work), state().work, chosen("work"), {
          id: "work",
        }),
        element(
          "label",
          { class: "field" },
          element("span", null, "How many documents"),
          documents,
        ),
        SHELF.selection("I have", BUDGETS, state().budget, chosen("budget"), { id: "budget" }),
        SHELF.selection("It may take", PATIENCE, state().time, chosen("time"), { id: "time" }),
      ),
      answer,
    );

    function changed(part) {
      change(part);
      show();
    }

    function show() {
      const wish = state();
      const found = advise(board, wish);
      if (!found.picks) {
        SHELF.fill(answer, SHELF.notice("nothing", element("p", null, NOTHING[found.why])));
        return;
      }
      SHELF.fill(
        answer,
        element(
          "ol",
          { class: "picks" },
          found.picks.map((pick) => evidence(pick, found, wish, board)),
        ),
        element(
          "ul",
          { class: "remarks" },
          remarks(found, wish, board).map((text) => element("li", null, text)),
        ),
      );
    }

    show();
  }

  Object.assign(SHELF, { adviceFields, advise, librarian, secondsFor });
})();
