// Tens of thousands of nodes at once: pixels are set one by one, many times as fast as
// drawing a picture for each node where no graphics card helps.

export const MANY = 6000;

/** The opaque pixels of a picture: offsets from its middle, and colours. */
function pixelsOf(sprite, width, alpha) {
  const { data } = sprite.getContext("2d").getImageData(0, 0, sprite.width, sprite.height);
  const colours = new Uint32Array(data.buffer), half = sprite.width >> 1, found = [];
  for (let i = 0; i < colours.length; i++) {
    const opaque = data[4 * i + 3];
    if (opaque < 100) continue;
    const offset = (Math.floor(i / sprite.width) - half) * width + (i % sprite.width) - half;
    found.push([offset, ((colours[i] & 0xffffff) | (Math.round(opaque * alpha) << 24)) >>> 0]);
  }
  return { half, offsets: found.map((own) => own[0]), colours: found.map((own) => own[1]) };
}

/** Draws nodes by their pictures, `spriteOf(node)`; `keyOf(node)` tells pictures apart. */
export function drawCrowd(map, nodes, alpha, keyOf, spriteOf) {
  const { width, height } = map.canvas, { scale, x: dx, y: dy } = map.view;
  const { x, y, group } = map.network, image = new ImageData(width, height);
  const target = new Uint32Array(image.data.buffer), known = new Map();
  for (const node of nodes) {
    if (map.hidden.has(group[node])) continue;
    const key = keyOf(node);
    if (!known.has(key)) known.set(key, pixelsOf(spriteOf(node), width, alpha));
    const { half, offsets, colours } = known.get(key);
    const column = Math.round((dx + scale * x[node]) * map.ratio), row = Math.round((dy + scale * y[node]) * map.ratio);
    if (column < half || row < half || column >= width - half || row >= height - half) continue;
    const middle = row * width + column;
    for (let i = 0; i < offsets.length; i++) target[middle + offsets[i]] = colours[i];
  }
  const layer = new OffscreenCanvas(width, height);
  layer.getContext("2d").putImageData(image, 0, 0);
  map.pen.drawImage(layer, 0, 0, map.width, map.height);
}
