// The map: thousands of nodes on a canvas, with zoom, names, and a chosen node's edges.
import { drawCrowd, MANY } from "./crowd.js";
import { visible } from "./dom.js";
import { names } from "./names.js";
import { colourOf, trace } from "./shapes.js";

const SIZES = [0.85, 1, 1.25, 1.6]; // a node with more edges is larger
const PAD = 36;

export class NodeMap {
  constructor(canvas, network) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.network = network;
    this.there = network.x.flatMap((x, node) => (x === null ? [] : [node]));
    this.size = network.degree.map((own) => (own > 30 ? 3 : own > 10 ? 2 : own > 3 ? 1 : 0));
    this.byDegree = [...this.there].sort((a, b) => network.degree[b] - network.degree[a]);
    this.hidden = new Set(); // labels that are switched off
    this.found = null; // a set of nodes, where a search is under way
    this.chosen = null; // { node, neighbours, suggestions }
    this.pointed = null;
    this.view = { scale: 1, x: 0, y: 0 };
    this.least = 0.01; // scale
    this.inset = () => 0; // pixels at the left that are covered
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    this.resize();
  }

  restyle() {
    this.sprites = null;
    this.draw();
  }

  resize() {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const all = !this.width || this.view.whole;
    [this.width, this.height, this.ratio] = [box.width, box.height, devicePixelRatio || 1];
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.sprites = null;
    if (all) this.showAll(false);
    else this.draw();
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
    const width = Math.max(right - left, 1200), height = Math.max(bottom - top, 1200);
    const inset = this.inset(), room = this.width - inset;
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
    const there = nodes.filter((node) => node >= 0 && this.shown(node));
    const places = there.map((node) => this.place(node));
    const [xs, ys] = [0, 1].map((axis) => places.map((place) => place[axis]));
    const far = Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    const out = places.some(([x, y]) => x < 10 || y < 10 || x > this.width - 10 || y > this.height - 10);
    if (there.length && (out || far < 160)) this.showAll(true, there);
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
      const t = Math.max(0, Math.min(1, (now - start) / 350)), ease = 1 - (1 - t) ** 3;
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

  shown(node) {
    return this.network.x[node] !== null && !this.hidden.has(this.network.group[node]);
  }

  /** The node nearest to a point, within some pixels. */
  nearest(x, y, within = 14) {
    let best = null, least = within * within;
    for (const node of this.there) {
      if (!this.shown(node)) continue;
      const [nx, ny] = this.place(node), distance = (nx - x) ** 2 + (ny - y) ** 2;
      if (distance < least) [best, least] = [node, distance];
    }
    return best;
  }

  draw() {
    if (this.pending || !this.width) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = null;
      this.paint();
    });
  }

  get radius() {
    const crowd = Math.max(1.6, Math.min(3.4, 140 / Math.sqrt(this.there.length)));
    const zoomed = Math.max(1, Math.min(2.1, Math.sqrt(this.view.scale / (this.least / 0.6))));
    return Math.round(4 * crowd * zoomed) / 4; // few sizes, so that pictures can be kept
  }

  paint() {
    const { pen, ratio } = this, styles = getComputedStyle(this.canvas);
    const colour = (name) => styles.getPropertyValue(`--${name}`).trim();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    const chosen = this.chosen;
    const bright = this.found ?? (chosen && new Set([
      chosen.node, ...chosen.neighbours, ...chosen.suggestions]));
    this.stamp(this.there.filter((node) => !bright?.has(node)), bright ? 0.22 : 0.9);
    if (chosen) this.edges(chosen, colour);
    if (bright) this.stamp([...bright].filter((node) => node >= 0 && this.shown(node)), 1);
    const marked = [...new Set([this.pointed, chosen?.node])].filter((node) => node !== null && node >= 0);
    for (const node of marked) {
      if (!this.shown(node)) continue;
      const [x, y] = this.place(node);
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, y, this.radius * 1.6 + 4, 0, 2 * Math.PI);
      pen.stroke();
    }
    const first = chosen ? [chosen.node, ...chosen.suggestions, ...chosen.neighbours] : [];
    const rest = bright ? this.byDegree.filter((node) => bright.has(node)) : this.byDegree;
    names(this, [...marked, ...first, ...rest], colour, (node) => visible(this.network.names[node]));
  }

  /** Draws nodes from small pictures, one for each label and size. */
  stamp(nodes, alpha) {
    const { pen, network } = this, radius = this.radius;
    if (this.sprites?.radius !== radius) this.sprites = { radius };
    const keyOf = (node) => 4 * network.group[node] + this.size[node];
    const spriteOf = (node) => (this.sprites[keyOf(node)] ??= this.sprite(network.group[node], radius * SIZES[this.size[node]]));
    if (nodes.length > MANY) return drawCrowd(this, nodes, alpha, keyOf, spriteOf);
    pen.globalAlpha = alpha;
    for (const node of nodes) {
      if (!this.shown(node)) continue;
      const [x, y] = this.place(node);
      if (x < -9 || y < -9 || x > this.width + 9 || y > this.height + 9) continue;
      const sprite = spriteOf(node), side = sprite.width / this.ratio;
      pen.drawImage(sprite, x - side / 2, y - side / 2, side, side);
    }
    pen.globalAlpha = 1;
  }

  sprite(group, radius) {
    const side = Math.ceil((2.6 * radius + 3) * this.ratio), canvas = document.createElement("canvas");
    canvas.width = canvas.height = side;
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.fillStyle = colourOf(this.network.groups, group);
    pen.strokeStyle = getComputedStyle(this.canvas).getPropertyValue("--paper");
    pen.lineWidth = 0.6 * this.ratio;
    trace(pen, this.network.groups, group, side / 2, side / 2, radius * this.ratio);
    pen.fill();
    pen.stroke();
    return canvas;
  }

  /** Draws the known edges of the chosen node, and those that are suggested. */
  edges({ node, neighbours, suggestions }, colour) {
    if (node < 0 || !this.shown(node)) return;
    const { pen } = this, from = this.place(node);
    for (const [nodes, stroke, dash, width] of [
      [neighbours, colour("soft"), [], 1.1], [suggestions, colour("accent"), [5, 4], 1.6]]) {
      pen.strokeStyle = stroke;
      pen.lineWidth = width;
      pen.setLineDash(dash);
      pen.beginPath();
      for (const other of nodes) {
        if (!this.shown(other)) continue;
        pen.moveTo(...from);
        pen.lineTo(...this.place(other));
      }
      pen.stroke();
    }
    pen.setLineDash([]);
  }
}
