// Two to five models, task by task.
"use strict";
(() => {
  const { element, choices } = SHELF;
  const MOST = 5;

  async function page() {
    const place = document.getElementById("compare");
    const all = await SHELF.catalogueFor(place);
    if (!all) return;
    const fields = {
      board: await SHELF.boardField(all),
      model: choices(
        all.models.map((model) => model.key),
        MOST,
      ),
      strata: SHELF.words(),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const chooser = element("div", null);
    const shown = element("div", null);
    SHELF.fill(place, chooser, shown);
    const alter = (part) => {
      Object.assign(state, part);
      SHELF.write(fields, state);
      return SHELF.run(show, shown);
    };

    async function show() {
      const board = await SHELF.board(all.boardByKey.get(state.board));
      const rows = SHELF.rowsOf(board);
      const byKey = new Map(rows.map((row) => [row.key, row]));
      SHELF.fill(chooser, choosing(all, board, rows, byKey, state, alter));
      const chosen = state.model.map((key) => byKey.get(key)).filter(Boolean);
      if (chosen.length < 2) {
        SHELF.fill(
          shown,
          SHELF.notice("nothing", element("p", null, "Choose at least two models of the board.")),
        );
        return;
      }
      const pairs = await SHELF.load(`pairs-${board.number}`);
      const differences = SHELF.differencesOf(pairs);
      SHELF.fill(
        shown,
        element("h2", null, "Task by task"),
        element("p", { class: "note" }, leadText(board, pairs, chosen)),
        SHELF.comparedScores(board, chosen, differences),
        element("h2", null, "In parts"),
        await SHELF.comparedParts(all, board, chosen, state, alter),
      );
      SHELF.announce(`${SHELF.counted(chosen.length, "model")} compared.`);
    }

    await show();
  }

  function choosing(all, board, rows, byKey, state, alter) {
    const names = new Map(rows.map((row) => [row.name, row.key]));
    const box = element("input", {
      list: "models",
      id: "add",
      autocomplete: "off",
      placeholder: "Name of a model",
    });
    const add = () => {
      const key = names.get(box.value);
      if (!key || state.model.includes(key)) return;
      alter({ model: [...state.model, key] }).then(() => document.getElementById("add")?.focus());
    };
    box.addEventListener("change", add);
    const full = state.model.length >= MOST;
    const absent = state.model
      .filter((key) => !byKey.has(key))
      .map((key) => all.models[all.byKey.get(key)].name);
    return [
      element(
        "div",
        { class: "row" },
        SHELF.boardChoice(all, state.board, (key) => alter({ board: key })),
        full
          ? element(
              "p",
              { class: "note", id: "full" },
              `At most ${MOST} models can be compared at once. Remove one to add another.`,
            )
          : element("label", { class: "field" }, element("span", null, "Add a model"), box),
        element(
          "datalist",
          { id: "models" },
          rows
            .filter((row) => !state.model.includes(row.key))
            .map((row) => element("option", { value: row.name })),
        ),
      ),
      element(
        "ul",
        { class: "chips", "aria-label": "Chosen models" },
        state.model.map((key, n) => {
          const name = byKey.get(key)?.name ?? all.models[all.byKey.get(key)].name;
          return element(
            "li",
            null,
            element("span", { class: `swatch s${n}`, "aria-hidden": "true" }),
            element("a", { href: SHELF.address("model.html", { model: key }) }, name),
            element(
              "button",
              {
                type: "button",
                class: "small",
                "aria-label": `Remove ${name}`,
                onclick: () => alter({ model: state.model.filter((other) => other !== key) }),
              },
              "Remove",
            ),
          );
        }),
      ),
      absent.length
        ? element("p", { class: "note" }, `Not on this board: ${SHELF.listed(absent)}.`)
        : "",
    ];
  }

  function leadText(board, pairs, chosen) {
    const [first] = chosen;
    const base = `The colours are those of the names above. Differences are those to ${first.name}.`;
    if (board.facts.reported)
      return (
        `${base} Reported scores have no items: there are no intervals and no tests, ` +
        "and nothing says which differences are chance."
      );
    if (pairs.why_not)
      return (
        `${base} There are no paired differences: ${pairs.why_not}. ` +
        "Where both scores have intervals it is said whether these overlap."
      );
    const level = Math.round(100 * (board.facts.level ?? 0.95));
    const tests = SHELF.whole(pairs.n_tests);
    return (
      `${base} In brackets ${level} % intervals; a difference is told apart after Holm’s correction ` +
      `for all ${tests} that were tested on this board, not only those shown.`
    );
  }

  SHELF.run(page, document.getElementById("compare"));
})();
