// The page of one explanation: lines between matched words, and a heat map.
import { drawHeatMap } from "./heatmap.js";
import { joinWords } from "./lines.js";

const parsed = (id) => JSON.parse(document.getElementById(id).textContent);
for (const map of parsed("heat-maps")) drawHeatMap(document.getElementById(map.id), map);
joinWords(document.getElementById("joined"), parsed("word-lines"));
