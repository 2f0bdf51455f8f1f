import { useQuery } from "@tanstack/react-query";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Alert } from "../../api/types.ts";
import { dbmText } from "../../app/words.ts";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Scrolled } from "../../parts/scrolled.tsx";
import { Soon } from "../../parts/soon.tsx";
import { Time } from "../../parts/time.tsx";
import { Told } from "../../parts/told.tsx";
import style from "./alert.module.css";
import { why } from "./why-query.ts";

/** The newest that led there. */
const READINGS = 12;
const OUTCOMES = { ok: "", pending: "waits", fires: "fires" } as const;

/** What led to an alert: the rule, what it was compared with, timers, gaps and silences, and the last readings. */
export const Why = ({ alert }: { alert: Alert }) => {
  const found = useQuery(why(alert));
  const { data } = found;
  const problem = standsInTheWay(found);
  if (problem !== null) return <Problem error={problem} retry={() => void found.refetch()} />;
  if (data === undefined) return <Soon lines={5} />;
  const readings = data.readings.slice(-READINGS);
  return (
    <>
      <NotRenewed of={found} />
      <p className={style.summary}>
        <Told text={data.summary} />
      </p>
      <ol className={style.steps}>
        {data.steps.map(({ kind, at: when, text }) => (
          <li key={`${kind} ${when} ${text}`}>
            {when !== null && <Time at={Date.parse(when)} />}
            <span>
              <Told text={text} />
            </span>
          </li>
        ))}
      </ol>
      {readings.length > 0 && (
        <details>
          <summary>The last {readings.length} readings</summary>
          <Scrolled label="The last readings">
            <table className={style.readings}>
              <thead>
                <tr>
                  <th scope="col">At</th>
                  <th scope="col">Strength</th>
                  <th scope="col">For the rule</th>
                </tr>
              </thead>
              <tbody>
                {readings.map(({ at: when, strength, outcome, text }) => (
                  <tr key={when} data-outcome={outcome}>
                    <td>
                      <Time at={Date.parse(when)} />
                    </td>
                    <td>{dbmText(strength)}</td>
                    <td>
                      {OUTCOMES[outcome]} {text}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scrolled>
        </details>
      )}
    </>
  );
};
