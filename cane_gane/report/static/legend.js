// The legend of a map: each label with its shape and its count, to switch off and on.
import { beginning, element, own } from "./dom.js";
import { badge } from "./shapes.js";

/** Fills a legend, a `details` with a list; it stays hidden where there is no label. */
export function makeLegend(map, legend, covers = true) {
  const { groups } = map.network, entries = groups.filter((group) => group.count);
  if (!groups.some((group) => !group.plain)) return;
  legend.hidden = false;
  legend.open = !covers || innerWidth > 860;
  if (covers) map.covered = () => {
    const box = legend.getBoundingClientRect(), frame = map.canvas.getBoundingClientRect();
    return new DOMRect(box.x - frame.x, box.y - frame.y, box.width, box.height);
  };
  legend.querySelector("ul").append(...entries.map((group) => {
    const place = groups.indexOf(group), shape = badge(groups, place);
    const button = element("button", { type: "button", "aria-pressed": "true", title: group.label.slice(0, 200) }, shape,
      own(beginning(group.label, 30)), element("small", {}, group.count.toLocaleString("en")));
    button.addEventListener("click", () => {
      const off = !map.hidden.delete(place);
      if (off) map.hidden.add(place);
      button.setAttribute("aria-pressed", String(!off));
      map.draw();
    });
    return element("li", {}, button);
  }));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const shape of legend.querySelectorAll("canvas.shape")) shape.repaint();
  });
}
