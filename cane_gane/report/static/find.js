// The search box: nodes by name or by words, in a list and marked on the map.
import { beginning, element, nameOf, own, say } from "./dom.js";

/**
 * Makes the box work; calls `choose(node)`, and `mark(nodes)` as the reader types.
 * `find(query)` gives the nodes, and of the `first` of them the names and texts.
 */
export function makeFinder({ input, list, find, choose, mark }) {
  let first = [], active = -1, asked = 0, timer;

  function activate(place) {
    active = place;
    [...list.querySelectorAll("[role=option]")].forEach((row, i) => {
      row.setAttribute("aria-selected", String(i === active));
      if (i === active) row.scrollIntoView({ block: "nearest" });
    });
    if (active < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `${list.id}-${active}`);
  }

  function close() {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    activate(-1);
  }

  function take(node) {
    input.value = "";
    mark(null);
    close();
    choose(node.id);
  }

  function show(result) {
    first = result.first;
    const rows = first.map((node, i) => {
      const row = element("li", { id: `${list.id}-${i}`, role: "option" },
        element("strong", {}, own(nameOf(node))),
        element("span", {}, own(beginning(node.text, 90))));
      row.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        take(node);
      });
      return row;
    });
    const more = result.count - first.length;
    const told = result.count === 1 ? "1 node" : `${result.count.toLocaleString("en")} nodes`;
    const note = !result.count ? "No name or text matches."
      : more > 0 ? `${more.toLocaleString("en")} more are marked on the map.` : "";
    list.replaceChildren(...rows, ...(note ? [element("li", { className: "note", role: "presentation" }, note)] : []));
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    activate(-1);
    say(`${told} found`);
  }

  async function look() {
    const query = input.value.trim(), turn = ++asked;
    if (!query) {
      mark(null);
      return close();
    }
    try {
      const result = await find(query);
      if (turn !== asked) return; // the reader has typed on
      mark(new Set(result.nodes));
      show(result);
    } catch (error) {
      list.replaceChildren(element("li", { className: "note bad" }, error.message));
      list.hidden = false;
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, 120);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" && first.length) activate((active + 1) % first.length);
    else if (event.key === "ArrowUp" && first.length) activate((active - 1 + first.length) % first.length);
    else if (event.key === "Enter" && !list.hidden && first.length) take(first[Math.max(0, active)]);
    else if (event.key === "Escape") {
      input.value = "";
      mark(null);
      close();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", close);
  input.addEventListener("focus", () => input.value.trim() && look());
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}
