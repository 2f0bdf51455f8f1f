/**
 * The colour map cividis, which says the same to every kind of eye: anchors of the one of matplotlib (Nuñez, Anderton and
 * Renslow 2018, doi:10.1371/journal.pone.0199239), as RGB from the worst to the best.
 */
const ANCHORS: readonly (readonly [number, number, number])[] = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [225, 204, 85],
  [254, 232, 56],
];
const STEPS = 256;

const mixed = (at: number, channel: 0 | 1 | 2): number => {
  const place = at * (ANCHORS.length - 1);
  const low = Math.min(Math.floor(place), ANCHORS.length - 2);
  const [from, to] = [ANCHORS[low]?.[channel] ?? 0, ANCHORS[low + 1]?.[channel] ?? 0];
  return Math.round(from + (to - from) * (place - low));
};
/** As canvases want it, on machines of this byte order. */
const pixel = (red: number, green: number, blue: number): number =>
  ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** By quality in 255ths. */
export const CIVIDIS: Uint32Array = Uint32Array.from({ length: STEPS }, (_, step) => {
  const at = step / (STEPS - 1);
  return pixel(mixed(at, 0), mixed(at, 1), mixed(at, 2));
});
export const FAILED_PIXEL = pixel(0xdf, 0x49, 0x49);
export const GREY_PIXEL = pixel(0x9a, 0xa1, 0xad);
export const NOTHING_PIXEL = 0;

/** A pixel as styles want it. */
export const cssOf = (pixel: number): string =>
  `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
