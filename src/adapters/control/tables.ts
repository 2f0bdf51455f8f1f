import type { ColumnType, Selectable } from "kysely";
import type { ActorKind, AuditAction } from "../../../schemas/audit.ts";
import type {
  AccessRequestId,
  AccountId,
  AlertId,
  ApiKeyId,
  AuditEntryId,
  DeliveryId,
  EventId,
  GroupId,
  InvitationId,
  MailId,
  OAuthClientId,
  OAuthGrantId,
  PersonId,
  RuleId,
  SessionId,
  SignalId,
  SilenceId,
  SourceId,
  WebhookId,
} from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import type { Email } from "../../../schemas/email.ts";
import type { EventKind } from "../../../schemas/event.ts";
import type { Role } from "../../../schemas/role.ts";
import type { SignalStatus } from "../../../schemas/signal.ts";
import type { SourceState } from "../../../schemas/source.ts";
import type { DeliveryStatus } from "../../../schemas/webhook.ts";
import type { FollowedAlert } from "../../domain/alert-mails/box.ts";
import type { StopScope } from "../../domain/alert-mails/stop.ts";
import type { GroupMember } from "../../domain/webhooks/group.ts";
import type { AccessRequestState, LinkPurpose } from "../../ports/access.ts";
import type { SignalStateRow } from "../../ports/control-store.ts";
import type { MailState } from "../../ports/mail.ts";
import type { OAuthRecordKind } from "../../ports/oauth.ts";

/** Set once. */
type Fixed<T> = ColumnType<T, T, never>;
/** The engine fills it in unless it is given. */
type Defaulted<T> = ColumnType<T, T | undefined, T>;
/** JSON text of the shape named; the service is its only writer. */
export type Json<_T> = string;
/** 0 or 1: not every engine has booleans. */
export type Flag = number;
/** Unix milliseconds. */
type Millis = number;

/** The one place of row types. Migrations: schemas/control. */
export interface ControlTables {
  account: {
    id: Fixed<AccountId>;
    name: string | null;
    second_factor_required: Defaulted<Flag>;
    revision: Defaulted<number>;
    created_at: Fixed<Millis>;
  };
  /** `totp` is sealed. */
  person: {
    id: Fixed<PersonId>;
    email: Email;
    password: string | null;
    totp: Uint8Array | null;
    totp_confirmed_at: Millis | null;
    totp_step: number;
    created_at: Fixed<Millis>;
  };
  membership: {
    account_id: Fixed<AccountId>;
    person_id: Fixed<PersonId>;
    role: Role;
    revision: number;
    suspended_at: Millis | null;
    created_at: Fixed<Millis>;
  };
  recovery_code: { person_id: Fixed<PersonId>; hash: Fixed<Uint8Array>; used_at: Millis | null };
  outside_identity: {
    issuer: Fixed<string>;
    subject: Fixed<string>;
    person_id: Fixed<PersonId>;
    created_at: Fixed<Millis>;
  };
  access_request: {
    id: Fixed<AccessRequestId>;
    email: Fixed<Email>;
    use_case: string;
    state: AccessRequestState;
    note: string | null;
    created_at: Fixed<Millis>;
    decided_at: Millis | null;
    reminded_at: Millis | null;
  };
  invitation: {
    id: Fixed<InvitationId>;
    account_id: Fixed<AccountId>;
    email: Fixed<Email>;
    role: Role;
    access_request_id: AccessRequestId | null;
    mail_id: MailId | null;
    sent_at: Millis | null;
    expires_at: Millis;
    verified_at: Millis | null;
    accepted_at: Millis | null;
    revoked_at: Millis | null;
    created_at: Fixed<Millis>;
  };
  /** `content` is sealed. */
  link: {
    hash: Fixed<Uint8Array>;
    purpose: Fixed<LinkPurpose>;
    subject: Fixed<string>;
    content: Fixed<Uint8Array | null>;
    expires_at: Fixed<Millis>;
    used_at: Millis | null;
  };
  session: {
    id: Fixed<SessionId>;
    hash: Uint8Array;
    hash_before: Uint8Array | null;
    before_until: Millis | null;
    person_id: Fixed<PersonId>;
    account_id: AccountId | null;
    second_factor: Flag;
    is_stale: Flag;
    proven_at: Millis;
    user_agent: Fixed<string>;
    address: Fixed<string>;
    created_at: Fixed<Millis>;
    last_seen_at: Millis;
  };
  challenge: {
    hash: Fixed<Uint8Array>;
    person_id: Fixed<PersonId>;
    tries: number;
    expires_at: Fixed<Millis>;
  };
  /** `secret` is a keyed hash. */
  oauth_client: {
    id: Fixed<OAuthClientId>;
    account_id: Fixed<AccountId>;
    revision: number;
    settings: Json<"OAuthClientSettings">;
    secret: Uint8Array | null;
    person_id: PersonId | null;
    created_at: Fixed<Millis>;
    updated_at: Millis;
  };
  oauth_grant: {
    id: Fixed<OAuthGrantId>;
    client_id: Fixed<OAuthClientId>;
    person_id: Fixed<PersonId>;
    account_id: Fixed<AccountId>;
    scopes: Fixed<Json<"Scope[]">>;
    created_at: Fixed<Millis>;
    expires_at: Millis;
    last_used_at: Millis | null;
  };
  /** `content` is sealed. */
  oauth_record: {
    hash: Fixed<Uint8Array>;
    kind: Fixed<OAuthRecordKind>;
    client_id: Fixed<string | null>;
    grant_id: OAuthGrantId | null;
    user_code: Fixed<Uint8Array | null>;
    content: Uint8Array;
    expires_at: Millis;
    consumed_at: Millis | null;
    claimed_at: Millis | null;
  };
  attempt_count: { name: Fixed<Uint8Array>; window_ms: Fixed<number>; count: number; until: Millis };
  api_key: {
    id: Fixed<ApiKeyId>;
    account_id: Fixed<AccountId>;
    person_id: Fixed<PersonId | null>;
    name: string;
    prefix: Fixed<string>;
    hash: Fixed<Uint8Array>;
    scopes: Json<"Scope[]">;
    created_at: Fixed<Millis>;
    expires_at: Fixed<Millis | null>;
    last_used_at: Millis | null;
  };
  /** `result` is sealed, and null while the first request with the key runs. */
  idempotency_key: {
    account_id: Fixed<AccountId>;
    key: Fixed<string>;
    fingerprint: Uint8Array;
    claim: string;
    lease_until: Millis;
    expires_at: Millis;
    result: Uint8Array | null;
  };
  stream_ticket: {
    hash: Fixed<Uint8Array>;
    caller_id: Fixed<string>;
    caller_until: Fixed<Millis | null>;
    expires_at: Fixed<Millis>;
  };
  fact: { name: Fixed<string>; value: string };
  signal: {
    id: Fixed<SignalId>;
    account_id: Fixed<AccountId>;
    revision: number;
    name: string;
    external_id: string | null;
    search: string;
    labels: Json<"Labels">;
    threshold: number;
    floor_dbm: number;
    ceiling_dbm: number;
    hysteresis: number;
    no_data_after_seconds: number | null;
    paused: Flag;
    source_id: Fixed<SourceId | null>;
    status: SignalStatus;
    created_at: Fixed<Millis>;
    updated_at: Millis;
  };
  /** Only where the engine makes it: see `ControlEngine.indexSearch`. */
  signal_search: { signal_id: Fixed<SignalId>; account_id: Fixed<AccountId>; search: string };
  signal_label: {
    signal_id: Fixed<SignalId>;
    account_id: Fixed<AccountId>;
    key: Fixed<string>;
    value: Fixed<string>;
  };
  signal_state: {
    signal_id: Fixed<SignalId>;
    status: Exclude<SignalStateRow["status"], "deleted">;
    reasons: Json<"Reason[]">;
    sequence: number;
  };
  signal_tombstone: { signal_id: SignalId; account_id: AccountId; revision: number; expires_at: Millis };
  /** Signals of each account; its row is what creators of signals wait for. */
  signal_count: { account_id: Fixed<AccountId>; signals: number };
  source: {
    id: Fixed<SourceId>;
    account_id: Fixed<AccountId>;
    revision: number;
    settings: Json<"PublicSettings">;
    secrets: Uint8Array;
    created_at: Fixed<Millis>;
    updated_at: Millis;
  };
  source_status: {
    source_id: Fixed<SourceId>;
    state: SourceState;
    state_reason: string | null;
    last_message_at: Millis | null;
    messages: number;
    readings: number;
    skipped: number;
    rejected: number;
    reconnects: number;
  };
  source_run: { source_id: Fixed<SourceId>; generation: number };
  source_position: { source_id: Fixed<SourceId>; position: string };
  source_rejection: { source_id: SourceId; number: number; rejection: Json<"Rejection"> };
  rule: { id: Fixed<RuleId>; account_id: Fixed<AccountId>; revision: number; rule: Json<"Rule"> };
  /** As it was before it was changed. */
  rule_version: {
    rule_id: Fixed<RuleId>;
    revision: Fixed<number>;
    since: Fixed<Millis>;
    rule: Fixed<Json<"Rule">>;
  };
  /** `until_at` is in `silence` too: by it the ones that are over are found. */
  silence: {
    id: Fixed<SilenceId>;
    account_id: Fixed<AccountId>;
    revision: number;
    until_at: Millis | null;
    silence: Json<"KeptSilence">;
  };
  alert: {
    id: Fixed<AlertId>;
    account_id: Fixed<AccountId>;
    signal_id: Fixed<SignalId>;
    rule_id: Fixed<RuleId>;
    severity: Severity;
    state: "firing" | "resolved";
    fired_at: Millis;
    resolved_at: Millis | null;
    sequence: number;
    alert: Json<"Alert">;
    acknowledged: Json<"Acknowledgement"> | null;
  };
  webhook: {
    id: Fixed<WebhookId>;
    account_id: Fixed<AccountId>;
    revision: number;
    settings: Json<"WebhookSettings">;
    secrets: Uint8Array;
    disabled_reason: string | null;
    created_at: Fixed<Millis>;
    updated_at: Millis;
  };
  /** One for each webhook, as long as it is there, so that fences only rise. */
  webhook_lane: {
    webhook_id: Fixed<WebhookId>;
    enabled: Flag;
    owner: string | null;
    fence: number;
    lease_until: Millis;
    failures_in_row: number;
    failing_since: Millis | null;
    open_until: Millis | null;
  };
  webhook_group: {
    id: Fixed<GroupId>;
    webhook_id: Fixed<WebhookId>;
    account_id: Fixed<AccountId>;
    source_id: Fixed<SourceId>;
    started_at: Fixed<Millis>;
    due_at: Millis | null;
    is_formed: Flag;
    signals: number;
    failing: number;
    beyond: number;
    told: number;
    told_at: Millis;
    position: number;
  };
  webhook_group_signal: {
    group_id: Fixed<GroupId>;
    signal_id: Fixed<SignalId>;
    name: string;
    external_id: string | null;
    open: Json<"GroupMember.open">;
    failing: Flag;
    news: GroupMember["news"];
    severity: GroupMember["severity"];
    event_id: EventId;
    since: Millis;
    sequence: number;
  };
  webhook_held: { delivery_id: Fixed<DeliveryId>; group_id: Fixed<GroupId>; is_told: Fixed<Flag> };
  webhook_sender: { owner: Fixed<string>; lease_until: Millis };
  webhook_notice: { id: Fixed<EventId>; account_id: Fixed<AccountId>; event: Json<"WebhookNoticeRow.event"> };
  webhook_event: {
    id: Fixed<EventId>;
    position: Fixed<number>;
    kind: Fixed<EventKind>;
    signal_id: Fixed<SignalId | null>;
    body: Fixed<string>;
  };
  delivery: {
    id: Fixed<DeliveryId>;
    webhook_id: Fixed<WebhookId>;
    event_id: Fixed<EventId>;
    position: Fixed<number>;
    kind: Fixed<EventKind>;
    signal_id: Fixed<SignalId | null>;
    status: DeliveryStatus;
    attempts: number;
    attempts_before: number;
    next_attempt_at: Millis | null;
    created_at: Fixed<Millis>;
  };
  delivery_attempt: {
    delivery_id: Fixed<DeliveryId>;
    number: Fixed<number>;
    at: Fixed<Millis>;
    duration_ms: Fixed<number>;
    status: Fixed<number | null>;
    failure: Fixed<string | null>;
    detail: Fixed<string>;
    response_body: Fixed<string | null>;
  };
  /** `content` is sealed. */
  mail: {
    id: Fixed<MailId>;
    recipient: Fixed<Email>;
    content: Uint8Array | null;
    state: MailState;
    attempts: number;
    next_attempt_at: Millis | null;
    claim: string | null;
    expires_at: Fixed<Millis>;
    error: string | null;
    created_at: Fixed<Millis>;
    ended_at: Millis | null;
  };
  audit_entry: {
    id: Fixed<AuditEntryId>;
    account_id: Fixed<AccountId | null>;
    person_id: Fixed<PersonId | null>;
    action: Fixed<AuditAction>;
    actor_kind: Fixed<ActorKind>;
    actor_id: Fixed<string | null>;
    actor_name: Fixed<string>;
    target_id: Fixed<string | null>;
    target_name: Fixed<string | null>;
    address: Fixed<string | null>;
    user_agent: Fixed<string | null>;
    request_id: Fixed<string | null>;
    before: Fixed<Json<"Fields"> | null>;
    after: Fixed<Json<"Fields"> | null>;
  };
  alert_mail_box: {
    account_id: Fixed<AccountId>;
    recipient: Fixed<Email>;
    due_at: Millis | null;
    told_at: Millis;
    followed: number;
    beyond: Json<"BeyondNews[]">;
  };
  alert_mail_alert: {
    account_id: Fixed<AccountId>;
    recipient: Fixed<Email>;
    alert_id: Fixed<AlertId>;
    rule_id: Fixed<RuleId>;
    rule_name: string;
    state: FollowedAlert["state"];
    rank: number;
    sequence: number;
    news: number;
    content: Json<"MailAlertContent">;
    mail_id: MailId | null;
    updated_at: Millis;
  };
  alert_mail_spent: { name: Fixed<string>; until: Millis };
  alert_mail_stop: {
    account_id: Fixed<AccountId>;
    recipient: Fixed<Email>;
    scope: Fixed<StopScope>;
    stopped_at: Fixed<Millis>;
  };
  outbox: { position: number; entry: Json<"OutboxRow.entry"> };
  outbox_counter: { name: "written" | "relayed" | "webhooks" | "groups" | "alert-mails"; position: number };
  record_progress: {
    log_id: string;
    topic: string;
    partition: number;
    done: number;
    pending_end: number | null;
  };
  snapshot_head: { partition: number; generation: number };
  snapshot_seal: {
    partition: number;
    generation: number;
    log_id: string;
    offset: number;
    buckets: number;
    checksum: string;
  };
  snapshot_bucket: { partition: number; generation: number; bucket: number; bytes: Uint8Array };
}

export type SignalRow = Selectable<ControlTables["signal"]>;
export type SourceRow = Selectable<ControlTables["source"]>;
export type SourceStatusRow = Selectable<ControlTables["source_status"]>;
export type RuleRow = Selectable<ControlTables["rule"]>;
export type SilenceRow = Selectable<ControlTables["silence"]>;
export type AlertRow = Selectable<ControlTables["alert"]>;
export type WebhookRow = Selectable<ControlTables["webhook"]>;
export type GroupRow = Selectable<ControlTables["webhook_group"]>;
export type GroupSignalRow = Selectable<ControlTables["webhook_group_signal"]>;
export type LaneRow = Selectable<ControlTables["webhook_lane"]>;
export type MailBoxRow = Selectable<ControlTables["alert_mail_box"]>;
export type MailAlertRow = Selectable<ControlTables["alert_mail_alert"]>;
export type DeliveryRow = Selectable<ControlTables["delivery"]>;
