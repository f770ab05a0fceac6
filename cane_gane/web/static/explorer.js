// The explorer: what is shown depends on the address, #node=3 or #pair=3-7, and so does "back".
import { ask } from "./ask.js";
import { element, name, nameOf, own, say } from "./dom.js";
import { makeFinder } from "./find.js";
import { makeLegend } from "./legend.js";
import { NodeMap } from "./map.js";
import { showPair } from "./pair.js";
import { labels, neighbours, paragraph, suggestions } from "./panel.js";
import { handle } from "./pointer.js";

const TOP = 10;
const byId = (id) => document.getElementById(id);
const canvas = byId("map"), panel = byId("panel"), details = byId("details"), home = byId("home");
const pairHome = byId("pair"), hint = byId("hint");

const network = await ask("network").catch((error) => {
  home.replaceChildren(element("p", { className: "bad" }, error.message));
  throw error;
});
const map = new NodeMap(canvas, network);
let text = null; // what the reader asked with: { text, kind }
let shown = null; // the key of what the panel shows
let drawLines = null;
let turn = 0;

const open = (node) => { location.hash = `node=${node}`; };

function point(node, x, y) {
  if (map.pointed === node) return;
  map.pointed = node;
  hint.hidden = node === null || x === undefined;
  if (!hint.hidden) {
    hint.replaceChildren(own(network.names[node] || `node ${node}`));
    hint.style.left = `${Math.min(x + 14, map.width - hint.offsetWidth - 8)}px`;
    hint.style.top = `${Math.max(4, y - 34)}px`;
  }
  canvas.classList.toggle("on-node", !hint.hidden);
  map.draw();
}

function failed(error) {
  details.hidden = false;
  home.hidden = true;
  details.replaceChildren(back(), element("p", { className: "bad" }, error.message));
  say(error.message);
}

const back = () => element("p", { className: "back" }, element("a", { href: "#" }, "← all nodes"));
const waiting = (line) => element("p", { className: "note waiting" }, line);

/** Shows suggestions when they come, unless the reader has gone on. */
async function fill(place, title, fields, question, source, mine) {
  try {
    const found = (await ask(question, { ...fields, top: TOP })).suggestions;
    if (mine !== turn) return;
    place.replaceChildren(...suggestions(title, found, (node) => { location.hash = `pair=${source}-${node}`; }, point));
    map.chosen = { ...map.chosen, suggestions: found.map((own) => own.node.id) };
    map.lookAt([map.chosen.node, ...map.chosen.neighbours, ...map.chosen.suggestions]);
    say(`${found.length} suggestions`);
  } catch (error) {
    if (mine === turn) place.replaceChildren(element("p", { className: "bad" }, error.message));
  }
}

async function showNode(node) {
  const mine = ++turn;
  const view = await ask("node", { node });
  if (mine !== turn) return;
  const place = element("div", { "aria-live": "polite" }, waiting("Looking for missing edges …"));
  home.hidden = true;
  details.hidden = false;
  details.replaceChildren(back(), element("h2", {}, name(view.node)), labels(network, view.node),
    paragraph(view.node.text), place, ...neighbours(view, point));
  panel.scrollTop = 0;
  map.chosen = { node, neighbours: view.neighbours.map((own) => own.id), suggestions: [] };
  map.draw();
  say(`${nameOf(view.node)}, ${view.neighbour_count} neighbours`);
  await fill(place, "Likely missing edges", { node }, "recommend", node, mine);
}

async function showText() {
  const mine = ++turn, similar = text.kind === "search";
  const place = element("div", { "aria-live": "polite" }, waiting("Reading your text …"));
  home.hidden = true;
  details.hidden = false;
  details.replaceChildren(back(), element("h2", {}, "Your text"), paragraph(text.text), place);
  map.chosen = { node: -1, neighbours: [], suggestions: [] };
  await fill(place, similar ? "Similar texts" : "Likely edges", { text: text.text }, text.kind, "text", mine);
}

function showHome() {
  turn++;
  home.hidden = false;
  details.hidden = true;
  map.chosen = null;
  map.draw();
}

async function openPair(source, target) {
  pairHome.hidden = false;
  pairHome.replaceChildren(waiting("Matching words …"));
  const wanted = location.hash;
  const found = await ask("pair", { source: source === "text" ? { text: text.text } : Number(source), target: Number(target) });
  if (location.hash !== wanted) return;
  drawLines = showPair(pairHome, network, found);
  byId("close").addEventListener("click", closePair);
  drawLines();
  pairHome.scrollTop = 0;
  pairHome.focus({ preventScroll: true });
  say(`${nameOf(found.source)} and ${nameOf(found.target)}`);
}

const closePair = () => { location.hash = shown ? (shown === "text" ? "text" : `node=${shown}`) : ""; };

async function route() {
  const [kind, value = ""] = location.hash.slice(1).split("=");
  const [source, target] = kind === "pair" ? value.split("-") : [kind === "text" ? "text" : value];
  drawLines = null;
  if (kind !== "pair") {
    const last = pairHome.hidden ? null : details.querySelector("[aria-current]");
    pairHome.hidden = true;
    last?.focus();
  }
  point(null);
  const wanted = (kind === "node" || kind === "pair" || kind === "text") && (source !== "text" || text) ? source : null;
  const work = [];
  if (wanted !== shown || wanted === null) {
    shown = wanted;
    work.push(wanted === null ? showHome() : wanted === "text" ? showText() : showNode(Number(wanted)));
  }
  if (kind === "pair" && wanted !== null) work.push(openPair(source, target));
  for (const row of details.querySelectorAll(".row")) {
    if (kind === "pair" && row.dataset.node === target) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
  try {
    await Promise.all(work);
  } catch (error) {
    pairHome.hidden = true;
    shown = null;
    failed(error);
  }
}

makeLegend(map, byId("legend"));
map.showAll(false);
handle(map, { choose: open, point });
makeFinder({
  input: byId("query"), list: byId("found"), find: (query) => ask("find", { query }),
  choose: (node) => {
    panel.focus({ preventScroll: true });
    open(node);
  },
  mark: (nodes) => { map.found = nodes; map.draw(); },
});
byId("zoom-in").addEventListener("click", () => map.zoom(1.6, undefined, undefined, true));
byId("zoom-out").addEventListener("click", () => map.zoom(1 / 1.6, undefined, undefined, true));
byId("zoom-all").addEventListener("click", () => map.showAll());
byId("any").addEventListener("click", () => open(map.there[Math.floor(Math.random() * map.there.length)] ?? 0));
byId("ask")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const given = byId("text").value.trim();
  if (!given) return byId("text").focus();
  text = { text: given, kind: event.submitter?.value ?? "recommend" };
  shown = null;
  if (location.hash === "#text") route();
  else location.hash = "text";
});
addEventListener("hashchange", route);
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  if (!pairHome.hidden) closePair();
  else if (shown !== null) location.hash = "";
});
new ResizeObserver(() => drawLines?.()).observe(pairHome);
document.documentElement.dataset.ready = "true"; // the map is drawn
route();
