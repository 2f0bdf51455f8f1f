import { useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";
import { live, useLiveAges } from "../../app/live.ts";
import type { LiveColumns } from "../../live/live-store.ts";
import { Button } from "../../parts/button.tsx";
import { Cells } from "./cells.tsx";
import { NoCells } from "./no-cells.tsx";
import { tileLayout } from "./tile-layout.ts";
import { Tiles } from "./tiles.tsx";
import style from "./wall.module.css";
import { WallOrder } from "./wall-order.ts";
import { type Point, WallTip } from "./wall-tip.tsx";

const HEIGHT_PX = 420;
/** Behind a connection that has just been made the first values are still to come. */
const FIRST_VALUES_MS = 1_000;

const isWaited = (nowMs: number): boolean => {
  const { state, sinceMs } = live.connection;
  return state === "open" && nowMs - sinceMs > FIRST_VALUES_MS;
};

/** How wide an element is, as it changes; 0: it is not known yet. */
const useWidth = () => {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const watch = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  return { element, width };
};

/** Every signal, the worst first: a tile each, or a cell each where they are many. */
export const Wall = () => {
  const { element, width } = useWidth();
  const [order] = useState(() => new WallOrder());
  /** Null: it is not known yet. */
  const [count, setCount] = useState<number | null>(null);
  const [pointed, setPointed] = useState<Point | null>(null);
  const navigate = useNavigate();
  const look = useCallback(
    (columns: LiveColumns) => {
      const now = performance.now();
      order.renew(columns, now, live.isPaused);
      const { length } = order.places;
      if (length > 0 || isWaited(now)) setCount(length);
    },
    [order],
  );
  useLiveAges(look);

  const open = (place: number | null | undefined) => {
    const id = live.ids[place ?? -1];
    if (id !== undefined) void navigate({ to: "/signals/$id", params: { id } });
  };
  const isKnown = count !== null && count > 0 && width > 0;
  const layout = isKnown ? tileLayout(count, width, HEIGHT_PX) : null;
  return (
    <div ref={element} className={style.wall}>
      {layout !== null && <Tiles order={order} layout={layout} point={setPointed} />}
      {isKnown && layout === null && (
        <Cells order={order} width={width} height={HEIGHT_PX} point={setPointed} open={open} />
      )}
      {isKnown && (
        <Button kind="quiet" onClick={() => open(order.places[0])}>
          Open the worst
        </Button>
      )}
      {count === 0 && <NoCells />}
      {pointed !== null && <WallTip {...pointed} />}
    </div>
  );
};
