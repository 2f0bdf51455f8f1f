import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";

/** Replicas that share tables. */
export interface ClusterOfReplicas {
  readonly name: string;
  readonly replicas: number;
}

/** A way to a ClickHouse engine, and what differs between engines. */
export interface ClickHouseTransport {
  /** As people know it; never with a password. */
  readonly name: string;
  readonly database: string;
  /** Over which tables are replicated; not given: there is one server. */
  readonly cluster?: ClusterOfReplicas;
  readonly connection: {
    readonly url: string;
    readonly pathname?: string;
    readonly username?: string;
    readonly password?: string;
    readonly http_agent?: HttpAgent | HttpsAgent;
    /** Of the bodies of inserts. */
    readonly compression?: { readonly request: { readonly codec: "zstd"; readonly level: number } };
    readonly tls?: { readonly ca_cert: Buffer };
  };
  /** For how long a request is tried again while the engine cannot be reached. */
  readonly retryForMs: number;
  /** What is known to be wrong with the engine right now. */
  fault(): string | null;
  /** Told of every request that succeeds. */
  answered?(): void;
  /** When it last answered anything (monotonic ms); null: not known. */
  answeredAt?(): number | null;
  close(): Promise<void>;
}
