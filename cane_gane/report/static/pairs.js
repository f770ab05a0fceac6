// A menu of pairs of texts; the chosen one is drawn as heat maps of its matched words.
import { element, own } from "./dom.js";
import { drawHeatMap } from "./heatmap.js";

function makeMenu(home, pairs) {
  const menu = home.querySelector("select"), about = home.querySelector(".about");
  const maps = home.querySelector(".maps"), words = home.querySelector(".chips");
  const show = () => {
    const pair = pairs[Number(menu.value)];
    about.textContent = pair.about;
    words.replaceChildren(...pair.words.map(([source, target, share]) => element("li", {},
      own(source), ...(source === target ? [] : [" ↔ ", own(target)]), " ",
      element("span", { className: "soft" }, share))));
    maps.replaceChildren(...pair.maps.map(({ id }) => element("div", { id, className: "heat" })));
    // Each needs the room that is left when all are there.
    pair.maps.forEach((map, i) => drawHeatMap(maps.children[i], { ...pair, ...map }));
  };
  menu.addEventListener("change", show);
  show();
}

const telling = document.getElementById("pairs");
if (telling) makeMenu(telling, JSON.parse(document.getElementById("pairs-content").textContent));
