import { useQuery } from "@tanstack/react-query";
import { signal } from "../../api/queries.ts";
import { live } from "../../app/live.ts";
import { ageText, dbmText, qualityText } from "../../app/words.ts";
import { StatusMark } from "../../parts/status.tsx";
import style from "./wall.module.css";

const STATUSES = ["active", "failed", "paused"] as const;
const BESIDE_PX = 14;
const WIDTH_PX = 320;

/** What a cell stands for. */
export const WallTip = ({ place, x, y }: { place: number; x: number; y: number }) => {
  const id = live.ids[place] ?? "";
  const { data } = useQuery({ ...signal(id), enabled: id !== "", staleTime: 60_000 });
  const { view } = live;
  const left = Math.max(4, Math.min(x + BESIDE_PX, window.innerWidth - WIDTH_PX));
  return (
    <div className={style.tip} style={{ left, top: y + BESIDE_PX }}>
      <strong>
        <bdi>{data?.name ?? id}</bdi>
      </strong>
      <br />
      <StatusMark status={STATUSES[view.status[place] ?? 0] ?? "active"} /> ·{" "}
      {dbmText(view.strength[place] ?? null)} · {qualityText(view.quality[place] ?? null)} ·{" "}
      {ageText(view.at[place] ?? 0)}
    </div>
  );
};
