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
    pairs.forEach(([row, column], i) => {
      const a = words[0][row].getBoundingClientRect(), b = words[1][column].getBoundingClientRect();
      const x1 = (beside ? a.right : a.left + a.width / 2) - frame.left;
      const y1 = (beside ? a.top + a.height / 2 : a.bottom) - frame.top;
      const x2 = (beside ? b.left : b.left + b.width / 2) - frame.left;
      const y2 = (beside ? b.top + b.height / 2 : b.top) - frame.top;
      const bend = beside
        ? `C ${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`
        : `C ${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2}`;
      paths[i].setAttribute("d", `M ${x1} ${y1} ${bend}`);
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
