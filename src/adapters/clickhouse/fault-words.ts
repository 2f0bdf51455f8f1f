import { ClickHouseError } from "@clickhouse/client";
import { type Failure, failureOf } from "./what-failed.ts";

interface Words {
  readonly name: string;
  /** What is wrong and what to do; null: what was said says it all. */
  readonly words: string | null;
}

interface Case extends Words {
  readonly codes: readonly number[];
}

/** ClickHouse's exception codes (src/Common/ErrorCodes.cpp) that somebody can do something about. */
const CASES: readonly Case[] = [
  {
    name: "credentials_refused",
    codes: [192, 193, 194, 195, 516],
    words: "it refuses the user: check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD",
  },
  {
    name: "not_permitted",
    codes: [164, 291, 452, 497],
    words: "the user may not do this: grant it what the message names",
  },
  {
    name: "disk_full",
    codes: [243],
    words: "its disk is full: make room, or let retention keep less (RETENTION_RAW_DAYS)",
  },
  {
    name: "out_of_memory",
    codes: [173, 241],
    words: "it is short of memory: give it more, or raise max_server_memory_usage",
  },
  {
    name: "merges_behind",
    codes: [252],
    words: "its merges do not keep up with what is inserted: give it more CPU or faster disks",
  },
  {
    name: "busy",
    codes: [159, 160, 202, 203, 394, 473],
    words: "it is too busy: look for what else it is asked",
  },
  {
    name: "replicas_missing",
    codes: [285, 286, 319],
    words: "most of its replicas must confirm an insert, and too few do: start those that are down",
  },
  {
    name: "keeper_lost",
    codes: [225, 242, 244, 999],
    words: "it has lost its Keeper, so its tables are read-only: look after Keeper",
  },
  {
    name: "tables_missing",
    codes: [60, 81],
    words: "its tables are gone: put them back from a copy",
  },
  {
    name: "schema_altered",
    codes: [8, 16, 47],
    words: "its tables are not as this program made them: undo what was altered",
  },
  { name: "setting_unknown", codes: [115], words: "it does not know a setting that is needed: update it" },
];
const BY_CODE = new Map(CASES.flatMap((each) => each.codes.map((code) => [String(code), each] as const)));

const WITHOUT_CODE: Readonly<Record<Exclude<Failure, "clickhouse">, Words>> = {
  untrusted: { name: "tls_failed", words: "its certificate is not accepted: check CLICKHOUSE_CA_FILE" },
  no_tls: { name: "tls_failed", words: "TLS with it fails" },
  unreachable: { name: "unreachable", words: "it cannot be reached" },
  not_clickhouse: { name: "not_clickhouse", words: "what answers is no ClickHouse" },
};

/** The name and the words of what a client threw. */
export const wordsOf = (error: unknown): Words => {
  if (error instanceof ClickHouseError) return BY_CODE.get(error.code) ?? { name: "failed", words: null };
  const failure = failureOf(error);
  return failure === "clickhouse" ? { name: "failed", words: null } : WITHOUT_CODE[failure];
};
