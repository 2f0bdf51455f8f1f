import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type AuditFilter, auditLog } from "../../api/settings-queries.ts";
import type { AuditEntry } from "../../api/types.ts";
import { buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, inputClass } from "../../parts/field.tsx";
import { More } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Scrolled } from "../../parts/scrolled.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import style from "./forms.module.css";

/** The first words of actions: all that is done to one kind of thing. */
export const THINGS = [
  "signal",
  "source",
  "rule",
  "silence",
  "alert",
  "alert_mails",
  "webhook",
  "api_key",
  "oauth_client",
  "oauth_grant",
  "account",
  "member",
  "invitation",
  "access_request",
] as const;

const valueText = (value: unknown): string =>
  value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value);

/** What was before and is after, field by field. */
export const Changed = ({ before, after }: Pick<AuditEntry, "before" | "after">) => {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return null;
  return (
    <details>
      <summary>{names.slice(0, 4).join(", ")}</summary>
      <dl>
        {names.map((name) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <bdi>
                {before !== null && <del>{valueText(before[name])}</del>}{" "}
                {after !== null && valueText(after[name])}
              </bdi>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
};

const Entry = ({ entry }: { entry: AuditEntry }) => {
  const { at, action, actor, target, from, before, after } = entry;
  return (
    <tr>
      <td>
        <Time at={Date.parse(at)} />
      </td>
      <td>
        <code>{action}</code>
      </td>
      <td>
        <bdi>{actor.name === "" ? actor.kind : actor.name}</bdi>
        <br />
        <small>{from.address}</small>
      </td>
      <td>
        {target !== null && <bdi>{target.name === "" ? target.id : target.name}</bdi>}
        <Changed before={before} after={after} />
      </td>
    </tr>
  );
};

const csvPath = (filter: AuditFilter): string => {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
  return `/v1/audit-log.csv${query.size === 0 ? "" : `?${query}`}`;
};

export const AuditLog = () => {
  const filter = useSearch({ from: "/settings/audit-log" });
  const navigate = useNavigate({ from: "/settings/audit-log" });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    auditLog(filter),
  );
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <Page
      title="Audit log"
      actions={
        <a className={buttonClass("second")} href={csvPath(filter)} download>
          Download as CSV
        </a>
      }
    >
      <search className={style.filter}>
        <Field label="About">
          {(input) => (
            <select
              {...input}
              className={inputClass}
              value={filter.action ?? ""}
              onChange={({ target }) =>
                void navigate({ search: target.value === "" ? {} : { action: target.value }, replace: true })
              }
            >
              <option value="">everything</option>
              {THINGS.map((thing) => (
                <option key={thing} value={thing}>
                  {thing.replaceAll("_", " ")}
                </option>
              ))}
            </select>
          )}
        </Field>
      </search>
      <Waiting lines={8} of={{ data, error, refetch }} />
      {data !== undefined && entries.length === 0 && <Empty>Nothing of this kind was done yet.</Empty>}
      {entries.length > 0 && (
        <Scrolled label="What was done">
          <table className={`${style.table} ${style.wide}`}>
            <thead>
              <tr>
                <th scope="col">At</th>
                <th scope="col">What</th>
                <th scope="col">Who, from where</th>
                <th scope="col">To what</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        </Scrolled>
      )}
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </Page>
  );
};
