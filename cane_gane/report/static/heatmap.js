// A heat map of matched words; pointing at a cell, or moving to it, tells its weight.
import { element, svg, visible } from "./dom.js";

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** Draws a map of `rows`, `columns` and `weights` into an element, whatever was there. */
export function drawHeatMap(home, map) {
  const short = (word) => visible(word.length > 16 ? word.slice(0, 15) + "…" : word);
  const shown = element("output", { hidden: true }), scroll = element("div", { className: "scroll" });
  home.replaceChildren(element("h3", {}, map.title), shown, scroll);
  const longest = Math.max(...[...map.rows, ...map.columns].map((word) => short(word).length));
  const margin = 16 + Math.ceil(6.4 * longest), room = home.clientWidth - margin - 4;
  const size = Math.max(11, Math.min(28, Math.floor(room / map.columns.length)));
  const width = margin + size * map.columns.length + 2, height = margin + size * map.rows.length + 2;
  const drawing = svg("svg", {
    width, height, viewBox: `0 0 ${width} ${height}`, tabindex: 0, role: "img",
    "aria-label": `${map.title}; ${map.rows.length} by ${map.columns.length} words. Arrow keys move from cell to cell.`,
  }, scroll);
  const most = Math.max(...map.weights.map((row) => Math.max(...row))) || 1;
  const label = (word, attributes) => {
    const node = svg("text", attributes, drawing);
    node.textContent = short(word);
    return node;
  };
  const rows = map.rows.map((word, i) =>
    label(word, { x: margin - 6, y: margin + size * (i + 0.5) + 4, "text-anchor": "end" }));
  const columns = map.columns.map((word, j) => {
    const x = margin + size * (j + 0.5) + 4;
    return label(word, { x, y: margin - 6, transform: `rotate(-90 ${x} ${margin - 6})` });
  });
  const cells = map.rows.map((_, i) => map.columns.map((_, j) => svg("rect", {
    class: "cell", x: margin + size * j, y: margin + size * i, width: size, height: size,
    "data-row": i, "data-column": j,
    "fill-opacity": (0.04 + 0.96 * map.weights[i][j] / most).toFixed(3),
  }, drawing)));
  let marked = [], at = null;
  const show = (i, j) => {
    for (const node of marked) node.classList.remove("on");
    at = [i, j];
    marked = [cells[i][j], rows[i], columns[j]];
    for (const node of marked) node.classList.add("on");
    shown.textContent = visible(`${map.rows[i]} ↔ ${map.columns[j]}: ${(100 * map.weights[i][j]).toPrecision(3)} % of the weight`);
    shown.hidden = false;
    // It floats above the cell: below or beside it would move what is pointed at.
    const box = cells[i][j].getBoundingClientRect(), frame = home.getBoundingClientRect();
    const left = box.left - frame.left + size / 2 - shown.offsetWidth / 2;
    shown.style.left = `${Math.max(0, Math.min(left, frame.width - shown.offsetWidth))}px`;
    shown.style.top = `${box.top - frame.top - shown.offsetHeight - 6}px`;
  };
  const hide = () => {
    shown.hidden = true;
    for (const node of marked) node.classList.remove("on");
  };
  const pointed = (event) => {
    const cell = event.target.closest("rect.cell");
    if (cell) show(Number(cell.dataset.row), Number(cell.dataset.column));
  };
  drawing.addEventListener("pointerover", pointed);
  drawing.addEventListener("pointerdown", pointed);
  drawing.addEventListener("pointerleave", hide);
  drawing.addEventListener("blur", hide);
  drawing.addEventListener("keydown", (event) => {
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    const to = (place, by, count) => Math.max(0, Math.min(count - 1, place + by));
    if (at) show(to(at[0], step[0], map.rows.length), to(at[1], step[1], map.columns.length));
    else show(0, 0);
    cells[at[0]][at[1]].scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
