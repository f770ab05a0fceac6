// The map of a report: names and texts by pointing, a box to find nodes, a legend.
import { beginning, element, own, say } from "./dom.js";
import { makeFinder } from "./find.js";
import { makeLegend } from "./legend.js";
import { NodeMap } from "./map.js";
import { handle } from "./pointer.js";

const PRINTED = 3; // pixels of a picture for each of the page, on paper
const FIRST = 8; // nodes in the list below the box

/** Finds nodes whose names, or else whose texts, have all words of a query. */
function finderOf({ names, texts }) {
  const low = names.map((name, node) => [name.toLowerCase(), texts[node].toLowerCase()]);
  return (query) => {
    const words = query.toLowerCase().split(/\s+/);
    const rank = ([name, text]) => {
      if (words.every((word) => name.includes(word))) return name.startsWith(words[0]) ? 0 : 1;
      return words.every((word) => name.includes(word) || text.includes(word)) ? 2 : 3;
    };
    const ranks = low.map(rank), nodes = low.map((_, node) => node).filter((node) => ranks[node] < 3);
    nodes.sort((a, b) => ranks[a] - ranks[b] || names[a].length - names[b].length);
    const first = nodes.slice(0, FIRST).map((id) => ({ id, name: names[id], text: texts[id] }));
    return { nodes, first, count: nodes.length };
  };
}

function drawAtlas(home, network) {
  const part = (name) => home.querySelector(`.${name}`);
  const canvas = home.querySelector("canvas"), hint = part("hint"), card = part("card");
  canvas.setAttribute("aria-label", `${network.title}. ${canvas.getAttribute("aria-label")}`);
  const map = new NodeMap(canvas, network);
  const told = (node) => [element("strong", {}, own(network.names[node])),
    ...(network.texts[node] ? [element("span", {}, own(network.texts[node]))] : [])];

  function point(node, x, y) {
    if (map.pointed === node) return;
    map.pointed = node;
    hint.hidden = node === null || x === undefined;
    if (!hint.hidden) {
      hint.replaceChildren(...told(node));
      const left = x + 14 + hint.offsetWidth > map.width ? x - 14 - hint.offsetWidth : x + 14;
      hint.style.left = `${Math.max(4, Math.min(left, map.width - hint.offsetWidth - 4))}px`;
      hint.style.top = `${Math.max(4, Math.min(y - hint.offsetHeight / 2, map.height - hint.offsetHeight - 4))}px`;
    }
    canvas.classList.toggle("on-node", !hint.hidden);
    map.draw();
  }

  function choose(node) {
    const group = network.groups[network.group[node]];
    map.chosen = { node, neighbours: [], suggestions: [] };
    card.replaceChildren(...told(node),
      ...(group.label === "no label" && group.plain ? [] : [element("small", {}, own(beginning(group.label, 60)))]));
    card.hidden = false;
    say(`${network.names[node]}: ${network.texts[node]}`);
    map.lookAt([node]);
  }

  makeLegend(map, part("legend"), false);
  map.showAll(false);
  handle(map, { choose, point, page: true });
  makeFinder({
    input: home.querySelector("input"), list: part("found"), find: finderOf(network),
    choose: (node) => {
      canvas.focus({ preventScroll: true });
      choose(node);
    },
    mark: (nodes) => {
      map.found = nodes;
      map.draw();
    },
  });
  const zoom = (factor) => () => map.zoom(factor, undefined, undefined, true);
  part("zoom-in").addEventListener("click", zoom(1.6));
  part("zoom-out").addEventListener("click", zoom(1 / 1.6));
  part("zoom-all").addEventListener("click", () => {
    map.chosen = null;
    card.hidden = true;
    map.showAll();
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !map.chosen) return;
    map.chosen = null;
    card.hidden = true;
    map.draw();
  });
  // On paper: the colours of paper, and finer points.
  matchMedia("print").addEventListener("change", (event) => {
    map.resize(event.matches ? PRINTED : undefined);
    map.paint();
  });
}

const atlas = document.getElementById("atlas");
if (atlas) drawAtlas(atlas, JSON.parse(document.getElementById("map-content").textContent));
