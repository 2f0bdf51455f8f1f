import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, type PointerEvent, useCallback, useState } from "react";
import { signalNames } from "../../api/queries.ts";
import { live, useLiveAges, useUnlessPaused } from "../../app/live.ts";
import type { LiveColumns } from "../../live/live-store.ts";
import { Tile } from "./tile.tsx";
import type { TileLayout } from "./tile-layout.ts";
import style from "./tiles.module.css";
import type { WallOrder } from "./wall-order.ts";
import type { Point } from "./wall-tip.tsx";

interface TilesProps {
  readonly order: WallOrder;
  readonly layout: TileLayout;
  readonly point: (pointed: Point | null) => void;
}

const isSame = (a: readonly number[], b: Uint32Array): boolean =>
  a.length === b.length && a.every((place, n) => place === b[n]);

const placeUnder = ({ target }: PointerEvent): number | null => {
  const item = target instanceof Element ? target.closest("[data-place]") : null;
  return item === null ? null : Number(item.getAttribute("data-place"));
};

/** As few signals as can be told by their names: a tile each, the worst first. */
export const Tiles = ({ order, layout, point }: TilesProps) => {
  const [places, setPlaces] = useState<readonly number[]>(() => [...order.places]);
  const draw = useCallback(
    (columns: LiveColumns) => {
      order.renew(columns, performance.now(), live.isPaused);
      setPlaces((now) => (isSame(now, order.places) ? now : [...order.places]));
    },
    [order],
  );
  useLiveAges(draw);
  const names = signalNames(places.flatMap((place) => live.ids[place] ?? []));
  const mayAsk = useUnlessPaused();
  const { data } = useQuery({ ...names, enabled: (query) => places.length > 0 && mayAsk(query) });
  const hold = () => order.hold(performance.now());
  const sizes: CSSProperties = {
    gridTemplateColumns: `repeat(${layout.across}, minmax(0, ${layout.widthPx}px))`,
    gridAutoRows: `${layout.heightPx}px`,
  };
  return (
    <ul
      className={style.tiles}
      style={sizes}
      aria-label="All signals, the worst first"
      onFocus={hold}
      onPointerDown={hold}
      onPointerMove={(event) => {
        hold();
        const place = placeUnder(event);
        point(place === null ? null : { place, x: event.clientX, y: event.clientY });
      }}
      onPointerLeave={() => point(null)}
    >
      {places.map((place) => {
        const id = live.ids[place] ?? "";
        return <Tile key={place} place={place} id={id} name={data?.get(id)} />;
      })}
    </ul>
  );
};
