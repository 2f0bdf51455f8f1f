import { Link } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import type { Signal } from "../../api/types.ts";
import { live, useLiveAges, useLiveValue } from "../../app/live.ts";
import { ageText, dbmText, qualityText } from "../../app/words.ts";
import { writeText } from "../../app/write-text.ts";
import { NEVER_MS } from "../../live/messages.ts";
import { STATUSES } from "../../live/worst-first.ts";
import { StatusMark } from "../../parts/status.tsx";
import style from "./signal-table.module.css";
import { Sparkline } from "./sparkline.tsx";

export type SignalShown = Pick<
  Signal,
  "id" | "name" | "status" | "strength" | "quality" | "lastReadingAt" | "floorDbm" | "ceilingDbm"
>;

/** A row whose figures follow what comes, and its age the time, past React. */
export const SignalRow = ({ signal, index, top }: { signal: SignalShown; index: number; top: number }) => {
  const strength = useRef<HTMLDivElement>(null);
  const quality = useRef<HTMLDivElement>(null);
  const age = useRef<HTMLDivElement>(null);
  const { id, lastReadingAt } = signal;
  const draw = useCallback(() => {
    const place = live.placeOf(id);
    const { view } = live;
    const has = place !== null && view.at[place] !== NEVER_MS;
    writeText(strength.current, dbmText(has ? (view.strength[place] ?? null) : signal.strength));
    writeText(quality.current, qualityText(has ? (view.quality[place] ?? null) : signal.quality));
    const at = has ? view.at[place] : lastReadingAt === null ? undefined : Date.parse(lastReadingAt);
    writeText(age.current, at === undefined ? "never" : ageText(at));
  }, [id, lastReadingAt, signal.strength, signal.quality]);
  useLiveAges(draw);
  const status = useLiveValue(
    () => STATUSES[live.view.status[live.placeOf(id) ?? -1] ?? -1] ?? signal.status,
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: rows that are far away are not there
    <div
      role="row"
      data-row=""
      tabIndex={-1}
      aria-rowindex={index + 2}
      className={`${style.row} ${style.signal}`}
      style={{ transform: `translateY(${top}px)` }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={style.name}>
        <Link to="/signals/$id" params={{ id }}>
          <bdi>{signal.name}</bdi>
        </Link>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell">
        <StatusMark status={status} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={style.figure} ref={strength} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={style.figure} ref={quality} />
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell">
        <Sparkline id={id} floorDbm={signal.floorDbm} ceilingDbm={signal.ceilingDbm} />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="cell" className={style.figure} ref={age} />
    </div>
  );
};
