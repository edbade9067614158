// Rows by a column: numbers as numbers, days as days, texts as a person orders them.
"use strict";
(() => {
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  const isMissing = (value) => value === null || value === undefined || value === "";

  function compared(one, other) {
    if (typeof one === "number" && typeof other === "number") return one - other;
    return order.compare(String(one), String(other));
  }

  /** Rows in the order of `value`; those without one stand last in both directions. */
  function sorted(rows, value, descending) {
    const sign = descending ? -1 : 1;
    return rows
      .map((row, place) => ({ row, place, value: value(row) }))
      .sort((one, other) => {
        const [a, b] = [isMissing(one.value), isMissing(other.value)];
        if (a || b) return a - b || one.place - other.place;
        return sign * compared(one.value, other.value) || one.place - other.place;
      })
      .map((entry) => entry.row);
  }

  Object.assign(SHELF, { sorted });
})();
