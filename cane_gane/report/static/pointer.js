// Hands on the map: mouse, fingers, wheel and keys.

const STEP = 60; // pixels of an arrow key

/**
 * Lets a reader move the map; calls `choose(node)` for a node that is clicked. On a
 * `page` that scrolls, the wheel zooms with Ctrl alone.
 */
export function handle(map, { choose, point, page = false }) {
  const { canvas } = map, fingers = new Map();
  let moved = 0;

  const at = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const apart = () => {
    const [[ax, ay], [bx, by]] = [...fingers.values()];
    return { far: Math.hypot(ax - bx, ay - by), x: (ax + bx) / 2, y: (ay + by) / 2 };
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) moved = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = at(event), last = fingers.get(event.pointerId);
    if (!last) return point(map.nearest(x, y), x, y);
    const before = fingers.size === 2 && apart();
    fingers.set(event.pointerId, [x, y]);
    moved += Math.hypot(x - last[0], y - last[1]);
    if (before) {
      const now = apart();
      map.pan(now.x - before.x, now.y - before.y);
      map.zoom(now.far / Math.max(1, before.far), now.x, now.y);
    } else if (moved > 4) {
      canvas.classList.add("moving");
      map.pan(x - last[0], y - last[1]);
    }
  });
  const up = (event) => {
    const last = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    canvas.classList.remove("moving");
    if (!last || moved > 4 || event.type !== "pointerup" || fingers.size) return;
    const node = map.nearest(...last, event.pointerType === "touch" ? 24 : 14);
    if (node !== null) choose(node);
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("wheel", (event) => {
    if (page && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    map.zoom(Math.exp(-0.0022 * Math.max(-200, Math.min(200, event.deltaY * lines))), ...at(event));
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => map.zoom(2, ...at(event), true));

  const keys = {
    "+": () => map.zoom(1.5, undefined, undefined, true),
    "=": () => map.zoom(1.5, undefined, undefined, true),
    "-": () => map.zoom(1 / 1.5, undefined, undefined, true),
    0: () => map.showAll(),
    ArrowLeft: () => map.pan(STEP, 0),
    ArrowRight: () => map.pan(-STEP, 0),
    ArrowUp: () => map.pan(0, STEP),
    ArrowDown: () => map.pan(0, -STEP),
    Enter: () => {
      const node = map.nearest(map.width / 2, map.height / 2, Infinity);
      if (node !== null) choose(node);
    },
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
    if (event.key !== "Enter") aim();
  });
  // With the keyboard, what Enter would open is marked.
  const aim = () => setTimeout(() => {
    if (!canvas.matches(":focus-visible")) return;
    const node = map.nearest(map.width / 2, map.height / 2, Infinity);
    if (node !== null) point(node, ...map.place(node));
  }, 400);
  canvas.addEventListener("blur", () => point(null));
}
