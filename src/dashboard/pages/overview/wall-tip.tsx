import { useQuery } from "@tanstack/react-query";
import { createPortal } from "react-dom";
import { signal } from "../../api/queries.ts";
import { live, useLiveValue } from "../../app/live.ts";
import { useRested } from "../../app/rested.ts";
import { ageText, dbmText, qualityText } from "../../app/words.ts";
import { NOTHING } from "../../live/live-store.ts";
import { NEVER_MS } from "../../live/messages.ts";
import { STATUSES } from "../../live/worst-first.ts";
import { StatusMark } from "../../parts/status.tsx";
import style from "./wall.module.css";

const BESIDE_PX = 14;
const WIDTH_PX = 320;
/** Where the pointer is on the wall, and the place of the signal that is there. */
export interface Point {
  readonly place: number;
  readonly x: number;
  readonly y: number;
}

/** Cells that are only passed ask for nothing. */
const REST_MS = 150;

const figuresOf = (place: number): string => {
  const { strength, quality, at } = live.view;
  if (at[place] === NEVER_MS) return "no reading yet";
  return `${dbmText(strength[place] ?? null)} · ${qualityText(quality[place] ?? null)} · ${ageText(at[place] ?? 0)}`;
};

/** What a cell stands for, as it is now. */
export const WallTip = ({ place, x, y }: Point) => {
  const id = live.ids[place] ?? "";
  const isRested = useRested<string | null>(id, REST_MS, null) === id;
  const known = STATUSES[useLiveValue(() => live.view.status[place] ?? NOTHING)];
  const figures = useLiveValue(() => figuresOf(place));
  const isAsked = isRested && id !== "" && known !== undefined;
  const { data } = useQuery({ ...signal(id), enabled: isAsked, staleTime: 60_000 });
  const left = Math.max(4, Math.min(x + BESIDE_PX, window.innerWidth - WIDTH_PX));
  // In the page it would be placed by the page, which is greyed, and not by the window, while the connection is lost.
  return createPortal(
    <div className={style.tip} style={{ left, top: y + BESIDE_PX }}>
      <strong>
        <bdi>{data?.name ?? id}</bdi>
      </strong>
      <br />
      {known === undefined ? (
        "deleted"
      ) : (
        <>
          <StatusMark status={known} /> · {figures}
        </>
      )}
    </div>,
    document.body,
  );
};
