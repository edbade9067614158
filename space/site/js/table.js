// A table of many rows: the first are drawn at once, the others while nothing else is to be done.
"use strict";
(() => {
  const { element } = SHELF;
  const AT_ONCE = 25;
  const AT_A_TIME = 75;
  const FEW_PARTS = 4;
  let turn = 0;

  function heading(column, sort, sortBy) {
    const sorted = sort.key === column.key;
    const direction = sort.descending ? "descending" : "ascending";
    const task = column.task;
    return element(
      "th",
      {
        scope: "col",
        class: column.width ?? "fact",
        "data-key": column.key,
        "aria-sort": sorted ? direction : null,
      },
      column.over && element("span", { class: "over" }, column.over),
      element(
        "button",
        { type: "button", class: "sort", onclick: () => sortBy(column) },
        task ? element("code", null, SHELF.breakable(column.title)) : column.title,
      ),
      element(
        "span",
        { class: "under" },
        column.under,
        column.help && SHELF.help(task ? `${task.id}, ${column.under}` : column.title, column.help),
      ),
      task?.control &&
        element(
          "span",
          { class: "mark", title: "At or near chance by nature; in no mean." },
          "control",
        ),
      task?.optional &&
        element(
          "span",
          { class: "mark", title: "Runs only when it is named; in no mean." },
          "optional",
        ),
    );
  }

  function line(row, columns) {
    const found = document.createElement("tr");
    for (const column of columns) found.append(column.cell(row));
    return found;
  }

  // Each part is a body of its own: a browser lays out again only what changed.
  function body(rows, columns, isApart) {
    const found = element("tbody", { class: isApart ? "apart" : null });
    for (const row of rows) found.append(line(row, columns));
    return found;
  }

  // A hidden page has no frames.
  function afterFrame(work) {
    if (document.hidden) setTimeout(work);
    else requestAnimationFrame(() => setTimeout(work));
  }

  /** Draws the rest of the rows bit by bit; stops where another table is drawn meanwhile. */
  function later(parts, columns, own, done) {
    const next = () => {
      if (own !== turn) return;
      const part = parts.find(({ rows, drawn }) => drawn < rows.length);
      if (!part) return done();
      const more = body(part.rows.slice(part.drawn, part.drawn + AT_A_TIME), columns, part.isApart);
      part.last.after(more);
      part.last = more;
      part.drawn = Math.min(part.rows.length, part.drawn + AT_A_TIME);
      afterFrame(next);
    };
    afterFrame(next);
  }

  // To take away a large table at once is as slow as to draw one: it is hidden, and goes in parts.
  function leave(old) {
    if (old.classList.contains("old")) return;
    if (old.querySelectorAll("tbody").length <= FEW_PARTS) {
      old.remove();
      return;
    }
    old.className = "old";
    old.inert = true;
    old.setAttribute("aria-hidden", "true");
    const less = () => {
      const last = old.querySelector("tbody:last-of-type");
      (last ?? old).remove();
      if (last) afterFrame(less);
    };
    afterFrame(less);
  }

  function foot(columns) {
    const cells = columns.slice(1).map((column) => {
      if (!column.task) return element("td", null);
      return element("td", null, column.task.chanceText);
    });
    return element(
      "tfoot",
      null,
      element("tr", null, element("th", { scope: "row" }, "Chance"), cells),
    );
  }

  function titleLine(title, wide) {
    return element(
      "tr",
      { class: "title" },
      element("th", { scope: "rowgroup", colspan: wide }, element("span", null, title)),
    );
  }

  /**
   * Draws a table. `groups` are {heading, rows}; a heading stands above its rows, in the table.
   * `sort` is {key, descending}; `sortBy` is called with the column whose heading was pressed.
   */
  function draw(place, { caption, columns, groups, sort, sortBy, ranked }) {
    turn += 1;
    const own = turn;
    const focused = place.contains(document.activeElement)
      ? document.activeElement.closest("th")?.dataset.key
      : null;
    const scroller = place.querySelector(":scope > .scroller");
    const left = scroller?.scrollLeft ?? 0;
    const table = element(
      "table",
      { class: ranked ? "leaderboard" : "leaderboard plain" },
      element("caption", null, element("span", null, caption)),
      element(
        "colgroup",
        null,
        columns.map((column) => element("col", { class: column.width ?? "fact" })),
      ),
      element(
        "thead",
        null,
        element(
          "tr",
          null,
          columns.map((column) => heading(column, sort, sortBy)),
        ),
      ),
    );
    table.setAttribute(
      "aria-rowcount",
      String(2 + groups.reduce((sum, group) => sum + group.rows.length, 0)),
    );
    let room = AT_ONCE;
    const parts = groups.map(({ heading: title, rows }) => {
      const drawn = Math.min(room, rows.length);
      room -= drawn;
      const last = body(rows.slice(0, drawn), columns, Boolean(title));
      if (title) last.prepend(titleLine(title, columns.length));
      table.append(last);
      return { last, rows, drawn, isApart: Boolean(title) };
    });
    table.append(foot(columns));
    const box = element(
      "div",
      { class: "scroller", role: "region", "aria-label": "Scores", tabindex: "0" },
      table,
    );
    place.prepend(box);
    for (const other of [...place.children]) if (other !== box) leave(other);
    box.scrollLeft = left;
    place.dataset.state = "first";
    performance.mark("shelf-first");
    if (focused)
      place
        .querySelector(`th[data-key="${CSS.escape(focused)}"] button`)
        ?.focus({ preventScroll: true });
    later(parts, columns, own, () => {
      place.dataset.state = "whole";
      performance.mark("shelf-whole");
    });
  }

  Object.assign(SHELF, { draw });
})();
