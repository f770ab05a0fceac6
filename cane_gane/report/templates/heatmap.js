"use strict";
// Draws the heat maps of the page; pointing at a cell shows both words and the weight.
(() => {
  const source = document.getElementById("heat-maps");
  if (!source) return;
  const drawn = (name, attributes, parent) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    return parent.appendChild(node);
  };
  const short = (word) => (word.length > 16 ? word.slice(0, 15) + "…" : word);

  for (const map of JSON.parse(source.textContent)) {
    const home = document.getElementById(map.id);
    const scroll = home.querySelector(".scroll");
    const shown = home.querySelector("output");
    const longest = Math.max(...[...map.rows, ...map.columns].map((word) => short(word).length));
    const margin = 16 + Math.ceil(6.4 * longest);
    const room = home.clientWidth - margin - 4;
    const size = Math.max(11, Math.min(28, Math.floor(room / map.columns.length)));
    const width = margin + size * map.columns.length + 2;
    const height = margin + size * map.rows.length + 2;
    const svg = drawn("svg", { width, height, role: "img", "aria-label": map.title }, scroll);
    const most = Math.max(...map.weights.map((row) => Math.max(...row))) || 1;
    const label = (word, attributes) => {
      const node = drawn("text", attributes, svg);
      node.textContent = short(word);
      return node;
    };
    const rows = map.rows.map((word, i) =>
      label(word, { x: margin - 6, y: margin + size * (i + 0.5) + 4, "text-anchor": "end" }));
    const columns = map.columns.map((word, j) => {
      const x = margin + size * (j + 0.5) + 4;
      return label(word, { x, y: margin - 6, transform: `rotate(-90 ${x} ${margin - 6})` });
    });
    map.rows.forEach((_, i) => map.columns.forEach((_, j) => {
      const cell = drawn("rect", {
        class: "cell", x: margin + size * j, y: margin + size * i, width: size, height: size,
        fill: "var(--accent)", "fill-opacity": (0.04 + 0.96 * map.weights[i][j] / most).toFixed(3),
      }, svg);
      cell.dataset.row = i;
      cell.dataset.column = j;
    }));
    let marked = [];
    const show = (event) => {
      const cell = event.target.closest("rect.cell");
      if (!cell) return;
      const i = Number(cell.dataset.row), j = Number(cell.dataset.column);
      for (const node of marked) node.classList.remove("on");
      marked = [cell, rows[i], columns[j]];
      for (const node of marked) node.classList.add("on");
      const share = map.weights[i][j];
      shown.textContent = `${map.rows[i]} ↔ ${map.columns[j]}: ${(100 * share).toPrecision(3)} % of the weight`;
      shown.hidden = false;
      // It floats above the cell: below or beside it would move what is pointed at.
      const box = cell.getBoundingClientRect(), frame = home.getBoundingClientRect();
      const left = box.left - frame.left + size / 2 - shown.offsetWidth / 2;
      shown.style.left = `${Math.max(0, Math.min(left, frame.width - shown.offsetWidth))}px`;
      shown.style.top = `${box.top - frame.top - shown.offsetHeight - 6}px`;
    };
    const hide = () => {
      shown.hidden = true;
      for (const node of marked) node.classList.remove("on");
    };
    svg.addEventListener("pointerover", show);
    svg.addEventListener("pointerdown", show);
    svg.addEventListener("pointerleave", hide);
  }
})();
