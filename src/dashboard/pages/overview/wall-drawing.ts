import { CIVIDIS, FAILED_PIXEL, GREY_PIXEL, NOTHING_PIXEL } from "../../live/cividis.ts";
import { type LiveColumns, NOTHING } from "../../live/live-store.ts";
import { NEVER_MS } from "../../live/messages.ts";
import { FAILED, PAUSED } from "../../live/worst-first.ts";

/** In which colour a signal is drawn, as `cividis.ts` has them. */
export const pixelOf = ({ status, quality, at }: LiveColumns, place: number): number => {
  if (status[place] === NOTHING) return NOTHING_PIXEL;
  if (status[place] === FAILED) return FAILED_PIXEL;
  if (status[place] === PAUSED || at[place] === NEVER_MS) return GREY_PIXEL;
  return CIVIDIS[Math.round((quality[place] ?? 0) * 255)] ?? NOTHING_PIXEL;
};

export interface Grid {
  readonly across: number;
  readonly down: number;
}
const CELL_MIN_PX = 5;
const CELL_MAX_PX = 28;

/** As large as cells can be for all of them to be seen in `width` by `height`, CSS pixels. */
export const gridOf = (count: number, width: number, height: number): Grid & { readonly cellPx: number } => {
  const fits = (cellPx: number) => Math.floor(width / cellPx) * Math.floor(height / cellPx) >= count;
  let cellPx = CELL_MAX_PX;
  while (cellPx > CELL_MIN_PX && !fits(cellPx)) cellPx--;
  const across = Math.max(1, Math.floor(width / cellPx));
  return { across, down: Math.max(1, Math.ceil(count / across)), cellPx };
};

/** One pixel a cell; how large it is shown is the style's affair. */
export const drawWall = (
  context: CanvasRenderingContext2D,
  columns: LiveColumns,
  order: Uint32Array,
  { across, down }: Grid,
): void => {
  const image = context.createImageData(across, down);
  const pixels = new Uint32Array(image.data.buffer);
  for (let n = 0; n < order.length && n < pixels.length; n++) pixels[n] = pixelOf(columns, order[n] ?? 0);
  context.putImageData(image, 0, 0);
};
