import { Readable } from "node:stream";
import { stringify } from "csv-stringify/sync";
import { AuditAnswer, type AuditEntry, AuditFilter, AuditQuery } from "../../../schemas/audit.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { KeptNote } from "../../ports/audit.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";

const CSV_PAGE = 500;
const COLUMNS = [
  "at",
  "action",
  "actorKind",
  "actorId",
  "actorName",
  "targetId",
  "targetName",
  "before",
  "after",
  "address",
  "userAgent",
  "requestId",
  "id",
];

export const auditEntry = (kept: KeptNote): AuditEntry => ({
  id: kept.id,
  at: timestamp(kept.at),
  action: kept.action,
  actor: kept.actor,
  target: kept.target,
  from: kept.origin,
  before: kept.before,
  after: kept.after,
});

const json = (fields: object | null): string => (fields === null ? "" : JSON.stringify(fields));
const cellsOf = ({ id, at, action, actor, target, origin, before, after }: KeptNote) => [
  timestamp(at),
  action,
  actor.kind,
  actor.id,
  actor.name,
  target?.id,
  target?.name,
  json(before),
  json(after),
  origin.address,
  origin.userAgent,
  origin.requestId,
  id,
];
/** RFC 4180. What a spreadsheet would take for a formula is marked as text. */
const lines = (rows: readonly (readonly unknown[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { record_delimiter: "windows", escape_formulas: true },
  );

/** Who has changed what in the account. */
export const auditRoutes = (app: App, { control: { audit } }: Parts): void => {
  const config = { access: "admin" } as const;

  app.get(
    "/v1/audit-log",
    { config, schema: { querystring: AuditQuery, response: answers({ 200: AuditAnswer }) } },
    async (request) => {
      const { accountId } = callerOf(request);
      const page = await audit.list({ accountId }, request.query);
      return { entries: page.items.map(auditEntry), nextCursor: page.next };
    },
  );

  /** A page at a time, as fast as it is taken. */
  const csv = async function* (accountId: AccountId, filter: AuditFilter): AsyncGenerator<string> {
    yield lines([COLUMNS]);
    let cursor: string | undefined;
    do {
      const page = await audit.list({ accountId }, { ...filter, limit: CSV_PAGE, cursor });
      if (page.items.length > 0) yield lines(page.items.map(cellsOf));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  };

  app.get("/v1/audit-log.csv", { config, schema: { querystring: AuditFilter } }, (request, reply) => {
    const { accountId } = callerOf(request);
    return reply
      .type("text/csv; charset=utf-8; header=present")
      .header("Content-Disposition", 'attachment; filename="audit-log.csv"')
      .send(Readable.from(csv(accountId, request.query)));
  });
};
