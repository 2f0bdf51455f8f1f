import { type PointerEvent, useCallback, useRef } from "react";
import { live, useLiveAges } from "../../app/live.ts";
import type { LiveColumns } from "../../live/live-store.ts";
import style from "./wall.module.css";
import { drawWall, type Grid, gridOf } from "./wall-drawing.ts";
import type { WallOrder } from "./wall-order.ts";
import type { Point } from "./wall-tip.tsx";

interface CellsProps {
  readonly order: WallOrder;
  readonly width: number;
  readonly height: number;
  readonly point: (pointed: Point | null) => void;
  readonly open: (place: number | null) => void;
}

/** More signals than can be told by their names: a cell each, the worst first. */
export const Cells = ({ order, width, height, point, open }: CellsProps) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const grid = useRef<Grid & { cellPx: number }>({ across: 1, down: 1, cellPx: 1 });
  const pointed = useRef<number | null>(null);
  const draw = useCallback(
    (columns: LiveColumns) => {
      const element = canvas.current;
      const context = element?.getContext("2d");
      if (element === null || context === null || context === undefined || width === 0) return;
      order.renew(columns, performance.now(), live.isPaused);
      const next = gridOf(order.places.length, width, height);
      if (element.width !== next.across || element.height !== next.down) {
        element.width = next.across;
        element.height = next.down;
        element.style.width = `${next.across * next.cellPx}px`;
        element.style.height = `${next.down * next.cellPx}px`;
      }
      grid.current = next;
      drawWall(context, columns, order.places, next);
    },
    [order, width, height],
  );
  // Values that have come since they were sorted last, and none after them, are sorted in by the next second.
  useLiveAges(draw);

  const placeAt = ({ nativeEvent }: PointerEvent): number | null => {
    const { across, cellPx } = grid.current;
    const cell = Math.floor(nativeEvent.offsetY / cellPx) * across + Math.floor(nativeEvent.offsetX / cellPx);
    return order.places[cell] ?? null;
  };
  const pointAt = (event: PointerEvent | null) => {
    const place = event === null ? null : placeAt(event);
    pointed.current = place;
    point(event === null || place === null ? null : { place, x: event.clientX, y: event.clientY });
  };
  return (
    <canvas
      ref={canvas}
      className={style.canvas}
      role="img"
      aria-label="All signals, the worst first; the list of signals says the same in words"
      onPointerMove={pointAt}
      onPointerLeave={() => pointAt(null)}
      // What the tip names, whatever has come to be under the pointer since.
      onPointerUp={(event) => event.button === 0 && open(pointed.current ?? placeAt(event))}
    />
  );
};
