import { Link } from "@tanstack/react-router";
import { memo, useCallback, useRef } from "react";
import { live, useLiveAges, useLiveValue } from "../../app/live.ts";
import { dbmText } from "../../app/words.ts";
import { writeText } from "../../app/write-text.ts";
import { cssOf } from "../../live/cividis.ts";
import { type LiveColumns, NOTHING } from "../../live/live-store.ts";
import { NEVER_MS } from "../../live/messages.ts";
import { STATUSES } from "../../live/worst-first.ts";
import { StatusMark } from "../../parts/status.tsx";
import style from "./tiles.module.css";
import { pixelOf } from "./wall-drawing.ts";

/** Nobody reads a figure that changes more often: of a signal with ten readings a second not each is written. */
const WRITE_EVERY_MS = 250;

interface TileProps {
  readonly place: number;
  readonly id: string;
  /** Undefined: it is still to come. */
  readonly name: string | undefined;
}

/** A signal by its name, whose strength and colour follow what comes, past React. */
export const Tile = memo(({ place, id, name = "…" }: TileProps) => {
  const strength = useRef<HTMLSpanElement>(null);
  const swatch = useRef<HTMLSpanElement>(null);
  const drawn = useRef<number | null>(null);
  const drawnMs = useRef(Number.NEGATIVE_INFINITY);
  const draw = useCallback(
    (columns: LiveColumns) => {
      const now = performance.now();
      // What a pause freezes is shown to the last reading.
      if (!live.isPaused && now - drawnMs.current < WRITE_EVERY_MS) return;
      drawnMs.current = now;
      const isSilent = columns.at[place] === NEVER_MS;
      writeText(strength.current, isSilent ? "no reading" : dbmText(columns.strength[place] ?? null));
      const pixel = pixelOf(columns, place);
      if (pixel === drawn.current || swatch.current === null) return;
      drawn.current = pixel;
      swatch.current.style.background = cssOf(pixel);
    },
    [place],
  );
  // The last of many is written by the next second.
  useLiveAges(draw);
  const status = STATUSES[useLiveValue(() => live.view.status[place] ?? NOTHING)];
  return (
    <li data-row="" data-place={place}>
      <Link to="/signals/$id" params={{ id }} className={style.tile} data-kind={status ?? "deleted"}>
        <span ref={swatch} className={style.swatch} aria-hidden="true" />
        <bdi className={style.name}>{name}</bdi> <span ref={strength} className={style.strength} />{" "}
        {status === undefined ? "deleted" : <StatusMark status={status} />}
      </Link>
    </li>
  );
});
