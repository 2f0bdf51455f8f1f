import { useNavigate } from "@tanstack/react-router";
import { type PointerEvent, useCallback, useEffect, useRef, useState } from "react";
import { live, useLive } from "../../app/live.ts";
import type { LiveColumns } from "../../live/live-store.ts";
import { worstFirst } from "../../live/worst-first.ts";
import { Button } from "../../parts/button.tsx";
import style from "./wall.module.css";
import { drawWall, type Grid, gridOf } from "./wall-drawing.ts";
import { WallTip } from "./wall-tip.tsx";

/** Cells that change places all the time could not be pointed at; at first many come that have no place yet. */
const SORT_EVERY_MS = 2_000;
const SORT_AT_FIRST_MS = 50;
const HEIGHT_MAX = 420;

interface Pointed {
  readonly place: number;
  readonly x: number;
  readonly y: number;
}

/** Every signal as a cell, the worst first. */
export const Wall = () => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const order = useRef(new Uint32Array());
  const sorted = useRef({ at: Number.NEGATIVE_INFINITY, nextMs: SORT_AT_FIRST_MS });
  const grid = useRef<Grid & { cellPx: number }>({ across: 1, down: 1, cellPx: 1 });
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<Pointed | null>(null);
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
      if (now - sorted.current.at > sorted.current.nextMs) {
        order.current = worstFirst(columns);
        sorted.current = { at: now, nextMs: Math.min(SORT_EVERY_MS, sorted.current.nextMs * 2) };
      }
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
  useLive(draw);

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
  return (
    <div className={style.wall}>
      <canvas
        ref={canvas}
        className={style.canvas}
        role="img"
        aria-label="All signals, the worst first; the list of signals says the same in words"
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
        onPointerUp={(event) => open(placeAt(event))}
      />
      <Button kind="quiet" onClick={() => open(order.current[0])}>
        Open the worst
      </Button>
      {pointed !== null && <WallTip {...pointed} />}
    </div>
  );
};
