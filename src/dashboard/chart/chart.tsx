import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark, zone } from "../app/preferences.ts";
import { useTold } from "../app/told-value.ts";
import { numberText } from "../app/words.ts";
import style from "./chart.module.css";
import { markedPlugin } from "./chart-drawing.ts";
import type { History } from "./history.ts";
import { LimitHandle } from "./limit-handle.tsx";
import { loneRows } from "./lone-rows.ts";
import type { Range } from "./range.ts";
import { readingText } from "./reading-text.ts";
import { widened } from "./scale.ts";
import { themeColor } from "./theme-color.ts";
import { ticksOn, tickText, tickTimes } from "./time-ticks.ts";

const HEIGHT_PX = 320;
/** As `--axis` of the style. */
const AXIS_PX = 70;
/** A shorter drag is a click. */
const DRAG_MIN_PX = 4;
/** A stretch between two gaps that is no longer is seen as a point only. */
const POINT_PX = 3;

/** What the chart shows of strengths, dBm. */
export interface Scale {
  readonly lowDbm: number;
  readonly highDbm: number;
}
/** dBm: where something fires, and where it is well again. */
export interface Limit {
  readonly firesAtDbm: number;
  readonly clearsAtDbm: number;
  /** What it is called beside others: no two have the same. */
  readonly name?: string;
  /** It is not for whoever looks at it to be dragged. */
  readonly isFixed?: boolean;
}
/** Unix ms. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}
export interface Mark {
  readonly atMs: number;
  readonly label: string;
}

interface ChartProps {
  readonly history: History;
  /** What of it is there for longer: the scale has room for it, and stands still while more comes. All of it, if left out. */
  readonly loaded?: History;
  readonly range: Pick<Range, "fromMs" | "toMs">;
  /** At the least. */
  readonly scale: Scale;
  readonly limits: readonly Limit[];
  readonly spans?: readonly Span[];
  readonly marks?: readonly Mark[];
  /** Somebody has drawn a shorter span, Unix ms. */
  readonly choose?: (fromMs: number, toMs: number) => void;
  /** Somebody drags one of the limits, by its place among them; dBm. */
  readonly drag?: (place: number, dbm: number) => void;
  readonly label?: string;
}

/** Where strengths are drawn, in px of the chart. */
export interface Area {
  readonly topPx: number;
  readonly heightPx: number;
}

const dataOf = ({ seconds, mean, min, max }: History): uPlot.AlignedData => [seconds, mean, min, max];

interface Told {
  readonly placed: (area: Area) => void;
  /** At which row of the history somebody points; null: at none. */
  readonly pointed: (row: number | null) => void;
}

const optionsOf = (width: number, current: () => ChartProps, { placed, pointed }: Told): uPlot.Options => {
  const axis = {
    stroke: themeColor("--faint"),
    grid: { stroke: themeColor("--line"), width: 1 },
    ticks: { show: false },
  };
  const line = themeColor("--active");
  const lone = (plot: uPlot) => {
    const { history, range } = current();
    const pxWide = Math.max(1, plot.over.clientWidth);
    return loneRows(history, ((range.toMs - range.fromMs) / 1_000) * (POINT_PX / pxWide));
  };
  const tellArea = ({ over }: uPlot) => placed({ topPx: over.offsetTop, heightPx: over.clientHeight });
  return {
    width,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { time: false, range: () => [current().range.fromMs / 1_000, current().range.toMs / 1_000] },
      y: { range: () => [current().scale.lowDbm, current().scale.highDbm] },
    },
    axes: [
      {
        ...axis,
        // By Intl: labels of uPlot's own are wrong around clock changes.
        splits: ({ over }, _axis, min, max) =>
          tickTimes(min * 1_000, max * 1_000, zone.get(), ticksOn(over.clientWidth)).map((ms) => ms / 1_000),
        values: (_plot, splits) => {
          const { fromMs, toMs } = current().range;
          return splits.map((seconds) => tickText(seconds * 1_000, toMs - fromMs, zone.get()));
        },
      },
      { ...axis, size: AXIS_PX, values: (_plot, splits) => splits.map((dbm) => `${numberText(dbm)} dBm`) },
    ],
    series: [
      {},
      {
        stroke: line,
        width: 1.5,
        points: { show: false, filter: lone, size: POINT_PX + 2, width: 0, fill: line },
        spanGaps: false,
      },
      { stroke: "transparent", points: { show: false }, spanGaps: false },
      { stroke: "transparent", points: { show: false }, spanGaps: false },
    ],
    bands: [{ series: [3, 2], fill: `color-mix(in srgb, ${line} 18%, transparent)` }],
    plugins: [
      markedPlugin(() => {
        const { limits, spans = [], marks = [] } = current();
        return { limits, spans, marks };
      }),
    ],
    hooks: {
      ready: [tellArea],
      setSize: [tellArea],
      setCursor: [({ cursor }) => pointed(cursor.idx ?? null)],
      setSelect: [
        (plot) => {
          const { left, width: drawn } = plot.select;
          if (drawn < DRAG_MIN_PX) return;
          current().choose?.(plot.posToVal(left, "x") * 1_000, plot.posToVal(left + drawn, "x") * 1_000);
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
    },
  };
};

/** Strength over time on a fixed scale: the mean, and in shade the least and the greatest of each step. */
export const Chart = (props: ChartProps) => {
  const place = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLParagraphElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [area, setArea] = useState<Area | null>(null);
  // Under a pointer that drags a limit, the scale does not move.
  const [held, setHeld] = useState<Scale | null>(null);
  const chosenZone = useTold(zone);
  const isDarkNow = useSyncExternalStore(isDark.onChange, isDark.get);
  const {
    history,
    loaded = history,
    range,
    limits,
    spans,
    marks,
    drag,
    label = "Strength over time",
  } = props;
  const scale = held ?? widened(props.scale, limits, loaded);
  const limitsDrawn = limits.map((limit) => Object.values(limit).join(" ")).join();
  const current = useRef(props);
  current.current = { ...props, scale };

  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew for another zone or theme, whose labels and colours are others
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const made = new uPlot(
      optionsOf(element.clientWidth, () => current.current, {
        placed: setArea,
        pointed: (row) => {
          const text = row === null ? "" : readingText(current.current.history, row);
          if (legend.current !== null) legend.current.textContent = text;
        },
      }),
      dataOf(current.current.history),
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(([entry]) =>
      made.setSize({ width: entry?.contentRect.width ?? element.clientWidth, height: HEIGHT_PX }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [chosenZone, isDarkNow]);

  useEffect(() => {
    plot.current?.setData(dataOf(history));
  }, [history]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scales and what is drawn behind the line, which `current` has
  useEffect(() => {
    // Paths and scales as well, which a redraw without them leaves as they were.
    plot.current?.redraw();
  }, [range.fromMs, range.toMs, scale.lowDbm, scale.highDbm, limitsDrawn, spans, marks]);

  return (
    <>
      <div className={style.chart}>
        <div ref={place} role="img" aria-label={label} />
        {drag !== undefined &&
          area !== null &&
          limits.map(
            ({ firesAtDbm, name = "Limit", isFixed = false }, at) =>
              !isFixed && (
                <LimitHandle
                  key={name}
                  area={area}
                  scale={scale}
                  dbm={firesAtDbm}
                  label={name}
                  drag={(dbm) => drag(at, dbm)}
                  hold={(isHeld) => setHeld(isHeld ? scale : null)}
                />
              ),
          )}
      </div>
      <p ref={legend} className={style.legend} />
    </>
  );
};
