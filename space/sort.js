// Sorts the rows of the table by the column whose heading was pressed. Gradio runs this once, with
// `element` the box around the table, which stays when the table in it is replaced.
element.addEventListener("click", (event) => {
  const button = event.target.closest("th[data-column] button");
  if (!button) return;
  const heading = button.closest("th");
  const body = heading.closest("table").tBodies[0];
  const column = Number(heading.dataset.column);
  const byName = column === 0;
  const first = byName ? "ascending" : "descending";
  const second = byName ? "descending" : "ascending";
  const order = heading.getAttribute("aria-sort") === first ? second : first;
  const sign = order === "ascending" ? 1 : -1;

  const key = (row) => {
    const cell = row.cells[column];
    if (byName) return cell.querySelector(".name").textContent;
    return "value" in cell.dataset ? Number(cell.dataset.value) : null;
  };
  const compared = (one, other) => {
    const [a, b] = [key(one), key(other)];
    if (byName) return sign * a.localeCompare(b);
    // A model without a score stands last in either order.
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (a - b);
  };

  body.append(...[...body.rows].sort(compared));
  for (const other of heading.closest("thead").querySelectorAll("[aria-sort]")) {
    other.removeAttribute("aria-sort");
  }
  heading.setAttribute("aria-sort", order);
});
