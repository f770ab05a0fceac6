// What part of the plane a window shows: zoom, moves, and flights to nodes.

const PAD = 36;
const LEAST = 320; // units of the map, of 10,000, that a window shows
const MILLISECONDS = 350; // of a flight

/** A view of the network's places; a class on top of it has `draw` and `shown`. */
export class Camera {
  constructor(network) {
    this.network = network;
    this.there = network.x.flatMap((x, node) => (x === null ? [] : [node]));
    this.view = { scale: 1, x: 0, y: 0 };
    this.least = 0.01; // scale
    this.covered = () => null; // the box at the left that a legend covers
  }

  /** Shows some nodes, all by default, in the middle of the window. */
  showAll(slowly = true, nodes = this.there) {
    const { x, y } = this.network;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const node of nodes) {
      if (x[node] === null) continue;
      left = Math.min(left, x[node]); right = Math.max(right, x[node]);
      top = Math.min(top, y[node]); bottom = Math.max(bottom, y[node]);
    }
    if (left > right) return this.draw();
    const width = Math.max(right - left, LEAST), height = Math.max(bottom - top, LEAST);
    const inset = (this.width > 700 && this.covered()?.right) || 0, room = this.width - inset;
    const scale = Math.max(0.001, Math.min((room - 2 * PAD) / width, (this.height - 2 * PAD) / height));
    const view = {
      scale, x: inset + room / 2 - scale * (left + right) / 2,
      y: this.height / 2 - scale * (top + bottom) / 2, whole: nodes === this.there,
    };
    if (nodes === this.there) this.least = scale * 0.6;
    this.go(view, slowly);
  }

  /** Moves to nodes that are out of sight, or so near each other that they are one. */
  lookAt(nodes) {
    const { x, y } = this.network, there = nodes.filter((node) => node >= 0 && this.shown(node));
    if (!there.length) return this.draw();
    // The farthest third may be anywhere, and would leave the others no room.
    const far = (node) => Math.hypot(x[node] - x[there[0]], y[node] - y[there[0]]);
    const near = there.sort((a, b) => far(a) - far(b)).slice(0, Math.ceil(0.67 * there.length));
    const places = near.map((node) => this.place(node));
    const extent = Math.max(...[0, 1].map((axis) => {
      const values = places.map((place) => place[axis]);
      return Math.max(...values) - Math.min(...values);
    }));
    const out = places.some(([px, py]) => px < 10 || py < 10 || px > this.width - 10 || py > this.height - 10);
    if (out || extent < 160) this.showAll(true, near);
    else this.draw();
  }

  /** Moves to a view, in a short flight where the reader likes motion. */
  go(view, slowly = true) {
    cancelAnimationFrame(this.flight);
    const from = { ...this.view }, start = performance.now();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!slowly || still) {
      this.view = view;
      return this.draw();
    }
    const step = (now) => {
      const t = Math.max(0, Math.min(1, (now - start) / MILLISECONDS)), ease = 1 - (1 - t) ** 3;
      const part = (key) => from[key] + ease * (view[key] - from[key]);
      this.view = t < 1 ? { scale: part("scale"), x: part("x"), y: part("y") } : view;
      this.draw();
      if (t < 1) this.flight = requestAnimationFrame(step);
    };
    this.flight = requestAnimationFrame(step);
  }

  zoom(factor, x = this.width / 2, y = this.height / 2, slowly = false) {
    const scale = Math.max(this.least, Math.min(4, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.go({ scale, x: x - ratio * (x - this.view.x), y: y - ratio * (y - this.view.y) }, slowly);
  }

  pan(dx, dy) {
    this.go({ scale: this.view.scale, x: this.view.x + dx, y: this.view.y + dy }, false);
  }

  place(node) {
    const { scale, x, y } = this.view;
    return [x + scale * this.network.x[node], y + scale * this.network.y[node]];
  }
}
