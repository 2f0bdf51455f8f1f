import { codeOf, reasonOf } from "./failures.ts";
import type { PostgresAccess } from "./options.ts";
import { PostgresStartError, type PostgresStartProblem } from "./start-error.ts";

interface Case {
  readonly problem: PostgresStartProblem;
  /** Of `code words`, as the server, `pg` and Node say them. */
  readonly pattern: RegExp;
  readonly what: (at: Place) => string;
  readonly remedy: string;
}

interface Place {
  readonly where: string;
  readonly user: string;
  readonly database: string;
}

const placeOf = ({ url }: PostgresAccess): Place => {
  const { host, username, pathname } = new URL(url);
  const user = decodeURIComponent(username);
  return { where: host, user, database: decodeURIComponent(pathname.slice(1)) || user };
};

/** The first that fits. */
const CASES: readonly Case[] = [
  {
    problem: "postgres_credentials_refused",
    pattern: /^28|password must be a string|no password/i,
    what: ({ where, user }) => `PostgreSQL at ${where} refuses the user "${user}"`,
    remedy: "Check the user and the password in DATABASE_URL, and the server's pg_hba.conf.",
  },
  {
    problem: "postgres_database_unknown",
    pattern: /^3D000/,
    what: ({ where, database }) => `PostgreSQL at ${where} has no database "${database}"`,
    remedy: "Create it, or name another one in DATABASE_URL.",
  },
  {
    problem: "postgres_not_authorised",
    pattern: /^42501/,
    what: ({ where, user }) =>
      `PostgreSQL at ${where} does not let the user "${user}" do what the service needs`,
    remedy: "Give it CREATE on its schema: it makes its own tables there.",
  },
  {
    problem: "postgres_tls_failed",
    pattern: /SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME|does not support SSL|ERR_SSL|EPROTO|before secure TLS/,
    what: ({ where }) => `TLS with PostgreSQL at ${where} fails`,
    remedy: "Check DATABASE_CA_FILE and sslmode in DATABASE_URL, and that the certificate names this host.",
  },
  {
    problem: "postgres_unreachable",
    pattern: /ENOTFOUND|EAI_AGAIN/,
    what: ({ where }) => `There is no host of that name: PostgreSQL at ${where}`,
    remedy: "Check DATABASE_URL.",
  },
  {
    problem: "postgres_unreachable",
    pattern: /./,
    what: ({ where }) => `PostgreSQL at ${where} cannot be reached`,
    remedy: "Check DATABASE_URL, that the server runs, and the network between.",
  },
];

/** What kept control data from being opened, where, and what to do about it; a mistake of this program stays what it is. */
export const startFailure = (access: PostgresAccess, error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const words = `${codeOf(error)} ${error.message}`;
  const found = CASES.find(({ pattern }) => pattern.test(words));
  const known = found !== undefined && (found !== CASES.at(-1) || reasonOf(error) !== null);
  if (!known) return error;
  const said = error.message.replace(/\.$/, "") || codeOf(error);
  const message = `${found.what(placeOf(access))}: ${said}.\n${found.remedy}`;
  return new PostgresStartError(found.problem, message, { cause: error });
};
