// A matched pair: two texts with lines between their words, and the parts of the score.
import { element, name, nameOf, number, own, percent, svg } from "./dom.js";
import { labels } from "./panel.js";

const UNREAD = 3000; // letters of a text that is shown where a method reads none
const WIDEST = 7; // pixels of the line with the most weight

/** The text of a side, its words wrapped, so that lines can begin and end there. */
function side(text, words, matched, letter) {
  const body = element("p", { className: "words", dir: "auto" }), spans = new Map();
  const lower = text.toLowerCase(), alike = lower.length === text.length;
  let at = 0;
  words.forEach((word, place) => {
    let found = text.indexOf(word, at);
    const other = alike ? lower.indexOf(word.toLowerCase(), at) : -1;
    if (found < 0 || (other >= 0 && other < found)) found = other;
    if (found < 0) return;
    if (found > at) body.append(...element("i", {}, text.slice(at, found)).childNodes);
    at = found + word.length;
    const shown = text.slice(found, at);
    if (!matched.has(place)) return body.append(...element("i", {}, shown).childNodes);
    const span = element("mark", {}, shown);
    span.dataset.word = `${letter}${place}`;
    spans.set(place, span);
    body.append(span);
  });
  if (!words.length) body.append(...element("i", {}, text.slice(0, UNREAD)).childNodes);
  const rest = words.length ? text.slice(at) : text.slice(UNREAD), more = rest.split(/\s+/).filter(Boolean).length;
  if (more <= 40) body.append(...element("i", {}, rest).childNodes);
  else body.append(element("span", { className: "note" }, ` … and ${more.toLocaleString("en")} more words${words.length ? ", which the model does not read" : ""}`));
  return { body, spans };
}

function heading(network, node, given) {
  const title = element("h3", {}, node.id >= 0 ? element("a", { href: `#node=${node.id}` }, name(node)) : nameOf(node));
  return element("div", { className: "side" }, title, labels(network, node), given);
}

/** What a score is made of: a bar for each part, from 0 to the left or to the right. */
export function parts(found) {
  const all = [...found.parts.map((part) => [part.title, part.value, ""]), ["score", found.score, "sum"]];
  const low = Math.min(0, ...all.map((row) => row[1])), high = Math.max(0, ...all.map((row) => row[1]));
  const span = high - low || 1;
  return element("table", { className: "parts" },
    element("caption", { className: "unseen" }, "Parts of the score"),
    element("tbody", {}, all.map(([title, value, kind]) => {
      const bar = element("span", { className: `bar ${value < 0 ? "less" : "more"}` });
      bar.style.left = `${100 * (Math.min(0, value) - low) / span}%`;
      bar.style.width = `${100 * Math.abs(value) / span}%`;
      const zero = element("span", { className: "zero" });
      zero.style.left = `${100 * -low / span}%`;
      return element("tr", { className: kind },
        element("th", { scope: "row" }, own(title)),
        element("td", { className: "figure" }, (value > 0 && !kind ? "+" : "") + number(value)),
        element("td", { className: "room" }, element("span", { className: "track" }, zero, bar)));
    })));
}

/** Shows a pair in `home`; returns what draws its lines again, for a new width. */
export function showPair(home, network, found) {
  const left = side(found.source.text, found.source_words, new Set(found.lines.map((l) => l[0])), "s");
  const right = side(found.target.text, found.target_words, new Set(found.lines.map((l) => l[1])), "t");
  const texts = element("div", { className: "texts" }, heading(network, found.source, left.body), heading(network, found.target, right.body));
  const canvas = svg("svg", { class: "lines", "aria-hidden": "true" }, texts);
  texts.prepend(canvas);
  const sum = new Map();
  for (const [i, j, weight] of found.lines) {
    const key = `${found.source_words[i].toLowerCase()}\n${found.target_words[j].toLowerCase()}`;
    sum.set(key, (sum.get(key) ?? 0) + weight);
  }
  const most = Math.max(...found.lines.map((line) => line[2]), 0);
  const lines = found.lines.filter(([i, j]) => left.spans.has(i) && right.spans.has(j)).map(([i, j, weight]) => ({
    i, j, path: svg("path", { "stroke-width": Math.max(0.8, WIDEST * weight / most).toFixed(2) }, canvas),
    key: `${found.source_words[i].toLowerCase()}\n${found.target_words[j].toLowerCase()}`,
  }));

  const light = (chosen) => {
    texts.classList.toggle("lit", Boolean(chosen));
    const on = new Set();
    for (const line of lines) {
      const lit = Boolean(chosen && chosen(line));
      line.path.classList.toggle("on", lit);
      if (lit) on.add(left.spans.get(line.i)).add(right.spans.get(line.j));
    }
    for (const span of [...left.spans.values(), ...right.spans.values()]) span.classList.toggle("on", on.has(span));
  };
  texts.addEventListener("pointerover", (event) => {
    const word = event.target.closest("mark")?.dataset.word;
    light(word && ((line) => word === `s${line.i}` || word === `t${line.j}`));
  });
  texts.addEventListener("pointerleave", () => light(null));

  const pairs = [...sum].sort((a, b) => b[1] - a[1]).map(([key, weight]) => {
    const [source, target] = key.split("\n");
    const chip = element("button", { type: "button" }, own(source), ...(source === target ? [] : [" ↔ ", own(target)]), element("small", {}, percent(weight)));
    for (const event of ["pointerenter", "focus"]) chip.addEventListener(event, () => light((line) => line.key === key));
    for (const event of ["pointerleave", "blur"]) chip.addEventListener(event, () => light(null));
    return element("li", {}, chip);
  });

  const chance = found.probability === null || found.probability === undefined
    ? `score ${number(found.score)}` : `probability ${percent(found.probability)}, score ${number(found.score)}`;
  const close = element("button", { type: "button", className: "close", id: "close" }, "Back to the map");
  home.replaceChildren(
    element("div", { className: "top" }, element("h2", {}, name(found.source), " and ", name(found.target)), close),
    element("p", { className: "likely" }, chance),
    ...(found.lines.length ? [element("p", { className: "note" }, `Lines join matched words; a wider line carries more of the plan's weight (the widest ${percent(most).replace(" ", "\u00a0")}). Point at a word to see only its lines.`)] : [element("p", { className: "note" }, "No two words are matched.")]),
    texts,
    ...(pairs.length ? [element("h3", {}, "Matched words, by weight"), element("ul", { className: "chips pairs" }, pairs)] : []),
    element("h3", {}, "Parts of the score"),
    element("p", { className: "note" }, "The parts add up to the score. Bars to the right of 0 speak for an edge."), parts(found));

  return () => {
    const frame = texts.getBoundingClientRect();
    const [from, to] = [left.body, right.body].map((body) => body.getBoundingClientRect());
    const [edge, shore] = [from.right - frame.left, to.left - frame.left], bend = (shore - edge) / 2;
    canvas.setAttribute("width", texts.clientWidth);
    canvas.setAttribute("height", texts.clientHeight);
    for (const { i, j, path } of lines) {
      // A line runs below the words of its row and crosses in the gap, never over a text.
      const a = left.spans.get(i).getBoundingClientRect(), b = right.spans.get(j).getBoundingClientRect();
      const [y1, y2] = [a.bottom - frame.top + 2, b.bottom - frame.top + 2];
      path.setAttribute("d", `M${a.left - frame.left} ${y1}H${edge}C${edge + bend} ${y1} ${shore - bend} ${y2} ${shore} ${y2}H${b.right - frame.left}`);
    }
  };
}
