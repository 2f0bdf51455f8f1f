import { useQuery } from "@tanstack/react-query";
import { status } from "../../api/queries.ts";
import { numberText } from "../../app/words.ts";
import { Age } from "../../parts/age.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { CHANGES } from "./changes.ts";
import style from "./forms.module.css";
import { lagText, stageText } from "./stage-text.ts";

const rate = (perSecond: number | null): string =>
  perSecond === null ? "in another process" : `${numberText(Math.round(perSecond))} /s`;

/** Which version runs, what it brought, and how it goes. */
export const Versions = () => {
  const { data, error, refetch } = useQuery(status);
  return (
    <Page title="Versions">
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data !== undefined && (
        <div className={style.blocks}>
          <List label="This service">
            <Item
              title={`Signal Optimization Service ${data.version}`}
              under={
                <>
                  started <Time at={Date.parse(data.startedAt)} />, <Age at={Date.parse(data.startedAt)} />{" "}
                  ago
                </>
              }
            />
            <Item title="API v1" under={<a href="/docs">Its documentation</a>} />
          </List>
          {CHANGES.map(({ version, brought }) => (
            <section key={version} aria-labelledby={`changes-${version}`}>
              <h2 id={`changes-${version}`}>What {version} brought</h2>
              <ul>
                {brought.map((change) => (
                  <li key={change}>{change}</li>
                ))}
              </ul>
            </section>
          ))}
          <section aria-label="How it goes">
            <h2>How it goes</h2>
            <table className={style.table}>
              <tbody>
                {data.rates !== null && (
                  <>
                    <tr>
                      <th scope="row">Readings accepted</th>
                      <td>{rate(data.rates.readingsPerSecond.accepted)}</td>
                    </tr>
                    <tr>
                      <th scope="row">Readings evaluated</th>
                      <td>{rate(data.rates.readingsPerSecond.evaluated)}</td>
                    </tr>
                    <tr>
                      <th scope="row">Readings stored</th>
                      <td>{rate(data.rates.readingsPerSecond.stored)}</td>
                    </tr>
                  </>
                )}
                {data.stages.map((one) => (
                  <tr key={stageText(one)}>
                    <th scope="row">{stageText(one)}</th>
                    <td>{lagText(one)}</td>
                  </tr>
                ))}
                <tr>
                  <th scope="row">Live connections</th>
                  <td>{numberText(data.streamClients)}</td>
                </tr>
              </tbody>
            </table>
          </section>
        </div>
      )}
    </Page>
  );
};
