import { ClickHouseError } from "@clickhouse/client";
import { TimeSeriesParseError, TimeSeriesUnavailableError } from "../../ports/time-series.ts";
import { wordsOf } from "./fault-words.ts";
import { type ClickHouseAccess, placeOf } from "./server-transport.ts";
import { ClickHouseStartError, type ClickHouseStartProblem } from "./start-error.ts";
import { saidOf, systemCodeOf } from "./what-failed.ts";

interface Case {
  readonly problem: ClickHouseStartProblem;
  readonly what: (server: string, access: ClickHouseAccess) => string;
  readonly remedy: (access: ClickHouseAccess, code: string | null) => string;
}

const isTls = ({ url }: ClickHouseAccess): boolean => url.startsWith("https:");

const whereToLook = (access: ClickHouseAccess, code: string | null): string => {
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return "There is no host of that name: check CLICKHOUSE_URL.";
  const port = `its HTTP port is usually ${isTls(access) ? "8443 with TLS" : "8123"}`;
  const tls = isTls(access)
    ? ""
    : " If that port is for clients with TLS, begin CLICKHOUSE_URL with https://.";
  return `Check CLICKHOUSE_URL (${port}), that the server runs, and the network between.${tls}`;
};

const tlsRemedy = (_: ClickHouseAccess, code: string | null): string =>
  code === null || /^(?:EPROTO|ERR_SSL_|ERR_OSSL_)/.test(code)
    ? "Check that this port speaks TLS: without it CLICKHOUSE_URL begins with http://."
    : "Set CLICKHOUSE_CA_FILE to the authority that signed it, and name the server in CLICKHOUSE_URL as it does.";

const grants = ({ user, database, cluster }: ClickHouseAccess): string => {
  const onCluster = cluster === null ? "" : ` GRANT CLUSTER ON *.* TO ${user};`;
  return `Allow it: GRANT SELECT, INSERT, ALTER, CREATE ON ${database}.* TO ${user};${onCluster}`;
};

const FAILED: Case = {
  problem: "clickhouse_failed",
  what: (server) => `${server} cannot do what a start needs`,
  remedy: () => "See what it says, mend it, and start again.",
};

/** By the names of faults. */
const CASES: Readonly<Record<string, Case>> = {
  credentials_refused: {
    problem: "clickhouse_credentials_refused",
    what: (server, { user }) => `${server} refused the user "${user}"`,
    remedy: () => "Check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD.",
  },
  not_permitted: {
    problem: "clickhouse_not_permitted",
    what: (server, { user, database }) =>
      `${server} does not let the user "${user}" use the database "${database}" as the service needs`,
    remedy: grants,
  },
  tls_failed: {
    problem: "clickhouse_tls_failed",
    what: (server) => `TLS with ${server} fails, or its certificate is not accepted`,
    remedy: tlsRemedy,
  },
  unreachable: {
    problem: "clickhouse_unreachable",
    what: (server) => `${server} cannot be reached`,
    remedy: whereToLook,
  },
  not_clickhouse: {
    problem: "clickhouse_not_clickhouse",
    what: (server) => `What answers is no ClickHouse: ${server.replace("ClickHouse at ", "")}`,
    remedy: () =>
      "Check CLICKHOUSE_URL: it must lead to ClickHouse's HTTP interface, usually on port 8123 or 8443.",
  },
  setting_unknown: {
    problem: "clickhouse_too_old",
    what: (server) => `${server} does not know what the service needs`,
    remedy: () => "Update it.",
  },
};

/** What is only said when tables are made: another life of the database still holds their names in Keeper. */
const STILL_DROPPING: Case = {
  problem: "clickhouse_cluster_unsuitable",
  what: (server) => `Tables of these names are registered in the Keeper of ${server}, but not there`,
  remedy: ({ database }) =>
    `If the database was dropped a moment ago, wait 8 minutes; else SYSTEM DROP REPLICA what is left of ${database}.`,
};

const caseOf = (thrown: unknown): Case => {
  if (thrown instanceof ClickHouseError && thrown.code === "253") return STILL_DROPPING;
  return CASES[wordsOf(thrown).name] ?? FAILED;
};

/** What kept the time series from being opened, where, and what to do about it; other errors stay what they are. */
export const startFailure = (access: ClickHouseAccess, error: unknown): unknown => {
  if (!(error instanceof TimeSeriesUnavailableError || error instanceof TimeSeriesParseError)) return error;
  const thrown = error.cause ?? error;
  const { problem, what, remedy } = caseOf(thrown);
  const said = saidOf(thrown).replace(/\.$/, "");
  const code = systemCodeOf(thrown);
  const message = `${what(`ClickHouse at ${placeOf(access)}`, access)}: ${said}.\n${remedy(access, code)}`;
  return new ClickHouseStartError(problem, message, { cause: error });
};
