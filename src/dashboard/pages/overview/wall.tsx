import { useNavigate } from "@tanstack/react-router";
import { type PointerEvent, useCallback, useEffect, useRef, useState } from "react";
import { live, useLiveAges } from "../../app/live.ts";
import type { LiveColumns } from "../../live/live-store.ts";
import { worstFirst } from "../../live/worst-first.ts";
import { Button } from "../../parts/button.tsx";
import { NoCells } from "./no-cells.tsx";
import style from "./wall.module.css";
import { drawWall, type Grid, gridOf } from "./wall-drawing.ts";
import { WallTip } from "./wall-tip.tsx";

/** Cells that change places all the time could not be pointed at; at first many come that have no place yet. */
const SORT_EVERY_MS = 2_000;
const SORT_AT_FIRST_MS = 50;
const HEIGHT_MAX = 420;
/** Behind a connection that has just been made the first values are still to come. */
const FIRST_VALUES_MS = 1_000;

interface Pointed {
  readonly place: number;
  readonly x: number;
  readonly y: number;
}

const isWaited = (nowMs: number): boolean => {
  const { state, sinceMs } = live.connection;
  return state === "open" && nowMs - sinceMs > FIRST_VALUES_MS;
};

/** Every signal as a cell, the worst first. */
export const Wall = () => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const order = useRef(new Uint32Array());
  const sorted = useRef({ at: Number.NEGATIVE_INFINITY, nextMs: SORT_AT_FIRST_MS });
  const grid = useRef<Grid & { cellPx: number }>({ across: 1, down: 1, cellPx: 1 });
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  /** Null: it is not known yet. */
  const [hasCells, setHasCells] = useState<boolean | null>(null);
  const navigate = useNavigate();

  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (element === null || element === undefined) return;
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const draw = useCallback(
    (columns: LiveColumns) => {
      const element = canvas.current;
      const context = element?.getContext("2d");
      if (element === null || context === null || context === undefined || width === 0) return;
      const now = performance.now();
      const isDue = !live.isPaused && now - sorted.current.at > sorted.current.nextMs;
      if (order.current.length === 0 || isDue) {
        order.current = worstFirst(columns);
        const laterMs = Math.min(SORT_EVERY_MS, sorted.current.nextMs * 2);
        sorted.current = { at: now, nextMs: order.current.length === 0 ? SORT_AT_FIRST_MS : laterMs };
      }
      if (order.current.length > 0) setHasCells(true);
      else if (isWaited(now)) setHasCells(false);
      const next = gridOf(order.current.length, width, HEIGHT_MAX);
      if (element.width !== next.across || element.height !== next.down) {
        element.width = next.across;
        element.height = next.down;
        element.style.width = `${next.across * next.cellPx}px`;
        element.style.height = `${next.down * next.cellPx}px`;
      }
      grid.current = next;
      drawWall(context, columns, order.current, next);
    },
    [width],
  );
  // Values that have come since they were sorted last, and none after them, are sorted in by the next second. In a
  // pause no cell moves: it is what people pause for that want to point at one.
  useLiveAges(draw);

  const placeAt = ({ nativeEvent }: PointerEvent): number | null => {
    const { across, cellPx } = grid.current;
    const cell = Math.floor(nativeEvent.offsetY / cellPx) * across + Math.floor(nativeEvent.offsetX / cellPx);
    return order.current[cell] ?? null;
  };
  const point = (event: PointerEvent) => {
    const place = placeAt(event);
    setPointed(place === null ? null : { place, x: event.clientX, y: event.clientY });
  };
  const open = (place: number | null | undefined) => {
    const id = live.ids[place ?? -1];
    if (id !== undefined) void navigate({ to: "/signals/$id", params: { id } });
  };
  /** What the tip names, whatever has come to be under the pointer since. */
  const openPointed = (event: PointerEvent) => {
    if (event.button === 0) open(pointed === null ? placeAt(event) : pointed.place);
  };
  return (
    <div className={style.wall}>
      <canvas
        ref={canvas}
        className={style.canvas}
        hidden={hasCells === false}
        role="img"
        aria-label="All signals, the worst first; the list of signals says the same in words"
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
        onPointerUp={openPointed}
      />
      {hasCells === true && (
        <Button kind="quiet" onClick={() => open(order.current[0])}>
          Open the worst
        </Button>
      )}
      {hasCells === false && <NoCells />}
      {pointed !== null && <WallTip {...pointed} />}
    </div>
  );
};
