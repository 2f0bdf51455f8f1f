import type { ControlTables } from "./tables.ts";

export type ColumnKind = "text" | "number" | "bytes";
interface CarriedTable<Row> {
  readonly key: readonly (keyof Row & string)[];
  readonly columns: { readonly [Column in keyof Row]: ColumnKind };
}

/** What speaks of one log, of this very database or of a moment, or is kept by the engine: another one begins without. */
type Left =
  | "outbox"
  | "outbox_counter"
  | "record_progress"
  | "source_run"
  | "snapshot_head"
  | "snapshot_seal"
  | "snapshot_bucket"
  | "attempt_count"
  | "challenge"
  | "idempotency_key"
  | "mail"
  | "oauth_grant"
  | "oauth_record"
  | "session"
  | "signal_search"
  | "stream_ticket"
  | "webhook_sender";
type Carried = Exclude<keyof ControlTables, Left>;

/** Every table of control data that belongs to people, in an order in which references hold. */
export const CARRIED_TABLES: { readonly [Table in Carried]: CarriedTable<ControlTables[Table]> } = {
  account: {
    key: ["id"],
    columns: {
      id: "text",
      name: "text",
      second_factor_required: "number",
      revision: "number",
      created_at: "number",
    },
  },
  person: {
    key: ["id"],
    columns: {
      id: "text",
      email: "text",
      password: "text",
      totp: "bytes",
      totp_confirmed_at: "number",
      totp_step: "number",
      created_at: "number",
    },
  },
  membership: {
    key: ["account_id", "person_id"],
    columns: {
      account_id: "text",
      person_id: "text",
      role: "text",
      revision: "number",
      suspended_at: "number",
      created_at: "number",
    },
  },
  recovery_code: {
    key: ["person_id", "hash"],
    columns: { person_id: "text", hash: "bytes", used_at: "number" },
  },
  outside_identity: {
    key: ["issuer", "subject"],
    columns: { issuer: "text", subject: "text", person_id: "text", created_at: "number" },
  },
  access_request: {
    key: ["id"],
    columns: {
      id: "text",
      email: "text",
      use_case: "text",
      state: "text",
      note: "text",
      created_at: "number",
      decided_at: "number",
      reminded_at: "number",
    },
  },
  invitation: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      email: "text",
      role: "text",
      access_request_id: "text",
      mail_id: "text",
      sent_at: "number",
      expires_at: "number",
      verified_at: "number",
      accepted_at: "number",
      revoked_at: "number",
      created_at: "number",
    },
  },
  link: {
    key: ["hash"],
    columns: {
      hash: "bytes",
      purpose: "text",
      subject: "text",
      content: "bytes",
      expires_at: "number",
      used_at: "number",
    },
  },
  oauth_client: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      revision: "number",
      settings: "text",
      secret: "bytes",
      person_id: "text",
      created_at: "number",
      updated_at: "number",
    },
  },
  fact: { key: ["name"], columns: { name: "text", value: "text" } },
  api_key: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      person_id: "text",
      name: "text",
      prefix: "text",
      hash: "bytes",
      scopes: "text",
      created_at: "number",
      expires_at: "number",
      last_used_at: "number",
    },
  },
  source: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      revision: "number",
      settings: "text",
      secrets: "bytes",
      created_at: "number",
      updated_at: "number",
    },
  },
  source_status: {
    key: ["source_id"],
    columns: {
      source_id: "text",
      state: "text",
      state_reason: "text",
      last_message_at: "number",
      messages: "number",
      readings: "number",
      skipped: "number",
      rejected: "number",
      reconnects: "number",
    },
  },
  source_position: { key: ["source_id"], columns: { source_id: "text", position: "text" } },
  source_rejection: {
    key: ["source_id", "number"],
    columns: { source_id: "text", number: "number", rejection: "text" },
  },
  rule: {
    key: ["id"],
    columns: { id: "text", account_id: "text", revision: "number", rule: "text" },
  },
  rule_version: {
    key: ["rule_id", "revision"],
    columns: { rule_id: "text", revision: "number", since: "number", rule: "text" },
  },
  silence: {
    key: ["id"],
    columns: { id: "text", account_id: "text", revision: "number", until_at: "number", silence: "text" },
  },
  alert: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      signal_id: "text",
      rule_id: "text",
      severity: "text",
      state: "text",
      fired_at: "number",
      resolved_at: "number",
      sequence: "number",
      alert: "text",
      acknowledged: "text",
    },
  },
  signal: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      revision: "number",
      name: "text",
      external_id: "text",
      search: "text",
      labels: "text",
      threshold: "number",
      floor_dbm: "number",
      ceiling_dbm: "number",
      hysteresis: "number",
      no_data_after_seconds: "number",
      paused: "number",
      source_id: "text",
      status: "text",
      created_at: "number",
      updated_at: "number",
    },
  },
  signal_label: {
    key: ["signal_id", "key"],
    columns: { signal_id: "text", account_id: "text", key: "text", value: "text" },
  },
  signal_state: {
    key: ["signal_id"],
    columns: { signal_id: "text", status: "text", reasons: "text", sequence: "number" },
  },
  signal_tombstone: {
    key: ["signal_id"],
    columns: { signal_id: "text", account_id: "text", revision: "number", expires_at: "number" },
  },
  webhook: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      revision: "number",
      settings: "text",
      secrets: "bytes",
      disabled_reason: "text",
      created_at: "number",
      updated_at: "number",
    },
  },
  webhook_lane: {
    key: ["webhook_id"],
    columns: {
      webhook_id: "text",
      enabled: "number",
      owner: "text",
      fence: "number",
      lease_until: "number",
      failures_in_row: "number",
      failing_since: "number",
      open_until: "number",
    },
  },
  webhook_notice: { key: ["id"], columns: { id: "text", account_id: "text", event: "text" } },
  webhook_event: {
    key: ["id"],
    columns: { id: "text", position: "number", kind: "text", signal_id: "text", body: "text" },
  },
  delivery: {
    key: ["id"],
    columns: {
      id: "text",
      webhook_id: "text",
      event_id: "text",
      position: "number",
      kind: "text",
      signal_id: "text",
      status: "text",
      attempts: "number",
      attempts_before: "number",
      next_attempt_at: "number",
      created_at: "number",
    },
  },
  delivery_attempt: {
    key: ["delivery_id", "number"],
    columns: {
      delivery_id: "text",
      number: "number",
      at: "number",
      duration_ms: "number",
      status: "number",
      failure: "text",
      detail: "text",
      response_body: "text",
    },
  },
  webhook_group: {
    key: ["id"],
    columns: {
      id: "text",
      webhook_id: "text",
      account_id: "text",
      source_id: "text",
      started_at: "number",
      due_at: "number",
      is_formed: "number",
      signals: "number",
      failing: "number",
      beyond: "number",
      told: "number",
      told_at: "number",
      position: "number",
    },
  },
  webhook_group_signal: {
    key: ["group_id", "signal_id"],
    columns: {
      group_id: "text",
      signal_id: "text",
      name: "text",
      external_id: "text",
      open: "text",
      failing: "number",
      news: "text",
      severity: "text",
      event_id: "text",
      since: "number",
      sequence: "number",
    },
  },
  webhook_held: {
    key: ["delivery_id"],
    columns: { delivery_id: "text", group_id: "text", is_told: "number" },
  },
  audit_entry: {
    key: ["id"],
    columns: {
      id: "text",
      account_id: "text",
      person_id: "text",
      action: "text",
      actor_kind: "text",
      actor_id: "text",
      actor_name: "text",
      target_id: "text",
      target_name: "text",
      address: "text",
      user_agent: "text",
      request_id: "text",
      before: "text",
      after: "text",
    },
  },
  alert_mail_box: {
    key: ["account_id", "recipient"],
    columns: {
      account_id: "text",
      recipient: "text",
      due_at: "number",
      told_at: "number",
      followed: "number",
      beyond: "text",
    },
  },
  alert_mail_alert: {
    key: ["account_id", "recipient", "alert_id"],
    columns: {
      account_id: "text",
      recipient: "text",
      alert_id: "text",
      rule_id: "text",
      rule_name: "text",
      state: "text",
      rank: "number",
      sequence: "number",
      news: "number",
      content: "text",
      mail_id: "text",
      updated_at: "number",
    },
  },
  alert_mail_spent: { key: ["name"], columns: { name: "text", until: "number" } },
  alert_mail_stop: {
    key: ["account_id", "recipient", "scope"],
    columns: { account_id: "text", recipient: "text", scope: "text", stopped_at: "number" },
  },
  signal_count: { key: ["account_id"], columns: { account_id: "text", signals: "number" } },
};

/** As above, its names no longer told apart. */
export interface AnyCarriedTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly (readonly [name: string, kind: ColumnKind])[];
}

export const carriedTables: readonly AnyCarriedTable[] = Object.entries(CARRIED_TABLES).map(
  ([name, { key, columns }]) => ({ name, key, columns: Object.entries(columns) }),
);

/** Throws RangeError for what is none. */
export const carriedTable = (name: string): AnyCarriedTable => {
  const found = carriedTables.find((table) => table.name === name);
  if (found === undefined) throw new RangeError(`no table of control data: ${name}`);
  return found;
};
