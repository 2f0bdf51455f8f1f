import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { SignalSort } from "../../api/queries.ts";
import { SignalRow, type SignalShown } from "./signal-row.tsx";
import style from "./signal-table.module.css";

const ROW_PX = 44;
const BEYOND = 10;
/** So many rows before the end the next page is asked for. */
const AHEAD = 50;

interface TableProps {
  readonly rows: readonly SignalShown[];
  readonly sort: SignalSort;
  readonly changeSort: (sort: SignalSort) => void;
  readonly hasMore: boolean;
  readonly more: () => void;
}

const ariaSort = (sort: SignalSort): "ascending" | "descending" | "none" =>
  sort === "name" ? "ascending" : sort === "-name" ? "descending" : "none";

export const SignalTable = ({ rows, sort, changeSort, hasMore, more }: TableProps) => {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => ROW_PX,
    overscan: BEYOND,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - AHEAD) more();
  }, [hasMore, last, rows.length, more]);
  return (
    // Rows that are far away are not there, which a table element has no way to say.
    // biome-ignore lint/a11y/useSemanticElements: see above
    <div
      role="table"
      aria-label="Signals"
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      className={style.table}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="row" tabIndex={-1} aria-rowindex={1} className={`${style.row} ${style.head}`}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        <div role="columnheader" tabIndex={-1} aria-sort={ariaSort(sort)}>
          <button
            type="button"
            className={style.sort}
            onClick={() => changeSort(sort === "name" ? "-name" : "name")}
          >
            Name <span aria-hidden="true">{sort === "name" ? "↑" : sort === "-name" ? "↓" : ""}</span>
          </button>
        </div>
        {["Status", "Strength", "Quality", "Last hour", "Age"].map((name) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            key={name}
            role="columnheader"
            tabIndex={-1}
            className={name === "Status" ? undefined : style.figure}
          >
            {name}
          </div>
        ))}
      </div>
      <div ref={body} className={style.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const signal = rows[index];
          return (
            signal !== undefined && (
              <SignalRow key={key} signal={signal} index={index} top={start - virtual.options.scrollMargin} />
            )
          );
        })}
      </div>
    </div>
  );
};
