// The librarian's question: which model for my task, with my machine? Every answer is a model of
// the board with its evidence; what is not known is said and never guessed.
"use strict";
(() => {
  const { element, counted, number } = SHELF;
  const MOST_TASKS = 6;

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

  /** The fields of a wish, on a site that opens with a facet. */
  function wishFields(facet) {
    return SHELF.adviceFields([...FACETS.keys()], [...WORK.keys()], facet);
  }

  function whyOf(pick) {
    if (!pick.than) return pick.why;
    const times = pick.than >= 9.95 ? Math.round(pick.than) : pick.than.toFixed(1);
    return `${pick.why}: ${times} times`;
  }

  function card(pick, found, wish, board) {
    const { row } = pick;
    const { quality } = found;
    const [task, ...others] = quality.tasks;
    const cell = others.length ? null : row.cell(task.id);
    return element(
      "li",
      { class: "pick", "data-model": row.key },
      element("p", { class: "why" }, whyOf(pick)),
      element(
        "h2",
        null,
        element("a", { href: SHELF.address("model.html", { model: row.key }) }, row.name),
      ),
      element(
        "p",
        { class: "big" },
        element("b", null, number(quality.of(row))),
        " ",
        element("span", null, cell ? SHELF.interval(cell.low, cell.high) : ""),
        " ",
        element(
          "span",
          null,
          cell ? `${SHELF.metricName(task.metric)}, ${SHELF.chanceText(task, cell)}` : quality.name,
        ),
        SHELF.qualityButton(quality),
      ),
      cell && element("p", { class: "quiet" }, SHELF.taskText(task)),
      element("p", null, SHELF.timeText(row, wish)),
      others.length > 0 && byTask(row, quality.tasks),
      cell && element("p", { class: "quiet" }, SHELF.tieText(cell, board)),
      element("p", { class: "quiet" }, SHELF.factsText(row)),
    );
  }

  function byTask(row, tasks) {
    return element(
      "ul",
      { class: "tasks" },
      tasks
        .slice(0, MOST_TASKS)
        .map((task) =>
          element(
            "li",
            { "data-task": task.id },
            `${SHELF.taskText(task)} ${SHELF.capital(SHELF.scoreText(task, row.cell(task.id)))}`,
          ),
        ),
      tasks.length > MOST_TASKS &&
        element("li", null, `and ${counted(tasks.length - MOST_TASKS, "task")} more`),
      tasks.some((task) => row.cell(task.id).group) &&
        element("li", null, "Models that share a letter of a tie group are not told apart."),
    );
  }

  function noAnswer(found, wish, showUnverified) {
    return SHELF.notice(
      "nothing",
      element("p", null, SHELF.whyText(found, wish)),
      found.why === "chance" &&
        element(
          "ul",
          { class: "remarks" },
          SHELF.atChanceTexts(found).map((text) => element("li", null, text)),
        ),
      found.why === "unverified" &&
        element("button", { type: "button", onclick: showUnverified }, "Show them in the table"),
    );
  }

  function answered(found, wish, board) {
    return [
      element(
        "ol",
        { class: "picks" },
        found.picks.map((pick) => card(pick, found, wish, board)),
      ),
      element(
        "ul",
        { class: "remarks" },
        SHELF.remarks(found, wish, board).map((text) => element("li", null, text)),
      ),
    ];
  }

  // What was chosen on another board stays among the choices, though this one has none of it.
  const there = (names, found, chosen) =>
    [...names].filter(([key]) => key === "all" || key === chosen || found.includes(key));

  function question(board, wish, changed, documents) {
    const chosen = (key) => (value) => changed({ [key]: value });
    const facets = there(FACETS, SHELF.occurring(board, "facet"), wish.for);
    const work = there(WORK, SHELF.occurring(board, "formulation"), wish.work);
    return element(
      "form",
      { class: "question", onsubmit: (event) => event.preventDefault() },
      SHELF.selection("I ask of a document", facets, wish.for, chosen("for"), { id: "for" }),
      SHELF.selection("My work is to", work, wish.work, chosen("work"), { id: "work" }),
      documents,
      SHELF.selection("I have", BUDGETS, wish.budget, chosen("budget"), { id: "budget" }),
      SHELF.selection("It may take", [...SHELF.PATIENCE], wish.time, chosen("time"), {
        id: "time",
      }),
    );
  }

  /** The box for the size of the collection. */
  function documentsBox(state, changed) {
    const { documents } = SHELF.adviceFields([], [], "");
    const [least, most] = [SHELF.LEAST_DOCUMENTS, SHELF.MOST_DOCUMENTS].map(SHELF.whole);
    return SHELF.typed(
      "How many documents",
      {
        id: "documents",
        type: "number",
        min: SHELF.LEAST_DOCUMENTS,
        max: SHELF.MOST_DOCUMENTS,
        value: state().documents,
        inputmode: "numeric",
      },
      (text) => changed({ documents: Number(text) }),
      {
        accepts: (text) => text !== "" && documents.parse(String(Number(text))) !== undefined,
        said: () =>
          `A whole number from ${least} to ${most}. ` +
          `The answer is still that for ${SHELF.whole(state().documents)}.`,
      },
    );
  }

  /**
   * Draws question and answer into a place. `change` takes what is new in the state,
   * `showUnverified` shows unverified rows in the table.
   */
  function librarian(place, board, state, change, showUnverified) {
    const answer = element("div", { class: "answer", "aria-live": "polite" });

    function changed(part) {
      change(part);
      show();
    }

    function show() {
      const wish = state();
      const found = SHELF.advise(board, wish);
      if (found.picks) SHELF.fill(answer, ...answered(found, wish, board));
      else
        SHELF.fill(
          answer,
          noAnswer(found, wish, () => showUnverified(wish)),
        );
    }

    SHELF.fill(place, question(board, state(), changed, documentsBox(state, changed)), answer);
    show();
  }

  Object.assign(SHELF, { wishFields, librarian });
})();
