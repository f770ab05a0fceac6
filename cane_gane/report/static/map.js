// The map: thousands of nodes on a canvas, with zoom, names, and a chosen node's edges.
import { Camera } from "./camera.js";
import { drawCrowd, MANY } from "./crowd.js";
import { visible } from "./dom.js";
import { names } from "./names.js";
import { colourOf, trace } from "./shapes.js";

const SIZES = [0.85, 1, 1.25, 1.6]; // a node with more edges is larger

export class NodeMap extends Camera {
  constructor(canvas, network) {
    super(network);
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.size = network.degree.map((own) => (own > 30 ? 3 : own > 10 ? 2 : own > 3 ? 1 : 0));
    this.byDegree = [...this.there].sort((a, b) => network.degree[b] - network.degree[a]);
    this.hidden = new Set(); // labels that are switched off
    this.found = null; // a set of nodes, where a search is under way
    this.chosen = null; // { node, neighbours, suggestions }
    this.pointed = null;
    new ResizeObserver(() => this.resize()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.restyle());
    this.resize();
  }

  restyle() {
    this.sprites = null;
    this.draw();
  }

  /** Fits the picture to its box, with so many pixels for each of the page. */
  resize(ratio = devicePixelRatio || 1) {
    const box = this.canvas.getBoundingClientRect();
    if (!box.width || !box.height) return;
    const all = !this.width || this.view.whole;
    [this.width, this.height, this.ratio] = [box.width, box.height, ratio];
    this.canvas.width = Math.round(this.width * this.ratio);
    this.canvas.height = Math.round(this.height * this.ratio);
    this.sprites = null;
    if (all) this.showAll(false);
    else this.draw();
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
    this.stamp(this.there.filter((node) => !bright?.has(node)), bright ? 0.38 : 0.9);
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
    // "node 7" is no landmark.
    const rest = !this.network.named ? [] : bright ? this.byDegree.filter((node) => bright.has(node)) : this.byDegree;
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
