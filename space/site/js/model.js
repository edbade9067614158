// A model's page.
"use strict";
(() => {
  const { element } = SHELF;

  async function page() {
    const place = document.getElementById("model");
    const all = await SHELF.catalogue();
    SHELF.know(all);
    const fields = {
      model: SHELF.choice(
        all.models.map((model) => model.key),
        "",
      ),
    };
    const { state, ignored } = SHELF.read(fields);
    SHELF.sayIgnored(ignored, document.getElementById("notes"));
    const position = all.byKey.get(state.model);
    if (position === undefined) {
      SHELF.fill(place, listOf(all));
      return;
    }
    const model = all.models[position];
    document.title = `${model.name}, SHELF`;
    const boards = await Promise.all(model.boards.map((n) => SHELF.board(n)));
    const details = model.detailed ? await SHELF.load(`model-${position}`) : [];
    const rows = boards.flatMap((board) =>
      SHELF.rowsOf(board).filter((row) => row.key === model.key),
    );
    SHELF.fill(
      place,
      element("h1", null, model.name),
      facts(model, rows),
      element(
        "p",
        null,
        element(
          "a",
          {
            href: SHELF.address("compare.html", {
              board: rows[0]?.board.facts.key ?? "",
              model: model.key,
            }),
          },
          "Compare it with others",
        ),
      ),
      ...rows.map((row) =>
        SHELF.modelOnBoard(
          row,
          all,
          details.find((entry) => entry.board === row.board.number && entry.row === row.n),
        ),
      ),
    );
  }

  function listOf(all) {
    return [
      element("h1", null, "Models"),
      element(
        "p",
        null,
        all.models.length
          ? "The link names no model. These are known:"
          : "There are no models yet.",
      ),
      element(
        "ul",
        { class: "plain" },
        all.models.map((model) =>
          element(
            "li",
            null,
            element("a", { href: SHELF.address("model.html", { model: model.key }) }, model.name),
            ` (${model.kind}${model.reported ? ", reported" : ""})`,
          ),
        ),
      ),
    ];
  }

  function facts(model, rows) {
    const known = [
      ["Kind", model.kind],
      ["Given as", model.spec],
      ["Weights", model.checkpoint],
      ["Revision", model.revision],
      ["Parameters", parameters(model)],
      ["Dimension", model.dimension === null ? null : SHELF.whole(model.dimension)],
      ["Context", model.max_tokens === null ? null : `${SHELF.whole(model.max_tokens)} tokens`],
      ["Open weights", { true: "yes", false: "no" }[model.open_weights] ?? null],
      ["Licence", model.licence],
      ["Released", model.released],
      [
        "Last day of training",
        model.cutoff &&
          `${model.cutoff} (${model.cutoff_of === "training" ? "end of its training data" : "its release"})`,
      ],
      ["Source of that day", model.cutoff && model.cutoff_source],
      ["Speed", speeds(rows)],
    ];
    const missing = known
      .filter(([name]) => name !== "Given as" && (name !== "Source of that day" || model.cutoff))
      .filter(([, value]) => value === null || value === undefined || value === "")
      .map(([name]) => name.toLowerCase());
    return element(
      "div",
      null,
      element(
        "dl",
        { class: "facts-list" },
        known
          .filter(([, value]) => value)
          .flatMap(([name, value]) => [element("dt", null, name), element("dd", null, value)]),
      ),
      missing.length > 0 &&
        element(
          "p",
          { class: "note" },
          `Not known, or the model has none: ${SHELF.listed(missing)}.`,
        ),
    );
  }

  function parameters(model) {
    const weights = SHELF.weightsOf(model);
    if (weights === null) return null;
    return weights === 0 ? SHELF.weightsText(model) : SHELF.whole(weights);
  }

  function speeds(rows) {
    const found = rows.filter((row) => row.documentsPerSecond !== null).map(speed);
    return [...new Set(found)].join("; ");
  }

  function speed(row) {
    const rate = `${SHELF.rate(row.documentsPerSecond)} documents a second`;
    const bounds =
      row.rateLow === null ? "" : ` [${SHELF.rate(row.rateLow)}, ${SHELF.rate(row.rateHigh)}]`;
    return `${rate}${bounds}${row.machine ? ` on ${row.machine}` : ""}`;
  }

  SHELF.run(page, document.getElementById("model"));
})();
