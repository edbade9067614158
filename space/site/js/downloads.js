// What is on the screen as a file.
"use strict";
(() => {
  // As `evaluate_shelf.spreadsheets`: a spreadsheet takes a cell that begins so for a formula.
  const FORMULA = /^ *[=+\-@\t\r＝＋－＠]/u;

  function cell(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const text = FORMULA.test(String(value)) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  /** Rows as CSV; texts that a spreadsheet would run are behind an apostrophe. */
  function csv(header, rows) {
    return [header, ...rows].map((row) => row.map(cell).join(",") + "\n").join("");
  }

  /** Gives a text to the reader as a file. */
  function save(name, kind, text) {
    const link = SHELF.element("a", {
      href: URL.createObjectURL(new Blob([text], { type: kind })),
      download: name,
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  Object.assign(SHELF, { csv, save });
})();
