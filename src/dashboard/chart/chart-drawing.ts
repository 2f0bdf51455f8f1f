import type uPlot from "uplot";
import type { Limit, Mark, Span } from "./chart.tsx";
import { drawLimitNames, drawMarkNames } from "./labels.ts";
import { themeColor } from "./theme-color.ts";

interface Marked {
  readonly limits: readonly Limit[];
  readonly spans: readonly Span[];
  readonly marks: readonly Mark[];
}

const SPAN_MIN_PX = 2;
const drawSpans = ({ ctx, bbox, valToPos }: uPlot, spans: readonly Span[]): void => {
  const end = bbox.left + bbox.width;
  ctx.fillStyle = `color-mix(in srgb, ${themeColor("--failed")} 22%, transparent)`;
  for (const { fromMs, toMs } of spans) {
    const [left, right] = [fromMs, toMs].map((ms) => valToPos(ms / 1_000, "x", true));
    if (left === undefined || right === undefined || left > end) continue;
    // One that is over at once is seen, too, and one that has just begun.
    const from = Math.min(left, end - SPAN_MIN_PX);
    ctx.fillRect(from, bbox.top, Math.max(SPAN_MIN_PX, right - from), bbox.height);
  }
};

const drawBand = ({ ctx, bbox, valToPos }: uPlot, { firesAtDbm, clearsAtDbm }: Limit): void => {
  const [fires, clears] = [valToPos(firesAtDbm, "y", true), valToPos(clearsAtDbm, "y", true)];
  ctx.fillStyle = themeColor("--shade");
  ctx.fillRect(bbox.left, Math.min(fires, clears), bbox.width, Math.abs(fires - clears));
};

const drawLimit = ({ ctx, bbox, valToPos }: uPlot, { firesAtDbm }: Limit): void => {
  const fires = valToPos(firesAtDbm, "y", true);
  ctx.lineWidth = devicePixelRatio;
  ctx.strokeStyle = themeColor("--failed");
  ctx.setLineDash([6, 4]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, fires);
  ctx.lineTo(bbox.left + bbox.width, fires);
  ctx.stroke();
};

const drawMarks = ({ ctx, bbox, valToPos }: uPlot, marks: readonly Mark[]): void => {
  ctx.setLineDash([]);
  ctx.strokeStyle = themeColor("--faint");
  for (const { atMs } of marks) {
    const x = valToPos(atMs / 1_000, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
};

/** Draws nothing outside of where strengths are. */
const within = ({ ctx, bbox }: uPlot, draw: () => void): void => {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw();
  ctx.restore();
};

/**
 * What is behind the line of strengths: when it fired and the bands at the limits; over the grid, which would hide those
 * that are at a round strength, the limits, and moments; and over the line, which nobody could read them under, their
 * names.
 */
export const markedPlugin = (marked: () => Marked): uPlot.Plugin => ({
  hooks: {
    drawClear: (plot) =>
      within(plot, () => {
        const { limits, spans } = marked();
        drawSpans(plot, spans);
        for (const limit of limits) drawBand(plot, limit);
      }),
    drawAxes: (plot) =>
      within(plot, () => {
        const { limits, marks } = marked();
        for (const limit of limits) drawLimit(plot, limit);
        drawMarks(plot, marks);
      }),
    draw: (plot) => {
      const { limits, marks } = marked();
      drawLimitNames(plot, limits);
      drawMarkNames(plot, marks);
    },
  },
});
