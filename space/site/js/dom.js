// Elements are made here and nowhere else. Texts become text nodes: no text is ever read as HTML.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";

  function filled(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : String(value));
    }
    node.append(...shown(children));
    return node;
  }

  function shown(children) {
    return children
      .flat()
      .filter((child) => child !== null && child !== undefined && child !== false);
  }

  /** Puts children in the place of those that a node has. */
  function fill(node, ...children) {
    node.replaceChildren(...shown(children));
  }

  /** An element with attributes (`onclick` and the like are listeners) and children. */
  function element(name, attributes, ...children) {
    return filled(document.createElement(name), attributes, children);
  }

  /** The same in SVG. */
  function drawn(name, attributes, ...children) {
    return filled(document.createElementNS(SVG, name), attributes, children);
  }

  /** A link to a page of the site; the values are encoded. */
  function address(page, values) {
    const query = new URLSearchParams(values).toString();
    return query ? `${page}?${query}` : page;
  }

  /** A text that may be broken after an underscore, and after what else joins the parts of a name. */
  function breakable(text) {
    return text
      .split(/(?<=[-_/,=:@+])/)
      .flatMap((part, n) => (n ? [document.createElement("wbr"), part] : [part]));
  }

  /** Says something to a screen reader, without moving the focus. */
  function announce(text) {
    const region = document.getElementById("said");
    if (region && region.textContent !== text) region.textContent = text;
  }

  /** What stands in a box where there is nothing, or where something failed. */
  function notice(kind, ...children) {
    return element(
      "div",
      { class: `notice ${kind}`, role: kind === "failed" ? "alert" : null },
      ...children,
    );
  }

  function option(value, text, chosen) {
    return element("option", { value, selected: value === chosen }, text);
  }

  /** A choice with its label. `choices` are [value, text], or {group, choices}. */
  function selection(label, choices, chosen, changed, attributes) {
    const options = choices.map((choice) =>
      Array.isArray(choice)
        ? option(choice[0], choice[1], chosen)
        : element(
            "optgroup",
            { label: choice.group },
            choice.choices.map(([value, text]) => option(value, text, chosen)),
          ),
    );
    const box = element("select", { ...attributes, onchange: () => changed(box.value) }, options);
    return element("label", { class: "field" }, element("span", null, label), box);
  }

  /** A table in a box that scrolls, with its caption. */
  function scrolled(caption, ...parts) {
    return element(
      "div",
      { class: "scroller", role: "region", "aria-label": caption, tabindex: "0" },
      element("table", null, element("caption", null, element("span", null, caption)), parts),
    );
  }

  /** The head of a table, a cell for each column; `isWords` says of which the cells are words. */
  function headed(titles, isWords = () => false) {
    const cell = (title, n) =>
      element("th", { scope: "col", class: isWords(n) ? "words" : null }, title);
    return element("thead", null, element("tr", null, titles.map(cell)));
  }

  Object.assign(SHELF, {
    element,
    fill,
    drawn,
    address,
    breakable,
    announce,
    notice,
    selection,
    scrolled,
    headed,
  });
})();
