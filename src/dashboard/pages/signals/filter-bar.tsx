import { useEffect, useRef, useState } from "react";
import type { SignalFilter, SignalStatus } from "../../api/queries.ts";
import { Echoes } from "./echoes.ts";
import { without } from "./filter.ts";
import style from "./filter-bar.module.css";
import { LabelFilter } from "./label-filter.tsx";
import { SourceFilter } from "./source-filter.tsx";

const STATUSES: readonly (SignalStatus | "all")[] = ["all", "failed", "active", "paused"];
const TYPING_MS = 200;

const withLabels = (filter: SignalFilter, label: readonly string[]): SignalFilter =>
  label.length === 0 ? without(filter, "label") : { ...filter, label };

interface FilterProps {
  readonly filter: SignalFilter;
  /** By what it is by then: something else of it may be on its way. */
  readonly change: (next: (now: SignalFilter) => SignalFilter) => void;
}

export const FilterBar = ({ filter, change }: FilterProps) => {
  const shown = filter.q ?? "";
  const [text, setText] = useState(shown);
  const [echoes] = useState(() => new Echoes(shown));
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => {
    if (echoes.isForeign(shown)) setText(shown);
  }, [shown, echoes]);
  useEffect(() => {
    if (text === echoes.latest) return;
    const timer = setTimeout(() => {
      echoes.send(text);
      latest.current((now) => (text === "" ? without(now, "q") : { ...now, q: text }));
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, echoes]);
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
              onChange={() =>
                change((now) => (one === "all" ? without(now, "status") : { ...now, status: one }))
              }
            />
            {one}
          </label>
        ))}
      </fieldset>
      <LabelFilter
        labels={filter.label ?? []}
        add={(label) => change((now) => withLabels(now, [...new Set([...(now.label ?? []), label])]))}
        remove={(label) =>
          change((now) =>
            withLabels(
              now,
              (now.label ?? []).filter((one) => one !== label),
            ),
          )
        }
      />
      {filter.source !== undefined && (
        <SourceFilter id={filter.source} remove={() => change((now) => without(now, "source"))} />
      )}
    </search>
  );
};
