// The panel: a node or a text of the reader's, its suggestions and its neighbours.
import { beginning, element, name, number, own, percent } from "./dom.js";
import { badge } from "./shapes.js";

const LONG = 420; // letters of a text that is folded

/** The labels of a node, each with its shape on the map. */
export function labels(network, node) {
  return element("ul", { className: "labels", "aria-label": "Labels" }, node.labels.map((label) => {
    const place = network.groups.findIndex((group) => !group.plain && group.label === label);
    return element("li", {}, ...(place >= 0 ? [badge(network.groups, place)] : []), own(label));
  }));
}

/** A text; one that is long is folded, with a button. */
export function paragraph(text) {
  if (!text.trim()) return element("p", { className: "note" }, "This node has no text.");
  const body = element("p", { className: "text", dir: "auto" }, text);
  if (text.length <= LONG) return body;
  body.classList.add("folded");
  const more = element("button", { type: "button", className: "plain", "aria-expanded": "false" }, "Show all of it");
  more.addEventListener("click", () => {
    const folded = body.classList.toggle("folded");
    more.textContent = folded ? "Show all of it" : "Show less";
    more.setAttribute("aria-expanded", String(!folded));
  });
  return element("div", {}, body, more);
}

function chance(found) {
  if (found.probability === null || found.probability === undefined)
    return element("span", { className: "chance", title: "score" }, number(found.score));
  const bar = element("span", { className: "meter" }, element("span"));
  bar.firstChild.style.width = `${100 * found.probability}%`;
  return element("span", { className: "chance", title: `score ${number(found.score)}` }, percent(found.probability), bar);
}

function suggestion(found, place, open, point) {
  const words = found.words.slice(0, 4).map((pair) => element("li", {}, own(pair.source === pair.target
    ? pair.source : `${pair.source} ↔ ${pair.target}`)));
  const button = element("button", { type: "button", className: "row" },
    element("span", { className: "rank" }, String(place + 1)),
    element("span", { className: "what" },
      element("strong", {}, name(found.node)),
      element("span", { className: "begin" }, own(beginning(found.node.text, 110)))),
    chance(found));
  button.dataset.node = found.node.id;
  button.addEventListener("click", () => open(found.node.id));
  for (const event of ["pointerenter", "focus"]) button.addEventListener(event, () => point(found.node.id));
  for (const event of ["pointerleave", "blur"]) button.addEventListener(event, () => point(null));
  if (words.length) button.querySelector(".what").append(element("ul", { className: "chips", "aria-label": "Matched words" }, words));
  return element("li", {}, button);
}

/** The suggestions of a node or text, each of them a button. */
export function suggestions(title, found, open, point) {
  if (!found.length) return [element("h3", {}, title), element("p", { className: "note" }, "There is none.")];
  const measure = found[0].probability === null || found[0].probability === undefined ? "score" : "probability";
  return [
    element("div", { className: "heading" }, element("h3", {}, title), element("span", { className: "note" }, measure)),
    element("ol", { className: "rows", id: "suggestions" }, found.map((own, place) => suggestion(own, place, open, point))),
  ];
}

/** The neighbours of a node, each a link to its own view. */
export function neighbours(view, point) {
  const count = view.neighbour_count, more = count - view.neighbours.length;
  const rows = view.neighbours.map((node) => {
    const link = element("a", { href: `#node=${node.id}`, title: beginning(node.text, 200) }, name(node));
    for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => point(node.id));
    for (const event of ["pointerleave", "blur"]) link.addEventListener(event, () => point(null));
    return element("li", {}, link);
  });
  return [
    element("h3", {}, count ? `Neighbours (${count.toLocaleString("en")})` : "No neighbours"),
    element("p", { className: "note" }, count ? "Joined by training edges." : "This node has no training edge."),
    element("ul", { className: "near", id: "neighbours" }, rows),
    ...(more > 0 ? [element("p", { className: "note" }, `and ${more.toLocaleString("en")} more`)] : []),
  ];
}
