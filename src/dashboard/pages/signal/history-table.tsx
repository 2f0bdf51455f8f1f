import { useState } from "react";
import { zone } from "../../app/preferences.ts";
import { useTold } from "../../app/told-value.ts";
import { dbmText, timeText } from "../../app/words.ts";
import type { History } from "../../chart/history.ts";
import style from "./history-table.module.css";

/** More are read nowhere but in an export. */
const ROWS_MAX = 200;

/** What the chart shows, in words: the newest first; a gap is a row of its own. */
export const HistoryTable = ({ history: { seconds, mean, min, max, step } }: { history: History }) => {
  const [isOpen, setOpen] = useState(false);
  useTold(zone);
  const first = Math.max(0, seconds.length - ROWS_MAX);
  const isRaw = step === "raw";
  return (
    <details className={style.table} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>The newest as a table</summary>
      {isOpen && (
        <table aria-label="Strength over time">
          <thead>
            <tr>
              <th scope="col">Time</th>
              <th scope="col">{isRaw ? "Strength" : "Mean"}</th>
              {!isRaw && <th scope="col">Least to greatest</th>}
            </tr>
          </thead>
          <tbody>
            {seconds
              .slice(first)
              .map((second, n) => {
                const [value, low, high] = [mean, min, max].map((column) => column[first + n] ?? null);
                return (
                  <tr key={`${second} ${value}`}>
                    <td>{timeText(second * 1_000)}</td>
                    <td>{value === null || value === undefined ? "no readings" : dbmText(value)}</td>
                    {!isRaw && <td>{`${dbmText(low ?? null)} to ${dbmText(high ?? null)}`}</td>}
                  </tr>
                );
              })
              .reverse()}
          </tbody>
        </table>
      )}
    </details>
  );
};
