// Elements whose content is always text, and numbers as text.

/** Text as it is shown: control characters would be invisible or worse. */
export const visible = (text) =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff\ufff9-\ufffb]/g, "\ufffd");

/** An element with properties and children; a string becomes a text, never markup. */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key in node) node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.flat().map((own) => (typeof own === "string" ? visible(own) : own)));
  return node;
}

/** A text of the network, whose direction cannot disturb what is around it. */
export const own = (text, properties = {}) => element("bdi", { dir: "auto", ...properties }, text);

export const svg = (name, attributes, parent) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return parent.appendChild(node);
};

/** Tells what has happened to those who listen to the page. */
export function say(line) {
  document.getElementById("status").textContent = visible(line);
}

export const nameOf = (node) => (node.id < 0 ? "your text" : node.name || `node ${node.id}`);

/** The name of a node, which may break after a dot, a slash or an underscore. */
export function name(node) {
  const parts = nameOf(node).slice(0, 200).split(/(?<=[._/:])(?=[^._/:])/);
  return element("bdi", { dir: "auto" }, parts.flatMap((part, i) => (i ? [element("wbr"), part] : [part])));
}

export function percent(share) {
  if (share >= 0.995) return share >= 0.9995 ? "> 99.9 %" : "> 99 %";
  if (share < 0.001) return "< 0.1 %";
  return share < 0.0995 ? `${(100 * share).toFixed(1)} %` : `${Math.round(100 * share)} %`;
}

export const number = (value) => value === null ? "–" : value.toFixed(Math.abs(value) < 10 ? 2 : 1).replace("-", "−");

/** The beginning of a text, cut at a word. */
export function beginning(text, letters = 150) {
  const words = text.slice(0, letters * 2).split(/\s+/).filter(Boolean);
  let short = "";
  for (const word of words) {
    if (short.length + word.length > letters) return `${short || word.slice(0, letters)}\u00a0…`;
    short += (short && " ") + word;
  }
  return short;
}
