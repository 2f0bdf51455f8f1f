import { useEffect } from "react";
import { serverClock } from "../../api/server-clock.ts";
import { keys } from "../../app/preferences.ts";
import { timeText } from "../../app/words.ts";
import {
  type Range,
  type RangeAsked,
  SPAN_USUAL,
  SPANS,
  type Span,
  shifted,
  zoomed,
} from "../../chart/range.ts";
import { Button } from "../../parts/button.tsx";
import { Group } from "../../parts/group.tsx";
import style from "./range-bar.module.css";

interface RangeBarProps {
  readonly asked: RangeAsked;
  readonly range: Range;
  readonly step: string | null;
  readonly change: (asked: RangeAsked) => void;
}

const NAMES = Object.keys(SPANS).filter((name): name is Span => name in SPANS);

/** Which time is shown; by buttons, and by the keys `[`, `]`, `+` and `-`. */
export const RangeBar = ({ asked, range, step, change }: RangeBarProps) => {
  useEffect(() => {
    const pressed = ({ key, target }: KeyboardEvent) => {
      if (
        keys.get() === "off" ||
        (target instanceof HTMLElement && target.closest("input, textarea, select"))
      )
        return;
      const now = serverClock.now();
      if (key === "[") change(shifted(range, -0.5, now));
      else if (key === "]") change(shifted(range, 0.5, now));
      else if (key === "+") change(zoomed(range, 0.5, now));
      else if (key === "-") change(zoomed(range, 2, now));
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [range, change]);
  const now = serverClock.now();
  const chosen = asked.from === undefined ? (asked.last ?? SPAN_USUAL) : null;
  return (
    <div className={style.bar}>
      <Group label="Time shown" className={style.spans}>
        {NAMES.map((name) => (
          <button
            key={name}
            type="button"
            className={style.span}
            aria-pressed={chosen === name}
            onClick={() => change({ last: name })}
          >
            {name}
          </button>
        ))}
      </Group>
      <Button kind="quiet" aria-label="Earlier" onClick={() => change(shifted(range, -0.5, now))}>
        ←
      </Button>
      <Button
        kind="quiet"
        aria-label="Later"
        disabled={range.isLive}
        onClick={() => change(shifted(range, 0.5, now))}
      >
        →
      </Button>
      <span className={style.words}>
        {range.isLive ? "live" : `${timeText(range.fromMs)} – ${timeText(range.toMs)}`}
        {step !== null && ` · ${step === "raw" ? "every reading" : `by ${step}`}`}
      </span>
    </div>
  );
};
