import { useEffect, useRef, useState } from "react";
import type { SignalFilter, SignalStatus } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import style from "./filter-bar.module.css";

const STATUSES: readonly (SignalStatus | "all")[] = ["all", "failed", "active", "paused"];
const TYPING_MS = 200;

const without = (filter: SignalFilter, name: keyof SignalFilter): SignalFilter =>
  Object.fromEntries(Object.entries(filter).filter(([one]) => one !== name));

export const FilterBar = ({
  filter,
  change,
}: {
  filter: SignalFilter;
  change: (next: SignalFilter) => void;
}) => {
  const [text, setText] = useState(filter.q ?? "");
  const latest = useRef({ filter, change });
  latest.current = { filter, change };
  useEffect(() => setText(filter.q ?? ""), [filter.q]);
  useEffect(() => {
    const { filter: now, change: to } = latest.current;
    if (text === (now.q ?? "")) return;
    const timer = setTimeout(() => to(text === "" ? without(now, "q") : { ...now, q: text }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search className={style.bar}>
      <input
        type="search"
        className={style.text}
        aria-label="Search by name or id"
        placeholder="Search by name or id"
        maxLength={200}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <fieldset className={style.statuses}>
        <legend className="only-heard">Status</legend>
        {STATUSES.map((one) => (
          <label key={one} className={style.status}>
            <input
              type="radio"
              name="status"
              checked={(filter.status ?? "all") === one}
              onChange={() => change(one === "all" ? without(filter, "status") : { ...filter, status: one })}
            />
            {one}
          </label>
        ))}
      </fieldset>
      {filter.label?.map((pair) => (
        <Button
          key={pair}
          aria-label={`Do not filter by label ${pair}`}
          onClick={() => {
            const label = filter.label?.filter((one) => one !== pair) ?? [];
            change(label.length === 0 ? without(filter, "label") : { ...filter, label });
          }}
        >
          {pair} <span aria-hidden="true">✕</span>
        </Button>
      ))}
    </search>
  );
};
