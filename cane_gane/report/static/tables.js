// Tables that are sorted by a click on the head of a column, each group of rows apart.
import { element } from "./dom.js";

/** What a cell is sorted by: its number, else its text; null for a dash. */
function keyOf(cell) {
  if (!cell) return null;
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim(), found = /^[+−-]?[\d,]*\.?\d+/.exec(text);
  if (!text || text === "–") return null;
  return found ? Number(found[0].replaceAll(",", "").replace("−", "-")) : text.toLowerCase();
}

function compare(a, b) {
  if (typeof a === typeof b) return a < b ? -1 : Number(a > b);
  return typeof a === "number" ? -1 : 1;
}

function sort(table, column, down) {
  for (const body of table.tBodies) {
    if (body.dataset.fixed !== undefined) continue;
    const rows = [...body.rows].map((row) => [keyOf(row.cells[column]), row]);
    const dashes = rows.filter(([key]) => key === null), known = rows.filter(([key]) => key !== null);
    known.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
    body.append(...[...known, ...dashes].map(([, row]) => row));
  }
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.textContent.trim() || head.querySelector("a")) return;
    const button = element("button", { type: "button", className: "sort", title: "Sort" }, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.ariaSort ? head.ariaSort === "ascending" : column > 0; // figures: the largest first
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = down ? "descending" : "ascending";
      sort(table, column, down);
    });
  });
}
