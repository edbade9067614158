// Which models of a board are shown. A model of which a filter's fact is unknown is left out, and
// counted, unless the reader keeps those.
"use strict";
(() => {
  const { element, choice, choices, amount, day, flag, words, selection, ticked, typed } = SHELF;

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

  // What of a model a filter asks for; null where it is not known.
  const FACTS = {
    least: SHELF.weightsOf,
    most: SHELF.weightsOf,
    from: (model) => model.released,
    until: (model) => model.released,
    weights: (model) => model.open_weights,
    kind: (model) => model.kind,
    context: (model) => model.max_tokens,
    licence: (model) => model.licence,
  };

  const PASSES = {
    least: (fact, s) => fact >= s.least * 1e6,
    most: (fact, s) => fact <= s.most * 1e6,
    from: (fact, s) => fact >= s.from,
    until: (fact, s) => fact <= s.until,
    weights: (fact, s) => fact === (s.weights === "open"),
    kind: (fact, s) => s.kind.includes(fact),
    context: (fact, s) => fact >= s.context,
    licence: (fact, s) => fact === s.licence,
  };

  const isSet = (state, name) =>
    !["", "any", null].includes(state[name]) && state[name].length !== 0;

  const setOf = (state) => Object.keys(FACTS).filter((name) => isSet(state, name));

  /** Rows that pass, and how many were left out because a fact is unknown. */
  function filtered(rows, state) {
    const names = setOf(state);
    const answer = (name, fact) => (fact === null ? null : PASSES[name](fact, state));
    const wanted = state.q.trim().toLowerCase().split(/\s+/).filter(Boolean);
    let unknown = 0;
    const kept = rows.filter((row) => {
      const text = `${row.name} ${row.key} ${row.model.checkpoint ?? ""}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) return false;
      const answers = names.map((name) => answer(name, FACTS[name](row.model)));
      if (answers.includes(false)) return false;
      if (!answers.includes(null)) return true;
      if (state.unknown) return true;
      unknown += 1;
      return false;
    });
    return { kept, unknown };
  }

  /** How many filters are set; a search is none. */
  function filtersSet(state) {
    return setOf(state).length;
  }

  const UNKNOWN = "not known on this board";
  const asAmount = (text) => (text === "" ? null : Number(text));

  /** A filter by a number or a day. One that could keep no model is closed, and says so. */
  function box(name, label, type, models, state, change) {
    const isClosed = !isSet(state, name) && models.every((model) => FACTS[name](model) === null);
    const isDay = type === "date";
    const field = isDay ? day() : amount();
    return typed(
      label,
      {
        id: name,
        // A box for a day has no room for words.
        type: isClosed ? "text" : type,
        value: state[name],
        disabled: isClosed,
        placeholder: isClosed ? UNKNOWN : null,
        step: isDay ? null : "any",
        inputmode: isDay ? null : "decimal",
      },
      (text) => change({ [name]: isDay ? text : asAmount(text) }),
      {
        accepts: (text) =>
          text === "" || field.parse(isDay ? text : String(Number(text))) !== undefined,
        said: () =>
          isDay
            ? "A day, such as 2024-05-31."
            : "A number from 0 on, such as 0.5; the filter is as before.",
      },
    );
  }

  /** A filter by one of some words; closed likewise. */
  function oneOf(name, label, values, models, state, change) {
    const isClosed = !isSet(state, name) && models.every((model) => FACTS[name](model) === null);
    return selection(
      label,
      isClosed ? [["any", SHELF.capital(UNKNOWN)]] : [["any", "Any"], ...values],
      state[name],
      (value) => change({ [name]: value }),
      { id: name, disabled: isClosed, title: isClosed ? UNKNOWN : null },
    );
  }

  function withSet(values, state) {
    return state.licence === "any" || values.includes(state.licence)
      ? values
      : [...values, state.licence];
  }

  /** The controls of the filters for these models; `change` takes what is new in the state. */
  function filterControls(models, state, change, { hasReported, hasUnverified }) {
    const kinds = [...new Set(models.map((model) => model.kind))];
    const toggled = (kind, on) =>
      kinds.filter((each) => (each === kind ? on : state().kind.includes(each)));
    const now = state();
    const number = (name, label) => box(name, label, "number", models, now, change);
    const date = (name, label) => box(name, label, "date", models, now, change);
    const weights = [
      ["open", "Open"],
      ["closed", "Closed"],
    ];
    const found = withSet(licences(models), now).map((name) => [name, name]);
    return element(
      "div",
      { class: "controls" },
      number("least", "Million parameters, at least"),
      number("most", "Million parameters, at most"),
      number("context", "Context in tokens, at least"),
      date("from", "Released from"),
      date("until", "Released until"),
      oneOf("weights", "Weights", weights, models, now, change),
      oneOf("licence", "Licence", found, models, now, change),
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

  Object.assign(SHELF, { filterFields, filtered, filtersSet, filterControls });
})();
