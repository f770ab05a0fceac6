// Names on the map: the first of them that find room, none above another.

const CELL = 24;
const MOST = 60;
const LETTERS = 34;
const TRIED = 3000; // nodes in the window that may have a name

/** Writes names beside their nodes, in the given order, as long as there is room. */
export function names(map, nodes, colour, nameOf) {
  const { pen } = map, taken = new Set(), done = new Set();
  let tried = 0;
  const cells = (left, top, right, bottom) => {
    const keys = [];
    for (let i = Math.floor(left / CELL); i <= Math.floor(right / CELL); i++)
      for (let j = Math.floor(top / CELL); j <= Math.floor(bottom / CELL); j++)
        keys.push(1e5 * i + j);
    return keys;
  };
  const legend = map.covered();
  if (legend) for (const key of cells(legend.left, legend.top, legend.right, legend.bottom)) taken.add(key);
  pen.font = "500 12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 3.5;
  pen.strokeStyle = colour("paper");
  pen.fillStyle = colour("ink");
  for (const node of nodes) {
    if (done.size >= MOST) break;
    if (done.has(node) || node < 0 || !map.shown(node)) continue;
    const [x, y] = map.place(node);
    if (x < 4 || y < 10 || x > map.width - 20 || y > map.height - 10) continue;
    if (++tried > TRIED) break;
    const full = nameOf(node), text = full.length > LETTERS ? `${full.slice(0, LETTERS - 1)}…` : full;
    const width = pen.measureText(text).width, gap = map.radius + 5;
    for (const left of [x + gap, x - gap - width]) { // to the right, or else to the left
      const keys = cells(Math.min(left, x - 6), y - 9, Math.max(left + width, x + 6) + 4, y + 9);
      if (left < 4 || left + width > map.width - 4 || keys.some((key) => taken.has(key))) continue;
      for (const key of keys) taken.add(key);
      done.add(node);
      pen.strokeText(text, left, y);
      pen.fillText(text, left, y);
      break;
    }
  }
}
