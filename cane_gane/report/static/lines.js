// Joins matched words of two texts by lines; a word that is pointed at shows its own.

/** Draws the lines of `pairs`: two places of words, and a weight. */
export function joinWords(home, pairs) {
  if (!home || !pairs.length) return;
  const words = ["source", "target"].map((side) => [...home.querySelectorAll(`.${side} .word`)]);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("aria-hidden", "true");
  home.prepend(svg);
  const most = Math.max(...pairs.map((pair) => pair[2]));
  const paths = pairs.map(([row, column, weight]) => {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("stroke-width", (0.6 + 6 * weight / most).toFixed(2));
    path.setAttribute("stroke-opacity", (0.15 + 0.6 * weight / most).toFixed(2));
    for (const word of [words[0][row], words[1][column]]) word.classList.add("matched");
    return svg.appendChild(path);
  });
  const draw = () => {
    const frame = home.getBoundingClientRect();
    svg.setAttribute("width", frame.width);
    svg.setAttribute("height", frame.height);
    const sides = [...home.querySelectorAll(".side")].map((side) => side.getBoundingClientRect());
    const beside = sides[1].left >= sides[0].right;
    const edge = sides[0].right - frame.left, shore = sides[1].left - frame.left, bend = (shore - edge) / 2;
    pairs.forEach(([row, column], i) => {
      const a = words[0][row].getBoundingClientRect(), b = words[1][column].getBoundingClientRect();
      // Side by side, a line runs below the words of its row and crosses in the gap, never over a text.
      const x1 = (beside ? a.left : a.left + a.width / 2) - frame.left, y1 = a.bottom - frame.top + (beside ? 3 : 0);
      const x2 = (beside ? b.right : b.left + b.width / 2) - frame.left, y2 = beside ? b.bottom - frame.top + 3 : b.top - frame.top;
      paths[i].setAttribute("d", beside
        ? `M ${x1} ${y1} H ${edge} C ${edge + bend} ${y1} ${shore - bend} ${y2} ${shore} ${y2} H ${x2}`
        : `M ${x1} ${y1} C ${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`);
    });
  };
  const show = (word) => {
    const side = words[0].includes(word) ? 0 : 1, place = words[side].indexOf(word);
    home.classList.add("chosen");
    pairs.forEach((pair, i) => {
      const own = pair[side] === place;
      paths[i].classList.toggle("on", own);
      if (own) words[1 - side][pair[1 - side]].classList.add("on");
    });
    word.classList.add("on");
  };
  const hide = () => {
    home.classList.remove("chosen");
    for (const node of home.querySelectorAll(".on")) node.classList.remove("on");
  };
  for (const word of [...words[0], ...words[1]]) {
    for (const event of ["pointerenter", "focus"]) word.addEventListener(event, () => { hide(); show(word); });
    for (const event of ["pointerleave", "blur"]) word.addEventListener(event, hide);
  }
  draw();
  new ResizeObserver(draw).observe(home);
}
