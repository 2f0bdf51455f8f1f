import type uPlot from "uplot";
import type { Limit, Mark } from "./chart.tsx";
import { type Box, besideOthers, inARow } from "./label-places.ts";
import { themeColor } from "./theme-color.ts";

const FONT_PX = 12;
const PADDING_PX = 3;
const GAP_PX = 6;

const begin = ({ ctx }: uPlot): void => {
  ctx.font = `${FONT_PX * devicePixelRatio}px system-ui, sans-serif`;
  // Axes leave theirs behind.
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
};

/** What of a text fits, with a sign that there is more. */
const fitted = ({ ctx }: uPlot, text: string, widthMax: number): string => {
  let shown = text;
  while (shown.length > 1 && ctx.measureText(shown).width > widthMax) shown = `${shown.slice(0, -2)}…`;
  return shown;
};

/** The names of moments, above the strengths and in one row: they are often close together. */
export const drawMarkNames = (plot: uPlot, marks: readonly Mark[]): void => {
  const { ctx, bbox } = plot;
  ctx.save();
  begin(plot);
  ctx.fillStyle = themeColor("--text");
  const ordered = marks.toSorted((a, b) => a.atMs - b.atMs);
  const wanted = ordered.map(({ atMs, label }) => {
    const { width } = ctx.measureText(label);
    return { left: plot.valToPos(atMs / 1_000, "x", true) - width / 2, width };
  });
  const row = { left: bbox.left, right: bbox.left + bbox.width, gap: GAP_PX * devicePixelRatio };
  const places = inARow(wanted, row);
  const middle = bbox.top - (FONT_PX / 2 + PADDING_PX) * devicePixelRatio;
  for (const [at, { label }] of ordered.entries()) ctx.fillText(label, places[at] ?? bbox.left, middle);
  ctx.restore();
};

/** The names of limits, each on a ground over the strengths; one for which there is no room is left out. */
export const drawLimitNames = (plot: uPlot, limits: readonly Limit[]): void => {
  const { ctx, bbox } = plot;
  const [padding, gap] = [PADDING_PX * devicePixelRatio, GAP_PX * devicePixelRatio];
  const height = (FONT_PX + 2 * PADDING_PX) * devicePixelRatio;
  const right = bbox.left + bbox.width;
  const placed: Box[] = [];
  ctx.save();
  begin(plot);
  for (const { name, firesAtDbm } of limits) {
    const line = plot.valToPos(firesAtDbm, "y", true);
    if (name === undefined || line < bbox.top || line > bbox.top + bbox.height) continue;
    const text = fitted(plot, name, bbox.width - 2 * padding);
    const top = Math.max(bbox.top, line - height - devicePixelRatio);
    const width = ctx.measureText(text).width + 2 * padding;
    const box = besideOthers({ left: bbox.left + gap, top, width, height }, placed, right, gap);
    if (box === null) continue;
    placed.push(box);
    ctx.fillStyle = `color-mix(in srgb, ${themeColor("--card")} 85%, transparent)`;
    ctx.fillRect(box.left, box.top, box.width, box.height);
    ctx.fillStyle = themeColor("--text");
    ctx.fillText(text, box.left + padding, box.top + height / 2);
  }
  ctx.restore();
};
