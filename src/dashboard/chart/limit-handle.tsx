import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import { dbmText } from "../app/words.ts";
import style from "./chart.module.css";
import type { Area, Scale } from "./chart.tsx";

/** What a key moves the limit by, dB; ten times as much with Shift. */
const STEP_DB = 0.5;
const KEYS: Readonly<Record<string, number>> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

interface HandleProps {
  readonly area: Area;
  readonly scale: Scale;
  readonly dbm: number;
  readonly label: string;
  readonly drag: (dbm: number) => void;
  /** Somebody has taken hold of it, or let it go. */
  readonly hold: (isHeld: boolean) => void;
}

/** A limit, to be dragged over the history, or moved by arrow keys. */
export const LimitHandle = ({ area, scale: { lowDbm, highDbm }, dbm, label, drag, hold }: HandleProps) => {
  const isDragged = useRef(false);
  const onScale = (value: number) => Math.min(highDbm, Math.max(lowDbm, value));
  const within = (value: number) => onScale(Math.round(value / STEP_DB) * STEP_DB);
  // One that is beyond what can be measured is at the end that it is beyond.
  const topPx = area.topPx + ((highDbm - onScale(dbm)) / (highDbm - lowDbm)) * area.heightPx;
  const move = ({ clientY, currentTarget }: PointerEvent<HTMLElement>) => {
    const chart = currentTarget.parentElement;
    if (!isDragged.current || chart === null) return;
    const share = (clientY - chart.getBoundingClientRect().top - area.topPx) / area.heightPx;
    drag(within(highDbm - share * (highDbm - lowDbm)));
  };
  const press = (event: KeyboardEvent) => {
    const way = KEYS[event.key];
    if (way === undefined) return;
    event.preventDefault();
    drag(within(dbm + way * STEP_DB * (event.shiftKey ? 10 : 1)));
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-orientation="vertical"
      aria-valuemin={lowDbm}
      aria-valuemax={highDbm}
      aria-valuenow={onScale(dbm)}
      aria-valuetext={dbmText(dbm)}
      className={style.handle}
      style={{ top: topPx }}
      onKeyDown={press}
      onPointerDown={(event) => {
        isDragged.current = true;
        hold(true);
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={move}
      onLostPointerCapture={() => {
        isDragged.current = false;
        hold(false);
      }}
    >
      <span className={style.grip}>{dbmText(dbm)}</span>
    </div>
  );
};
