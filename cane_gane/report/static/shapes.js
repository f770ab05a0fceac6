// The shapes and colours of labels, as the figures of the report have them.

const STAR = Array.from({ length: 10 }, (_, i) => {
  const angle = (Math.PI * i) / 5, far = i % 2 ? 0.5 : 1.2;
  return [far * Math.sin(angle), -far * Math.cos(angle)];
});
const POLYGONS = [
  null, // a circle
  [[0, -1.1], [1.05, 0.8], [-1.05, 0.8]],
  [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  [[0, -1.2], [1, 0], [0, 1.2], [-1, 0]],
  [[0, 1.1], [1.05, -0.8], [-1.05, -0.8]],
  [[-0.38, -1.05], [0.38, -1.05], [0.38, -0.38], [1.05, -0.38], [1.05, 0.38], [0.38, 0.38],
    [0.38, 1.05], [-0.38, 1.05], [-0.38, 0.38], [-1.05, 0.38], [-1.05, -0.38], [-0.38, -0.38]],
  [[-1, -0.55], [-0.55, -1], [0, -0.45], [0.55, -1], [1, -0.55], [0.45, 0], [1, 0.55],
    [0.55, 1], [0, 0.45], [-0.55, 1], [-1, 0.55], [-0.45, 0]],
  [[-1.1, 0], [0.8, -1.05], [0.8, 1.05]],
  [[1.1, 0], [-0.8, -1.05], [-0.8, 1.05]],
  STAR,
];

/** The colour of a label; grey for those without one of their own. */
export function colourOf(groups, place) {
  const plain = groups[place]?.plain && groups.some((own) => !own.plain);
  const styles = getComputedStyle(document.documentElement);
  return styles.getPropertyValue(plain ? "--group-none" : `--group-${place % 7}`).trim();
}

/** Adds a shape to the path of a pen. */
export function trace(pen, groups, place, x, y, radius) {
  const polygon = groups[place]?.plain ? null : POLYGONS[place % POLYGONS.length];
  pen.beginPath();
  if (polygon) polygon.forEach(([dx, dy]) => pen.lineTo(x + radius * dx, y + radius * dy));
  else pen.arc(x, y, radius * (groups[place]?.plain ? 0.8 : 1), 0, 2 * Math.PI);
  pen.closePath();
}

/** A small canvas with a label's shape, for legends and lists. */
export function badge(groups, place) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 28;
  canvas.className = "shape";
  canvas.setAttribute("aria-hidden", "true");
  const paint = () => {
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, 28, 28);
    pen.fillStyle = colourOf(groups, place);
    trace(pen, groups, place, 14, 14, 9);
    pen.fill();
  };
  paint();
  canvas.repaint = paint;
  return canvas;
}
