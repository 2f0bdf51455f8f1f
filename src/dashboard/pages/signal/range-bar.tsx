import { useEffect } from "react";
import { serverClock } from "../../api/server-clock.ts";
import { keys, zone } from "../../app/preferences.ts";
import { useTold } from "../../app/told-value.ts";
import { isTyping } from "../../app/typing.ts";
import { timeText } from "../../app/words.ts";
import { type Range, type RangeAsked, SPAN_NAMES, SPAN_USUAL, shifted, zoomed } from "../../chart/range.ts";
import { Button } from "../../parts/button.tsx";
import { Group } from "../../parts/group.tsx";
import style from "./range-bar.module.css";

interface RangeBarProps {
  readonly asked: RangeAsked;
  readonly range: Range;
  readonly step: string | null;
  readonly change: (asked: RangeAsked) => void;
}

/** Keys that mean themselves where they are typed, and those that the browser is asked for something with. */
const isElsewhere = (event: KeyboardEvent): boolean => {
  const { ctrlKey, metaKey, altKey } = event;
  // Some keyboards have brackets only with AltGr, which counts as Ctrl and Alt.
  if ((ctrlKey || metaKey || altKey) && !event.getModifierState("AltGraph")) return true;
  return isTyping(event);
};

/** Which time is shown; by buttons, and by the keys `[`, `]`, `+` and `-`. */
export const RangeBar = ({ asked, range, step, change }: RangeBarProps) => {
  useTold(zone);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (keys.get() === "off" || isElsewhere(event)) return;
      const { key } = event;
      const now = serverClock.now();
      if (key === "[") change(shifted(range, -0.5, now));
      else if (key === "]") change(shifted(range, 0.5, now));
      else if (key === "+") change(zoomed(range, 0.5, now));
      else if (key === "-") change(zoomed(range, 2, now));
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [range, change]);
  const chosen = asked.from === undefined ? (asked.last ?? SPAN_USUAL) : null;
  const isNamed = SPAN_NAMES.some((name) => name === chosen);
  const ends = `${timeText(range.fromMs)} – ${range.isLive ? "now" : timeText(range.toMs)}`;
  return (
    <div className={style.bar}>
      <Group label="Time shown" className={style.spans}>
        {SPAN_NAMES.map((name) => (
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
      <Button
        kind="quiet"
        aria-label="Earlier"
        onClick={() => change(shifted(range, -0.5, serverClock.now()))}
      >
        ←
      </Button>
      <Button
        kind="quiet"
        aria-label="Later"
        disabled={range.isLive}
        onClick={() => change(shifted(range, 0.5, serverClock.now()))}
      >
        →
      </Button>
      <span className={style.words}>
        {isNamed ? "live" : ends}
        {range.isLive && !isNamed && ", live"}
        {step !== null && ` · ${step === "raw" ? "every reading" : `by ${step}`}`}
      </span>
    </div>
  );
};
