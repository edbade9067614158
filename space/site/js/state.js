// The state of a view is the query string. A value that means nothing here is ignored, and said.
"use strict";
(() => {
  /** One of these. */
  function choice(values, initial) {
    const known = new Set(values);
    return {
      initial,
      parse: (text) => (known.has(text) ? text : undefined),
      text: (value) => value,
    };
  }

  /** Some of these, each once. */
  function choices(values, most = Infinity, initial = []) {
    const known = new Set(values);
    return {
      initial,
      many: true,
      parse: (texts) => {
        const kept = [...new Set(texts)].filter((text) => known.has(text)).slice(0, most);
        return { kept, whole: kept.length === texts.length };
      },
      text: (value) => value,
    };
  }

  /** Any short text. */
  function words(initial = "") {
    return {
      initial,
      parse: (text) => (text.length <= 200 ? text : undefined),
      text: (value) => value,
    };
  }

  /** A number that is not negative, or null. */
  function amount(initial = null) {
    return {
      initial,
      parse: (text) => (/^\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
      text: (value) => (value === null ? null : String(value)),
    };
  }

  /** A whole number between two. */
  function wholeNumber(least, most, initial) {
    return {
      initial,
      parse: (text) =>
        /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most
          ? Number(text)
          : undefined,
      text: String,
    };
  }

  /** A day, or an empty text. */
  function day() {
    return {
      initial: "",
      parse: (text) =>
        /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined,
      text: (value) => value,
    };
  }

  /** On or off. */
  function flag(initial = false) {
    return {
      initial,
      parse: (text) => ({ yes: true, no: false })[text],
      text: (value) => (value ? "yes" : "no"),
    };
  }

  /** The state in the address, and the names of what was ignored. */
  function read(fields) {
    const query = new URLSearchParams(location.search);
    const state = {};
    const ignored = [...new Set(query.keys())].filter((name) => !Object.hasOwn(fields, name));
    for (const [name, field] of Object.entries(fields)) {
      state[name] = field.initial;
      if (!query.has(name)) continue;
      if (field.many) {
        const { kept, whole } = field.parse(query.getAll(name).filter((text) => text !== ""));
        state[name] = kept;
        if (!whole) ignored.push(name);
      } else {
        const value = field.parse(query.get(name));
        if (value === undefined) ignored.push(name);
        else state[name] = value;
      }
    }
    return { state, ignored };
  }

  /** The query string of a state: what differs from the start. */
  function query(fields, state) {
    const written = new URLSearchParams();
    for (const [name, field] of Object.entries(fields)) {
      const value = state[name];
      if (field.many) {
        if (String(value) === String(field.initial)) continue;
        for (const each of value.length ? value : [""]) written.append(name, each);
      } else if (value !== field.initial) {
        const text = field.text(value);
        if (text !== null) written.set(name, text);
      }
    }
    return written.toString();
  }

  /** Writes a state into the address, without a new entry in the history. */
  function write(fields, state) {
    // The whole address: an empty one, as that of a page served at "/", would keep the old query.
    const address = new URL(location.href);
    address.search = query(fields, state);
    try {
      history.replaceState(null, "", address);
    } catch {
      // Some browsers hold the address of a file on a disk fixed; the view works all the same.
    }
  }

  const allIgnored = new Set();

  /** Says that parts of a link were ignored; what is found later joins what was said. */
  function sayIgnored(ignored, place) {
    if (!ignored.length) return;
    for (const name of ignored) allIgnored.add(name);
    place.querySelector(".notice.ignored")?.remove();
    const names = SHELF.listed([...allIgnored].map((name) => `“${name.slice(0, 40)}”`));
    place.prepend(
      SHELF.notice(
        "ignored",
        SHELF.element(
          "p",
          null,
          `This link has something that means nothing here, and was ignored: ${names}. `,
          "The rest is shown.",
        ),
      ),
    );
  }

  Object.assign(SHELF, {
    choice,
    choices,
    words,
    amount,
    wholeNumber,
    day,
    flag,
    read,
    query,
    write,
    sayIgnored,
  });
})();
