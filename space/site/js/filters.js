// Which models of a board are shown. A model of which a filter's fact is unknown is left out, and
// counted, unless the reader keeps those.
"use strict";
(() => {
  const { element, choice, choices, amount, day, flag, words, selection } = SHELF;

  /** The fields of the filters in a view's state; `models` are all that there are. */
  function filterFields(models) {
    return {
      q: words(),
      least: amount(),
      most: amount(),
      from: day(),
      until: day(),
      weights: choice(["any", "open", "closed"], "any"),
      kind: choices([...new Set(models.map((model) => model.kind))]),
      context: amount(),
      licence: choice(["any", ...licences(models)], "any"),
      unknown: flag(),
      unverified: flag(),
      reported: flag(),
    };
  }

  function licences(models) {
    return [...new Set(models.map((model) => model.licence).filter(Boolean))].sort();
  }

  // Each says true, false, or null where it cannot be known.
  const RULES = [
    {
      on: (s) => s.least !== null,
      of: (s, m) => (m.parameters === null ? null : m.parameters >= s.least * 1e6),
    },
    {
      on: (s) => s.most !== null,
      of: (s, m) => (m.parameters === null ? null : m.parameters <= s.most * 1e6),
    },
    { on: (s) => s.from !== "", of: (s, m) => (m.released === null ? null : m.released >= s.from) },
    {
      on: (s) => s.until !== "",
      of: (s, m) => (m.released === null ? null : m.released <= s.until),
    },
    {
      on: (s) => s.weights !== "any",
      of: (s, m) => (m.open_weights === null ? null : m.open_weights === (s.weights === "open")),
    },
    { on: (s) => s.kind.length > 0, of: (s, m) => s.kind.includes(m.kind) },
    {
      on: (s) => s.context !== null,
      of: (s, m) => (m.max_tokens === null ? null : m.max_tokens >= s.context),
    },
    {
      on: (s) => s.licence !== "any",
      of: (s, m) => (m.licence === null ? null : m.licence === s.licence),
    },
  ];

  /** Rows that pass, and how many were left out because a fact is unknown. */
  function filtered(rows, state) {
    const rules = RULES.filter((rule) => rule.on(state));
    const wanted = state.q.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let unknown = 0;
    const kept = rows.filter((row) => {
      const text = `${row.name} ${row.key} ${row.model.checkpoint ?? ""}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) return false;
      const answers = rules.map((rule) => rule.of(state, row.model));
      if (answers.includes(false)) return false;
      if (!answers.includes(null)) return true;
      if (state.unknown) return true;
      unknown += 1;
      return false;
    });
    return { kept, unknown };
  }

  /** How many filters are set. */
  function filtersSet(state) {
    return RULES.filter((rule) => rule.on(state)).length;
  }

  function typed(label, type, value, changed, attributes) {
    const box = element("input", { type, value, ...attributes });
    box.addEventListener("input", () => {
      if (box.validity.valid) changed(box.value);
    });
    return element("label", { class: "field" }, element("span", null, label), box);
  }

  function ticked(label, value, changed, attributes) {
    const box = element("input", {
      type: "checkbox",
      checked: value,
      ...attributes,
      onchange: () => changed(box.checked),
    });
    return element("label", { class: "tick" }, box, label);
  }

  const asAmount = (text) => (text === "" ? null : Number(text));

  /** The controls of the filters; `change` takes what is new in the state. */
  function filterControls(models, state, change, { hasReported, hasUnverified }) {
    const number = { min: "0", step: "any", inputmode: "decimal" };
    const kinds = [...new Set(models.map((model) => model.kind))];
    const toggled = (kind, on) =>
      kinds.filter((each) => (each === kind ? on : state().kind.includes(each)));
    const now = state();
    return element(
      "div",
      { class: "controls" },
      typed(
        "Million parameters, at least",
        "number",
        now.least,
        (text) => change({ least: asAmount(text) }),
        { ...number, id: "least" },
      ),
      typed(
        "Million parameters, at most",
        "number",
        now.most,
        (text) => change({ most: asAmount(text) }),
        { ...number, id: "most" },
      ),
      typed(
        "Context in tokens, at least",
        "number",
        now.context,
        (text) => change({ context: asAmount(text) }),
        { ...number, id: "context" },
      ),
      typed("Released from", "date", now.from, (text) => change({ from: text }), { id: "from" }),
      typed("Released until", "date", now.until, (text) => change({ until: text }), {
        id: "until",
      }),
      selection(
        "Weights",
        [
          ["any", "Any"],
          ["open", "Open"],
          ["closed", "Closed"],
        ],
        now.weights,
        (weights) => change({ weights }),
        { id: "weights" },
      ),
      selection(
        "Licence",
        [["any", "Any"], ...licences(models).map((name) => [name, name])],
        now.licence,
        (licence) => change({ licence }),
        { id: "licence" },
      ),
      element(
        "fieldset",
        { class: "ticks" },
        element("legend", null, "Kind"),
        kinds.map((kind) =>
          ticked(kind, now.kind.includes(kind), (on) => change({ kind: toggled(kind, on) }), {
            name: "kind",
            value: kind,
          }),
        ),
      ),
      element(
        "fieldset",
        { class: "ticks" },
        element("legend", null, "Also show"),
        ticked(
          "models of which a filtered fact is unknown",
          now.unknown,
          (unknown) => change({ unknown }),
          { id: "unknown" },
        ),
        hasUnverified &&
          ticked(
            "unverified submissions, apart",
            now.unverified,
            (unverified) => change({ unverified }),
            { id: "unverified" },
          ),
        hasReported &&
          ticked("reported scores, apart", now.reported, (reported) => change({ reported }), {
            id: "reported",
          }),
      ),
    );
  }

  Object.assign(SHELF, { filterFields, filtered, filtersSet, filterControls, typed, ticked });
})();
