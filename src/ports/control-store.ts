import type { Scope } from "../../schemas/api-key.ts";
import type { Change, SignalDefinition } from "../../schemas/change.ts";
import type {
  AccountId,
  ApiKeyId,
  Labels,
  OAuthClientId,
  OAuthGrantId,
  PersonId,
  RuleId,
  SessionId,
  SignalId,
  SourceId,
} from "../../schemas/common.ts";
import type { Rule, RuleCreate, RulePatch, Selection } from "../../schemas/rule.ts";
import type {
  Reason,
  SignalCreate,
  SignalDefaults,
  SignalPatch,
  SignalSort,
  SignalStatus,
} from "../../schemas/signal.ts";
import type {
  Rejection,
  SourceCounters,
  SourceCreate,
  SourcePatch,
  SourceState,
} from "../../schemas/source.ts";
import type { Access } from "./access.ts";
import type { AlertMails } from "./alert-mails.ts";
import type { Alerts, Silences } from "./alerts.ts";
import type { Audit, Doer } from "./audit.ts";
import type { Mails } from "./mail.ts";
import type { WebhookGroupStore } from "./webhook-groups.ts";
import type { Deliveries, Lanes, Webhooks } from "./webhooks.ts";
import type { Health } from "./worker.ts";

/**
 * The engine cannot be reached: try again with back-off. Of a change whose answer was lost on the way nobody knows
 * whether it was written; what is done by compare-and-swap, or under an idempotency key, may be done again all the same.
 */
export class ControlUnavailableError extends Error {
  override readonly name = "ControlUnavailableError";
}

/** What a change answers: done, with the outbox position that the log must reach (0: nothing was changed), or why not. */
export type Changed<T> =
  | { readonly ok: true; readonly value: T; readonly outbox: number }
  | { readonly ok: false; readonly reason: "not_found" }
  /** It has another revision than those expected. */
  | { readonly ok: false; readonly reason: "precondition_failed"; readonly revision: number }
  | {
      readonly ok: false;
      readonly reason: "conflict" | "invalid";
      readonly path: string;
      readonly message: string;
    };

/** Revisions of which a thing must have one to be changed; null: whichever it has. */
export type Expected = readonly number[] | null;

export interface Page {
  readonly limit: number;
  /** Opaque; as an earlier page's `next` gave it. A cursor that cannot be read is refused with InvalidCursorError (domain/cursor.ts). */
  readonly cursor?: string | undefined;
}
export interface Paged<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

/** A signal's definition beside what the deliver worker projected of its events. */
export interface StoredSignal {
  readonly definition: SignalDefinition;
  /** `paused` when the definition says so, else the evaluator's word. */
  readonly status: SignalStatus;
  readonly reasons: readonly Reason[];
  readonly sequence: number;
}

export interface SignalList extends Page {
  /** Only these. */
  readonly ids?: readonly SignalId[] | undefined;
  readonly status?: SignalStatus | undefined;
  readonly labels?: Labels | undefined;
  /** Made by this source. */
  readonly sourceId?: SourceId | undefined;
  /** `name` or `externalId` contains this, without regard to case. */
  readonly q?: string | undefined;
  readonly sort: SignalSort;
}

/** A name that a source sends, and the signal it stands for; `created` when this call made it. */
export interface ResolvedSignal {
  readonly externalId: string;
  readonly definition: SignalDefinition;
  readonly created: boolean;
}

/** One change of a batch, as the call of its name takes it. */
export type SignalOperation =
  | { readonly kind: "create"; readonly input: SignalCreate }
  | { readonly kind: "update"; readonly id: SignalId; readonly patch: SignalPatch }
  | { readonly kind: "remove"; readonly id: SignalId };

/** What became of a batch: of each operation, in their order, what its own call would have answered after those before it. */
export interface SignalBatch {
  readonly results: readonly Changed<StoredSignal | null>[];
  /** False: nothing was changed, whatever the results say: one was refused in an atomic batch, or all were only checked. */
  readonly applied: boolean;
}

export interface Signals {
  create(accountId: AccountId, input: SignalCreate): Promise<Changed<StoredSignal>>;
  get(accountId: AccountId, id: SignalId): Promise<StoredSignal | null>;
  list(accountId: AccountId, query: SignalList): Promise<Paged<StoredSignal>>;
  /** Merged with what is stored and checked (floor below ceiling, externalId free); a patch that changes nothing is ok. */
  update(
    accountId: AccountId,
    id: SignalId,
    patch: SignalPatch,
    expected?: Expected,
  ): Promise<Changed<StoredSignal>>;
  /** Leaves a tombstone for 24 h. */
  remove(accountId: AccountId, id: SignalId, expected?: Expected): Promise<Changed<null>>;
  /**
   * The signals of these names, in one transaction; those missing are made with `defaults` and `sourceId`, name and
   * externalId = the sender's name, unless `create` is false. Names unknown and not made are left out of the answer.
   */
  resolve(request: {
    readonly accountId: AccountId;
    readonly sourceId: SourceId | null;
    readonly externalIds: readonly string[];
    readonly create: boolean;
    readonly defaults: SignalDefaults;
  }): Promise<ResolvedSignal[]>;
  /** In one transaction; one that is refused leaves the others alone, or, if `atomic`, undoes them all. */
  applyAll(
    accountId: AccountId,
    operations: readonly SignalOperation[],
    options: { readonly atomic: boolean; readonly checkOnly?: boolean },
  ): Promise<SignalBatch>;
  /** Of these externalIds, the signals that have one. */
  named(accountId: AccountId, externalIds: readonly string[]): Promise<SignalDefinition[]>;
  /** Of these names, every signal called so that has no externalId. */
  called(accountId: AccountId, names: readonly string[]): Promise<SignalDefinition[]>;
  /** Of these ids, the ones that exist: what a sender calls `signalId` may be an id of ours. */
  existing(accountId: AccountId, ids: readonly SignalId[]): Promise<SignalDefinition[]>;
  anySelected(accountId: AccountId, selection: Selection): Promise<boolean>;
  /** How many of the selected signals have which values of one or two labels; of very many combinations, some 10,000. */
  labelValues(
    accountId: AccountId,
    selection: Selection,
    keys: readonly [first: string, second?: string | undefined],
  ): Promise<LabelValues[]>;
  /** Every signal of every account, in pages by id, for the beginning of a new log. */
  all(afterId: SignalId | null, limit: number): Promise<StoredSignal[]>;
}

/** Signals that share the values of some labels; one that they lack is not there. */
export interface LabelValues {
  readonly labels: Labels;
  readonly signals: number;
}

/** A projected state, as the deliver worker reads it from an event. */
export interface SignalStateRow {
  readonly signalId: SignalId;
  readonly sequence: number;
  readonly status: "active" | "failed" | "deleted";
  readonly reasons: readonly Reason[];
}

export interface SignalStates {
  /** In one transaction; a row applies only if its sequence is above the stored one. */
  project(rows: readonly SignalStateRow[]): Promise<void>;
}

export interface StoredSource {
  readonly id: SourceId;
  readonly accountId: AccountId;
  readonly revision: number;
  /** With its secrets opened: for ingest only. */
  readonly settings: SourceCreate;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What the ingest worker says of a running source, written at most once a second. */
export interface SourceStatus {
  readonly state: SourceState;
  readonly stateReason: string | null;
  readonly lastMessageAt: number | null;
  readonly counters: SourceCounters;
}

/** A rejection in the list of its source; numbers rise. */
export interface KeptRejection {
  readonly number: number;
  readonly rejection: Rejection;
}

export interface Sources {
  create(accountId: AccountId, input: SourceCreate): Promise<Changed<StoredSource>>;
  get(accountId: AccountId, id: SourceId): Promise<{ source: StoredSource; status: SourceStatus } | null>;
  /** For ingest, by id alone. */
  find(id: SourceId): Promise<StoredSource | null>;
  list(accountId: AccountId, page: Page): Promise<Paged<{ source: StoredSource; status: SourceStatus }>>;
  update(
    accountId: AccountId,
    id: SourceId,
    patch: SourcePatch,
    expected?: Expected,
  ): Promise<Changed<StoredSource>>;
  remove(accountId: AccountId, id: SourceId, expected?: Expected): Promise<Changed<null>>;
  /** Every source of every account, for the beginning of a new log. */
  all(): Promise<Pick<StoredSource, "id" | "revision">[]>;
  /** The status as last saved, so that counters go on over a restart. */
  status(id: SourceId): Promise<SourceStatus | null>;
  /** Says that the caller runs the source from now on; null where it is gone. Generations rise, and are never 0. */
  claim(id: SourceId): Promise<{ generation: number; status: SourceStatus | null } | null>;
  /** False, with nothing saved: the source has been claimed since that `generation`. */
  saveStatus(id: SourceId, status: SourceStatus, generation: number): Promise<boolean>;
  /**
   * As `saveStatus`, but its counters are added to those stored, and no `lastMessageAt` leaves the stored one: several
   * processes may count for one source.
   */
  addStatus(id: SourceId, status: SourceStatus): Promise<void>;
  /** How far it is in its feed, as last saved; null if it never was. */
  position(id: SourceId): Promise<string | null>;
  /** As `saveStatus`. */
  savePosition(id: SourceId, position: string, generation: number): Promise<boolean>;
  /** Keeps the newest 1,000 of each source. */
  addRejections(id: SourceId, rejections: readonly Rejection[]): Promise<void>;
  rejections(accountId: AccountId, id: SourceId, page: Page): Promise<Paged<Rejection> | null>;
  /** Those with a number above `after`, oldest first. */
  keptRejections(id: SourceId, after: number, limit: number): Promise<KeptRejection[]>;
  removeRejections(id: SourceId, numbers: readonly number[]): Promise<void>;
}

export interface StoredRule {
  readonly accountId: AccountId;
  readonly revision: number;
  readonly rule: Rule;
}
/** A rule as it was at a moment, as far as that is kept, and as it is. */
export interface PastRule {
  readonly was: StoredRule;
  readonly is: StoredRule;
}
export interface Rules {
  create(accountId: AccountId, input: RuleCreate): Promise<Changed<StoredRule>>;
  get(accountId: AccountId, id: RuleId): Promise<StoredRule | null>;
  /** `was`: at a moment, Unix ms; as it was first where it was made later, or is no longer kept as it was. */
  at(accountId: AccountId, id: RuleId, atMs: number): Promise<PastRule | null>;
  list(accountId: AccountId, page: Page): Promise<Paged<StoredRule>>;
  /** Keeps what it was before, of the newest changes. */
  update(
    accountId: AccountId,
    id: RuleId,
    patch: RulePatch,
    expected?: Expected,
  ): Promise<Changed<StoredRule>>;
  remove(accountId: AccountId, id: RuleId, expected?: Expected): Promise<Changed<null>>;
  /** Every rule of every account, for the beginning of a new log. */
  all(): Promise<StoredRule[]>;
}

/** What a request may do that comes with the key: within what the person who made it may do now. */
export interface StoredApiKey {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  /** Who made it, or whose key did; null: it was made before there were people, or by a key of that time. */
  readonly personId: PersonId | null;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Unix ms; null: it holds until it is revoked. */
  readonly expiresAt: number | null;
}
/** What its owner sees of it: never the key. */
export interface ApiKeyRecord extends StoredApiKey {
  readonly prefix: string;
  readonly createdAt: number;
  /** To the minute; null: never. */
  readonly lastUsedAt: number | null;
}
export interface ApiKeys {
  /** By SHA-256 of the whole key, 32 bytes; also one that has expired. */
  findByHash(hash: Uint8Array): Promise<StoredApiKey | null>;
  /** As `findByHash`. */
  find(id: ApiKeyId): Promise<StoredApiKey | null>;
  create(
    accountId: AccountId,
    key: {
      name: string;
      prefix: string;
      hash: Uint8Array;
      scopes: readonly Scope[];
      expiresAt?: number | null;
      /** Who made it: it may do no more than they may. */
      personId?: PersonId | null;
    },
  ): Promise<ApiKeyRecord>;
  /** In the order of making; `personId`: only those that the person made. */
  list(accountId: AccountId, page: Page, personId?: PersonId | null): Promise<Paged<ApiKeyRecord>>;
  get(accountId: AccountId, id: ApiKeyId): Promise<ApiKeyRecord | null>;
  /** False when there is no such key; `personId`: of those that the person made. */
  revoke(accountId: AccountId, id: ApiKeyId, personId?: PersonId | null): Promise<boolean>;
  /** When keys were used, Unix ms; the newest counts. */
  used(at: ReadonlyMap<ApiKeyId, number>): Promise<void>;
}

/** A key, a session, what a person allows a program, or a program that acts for itself. */
export type TicketHolder = ApiKeyId | SessionId | OAuthGrantId | OAuthClientId;

/** Whom a ticket stands for. */
export interface Ticketed {
  readonly id: TicketHolder;
  /** When what they open ends whatever else holds, Unix ms; null: as long as they are let in. */
  readonly endsAt: number | null;
}

/** What lets a browser open one stream, which can send no header. */
export interface Tickets {
  /** `hash`: SHA-256 of the ticket. */
  add(hash: Uint8Array, caller: Ticketed, expiresAt: number): Promise<void>;
  /** Whoever it stands for, once; null for one that is unknown, was used or has expired. */
  redeem(hash: Uint8Array): Promise<Ticketed | null>;
}

export interface StoredAccount {
  readonly id: AccountId;
  readonly revision: number;
  readonly name: string | null;
  /** Whoever has no second factor may do nothing here but set one up. */
  readonly isSecondFactorRequired: boolean;
  readonly createdAt: number;
}
export interface Accounts {
  get(id: AccountId): Promise<StoredAccount | null>;
  /** Another transaction that holds the account waits until this one has ended. */
  hold(id: AccountId): Promise<void>;
  update(
    id: AccountId,
    patch: Partial<Pick<StoredAccount, "name" | "isSecondFactorRequired">>,
    expected?: Expected,
  ): Promise<Changed<StoredAccount>>;
  /** The account of an embedded or fresh installation, made at the first call; `created` says if this one did. */
  first(): Promise<{ id: AccountId; created: boolean }>;
}

/** One row to be copied to the log: either a change (topic `readings`) or a source's revision (topic `sources`). */
export interface OutboxRow {
  readonly position: number;
  readonly entry:
    | { readonly topic: "readings"; readonly change: Change }
    | { readonly topic: "sources"; readonly sourceId: SourceId; readonly revision: number | null };
}
/** Rows in the order of their commits: a reader that has seen position p never finds a smaller one later. */
export interface Outbox {
  read(after: number, limit: number): Promise<OutboxRow[]>;
  /** How far the relay got; forgets the rows up to there. */
  relayed(): Promise<number>;
  markRelayed(position: number): Promise<void>;
}

/** The range intent of one topic-partition: see DESIGN.md "Why it is shaped like this", 4. */
export interface Progress {
  readonly done: number;
  readonly pendingEnd: number | null;
}
export interface RecordProgress {
  /** Made with `done` 0 if it was not there. */
  read(logId: string, topic: string, partition: number): Promise<Progress>;
  /** Compare-and-swap: false when the row is no longer `from`. Durable when resolved. */
  advance(logId: string, topic: string, partition: number, from: Progress, to: Progress): Promise<boolean>;
}

/** A sealed snapshot of the evaluator's state of one partition: valid for replay from `offset`. */
export interface SnapshotSeal {
  readonly partition: number;
  readonly generation: number;
  readonly logId: string;
  readonly offset: number;
  readonly buckets: number;
  readonly checksum: string;
}
export interface Snapshots {
  newest(partition: number): Promise<SnapshotSeal | null>;
  lastButOne(partition: number): Promise<SnapshotSeal | null>;
  /** One bucket of at most 512 KiB. */
  bucket(partition: number, generation: number, index: number): Promise<Uint8Array | null>;
  writeBucket(partition: number, generation: number, index: number, bytes: Uint8Array): Promise<void>;
  /** Compare-and-swap on the newest generation; keeps the last two, deletes older buckets. False: another one sealed. */
  seal(seal: SnapshotSeal, previousGeneration: number | null): Promise<boolean>;
  /** Partitions that have a sealed snapshot. */
  partitions(): Promise<number[]>;
}

/** Small facts of the installation, such as the log id and the partition count that it was made with. */
export interface Facts {
  get(name: string): Promise<string | null>;
  /** Sets it if it is not there, and gives what is there. */
  ensure(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}

/** A name that this process holds alone. */
export interface HeldLock {
  /** Aborted when it may be another's by now: the engine was lost, or this process was frozen. */
  readonly lost: AbortSignal;
  /** Safe to call twice, and after it was lost. */
  release(): Promise<void>;
}

/**
 * Names that one process at a time may hold, of all that use the same control data. A holder that dies, or stands still
 * for some seconds, loses it: what it does then must do no harm when it wakes.
 */
export interface Locks {
  /** Null when another holds it, or this process already does. Does not wait. */
  tryLock(name: string): Promise<HeldLock | null>;
}

/** A row as it stands: what it is called by is the engines' affair. Bytes as base64. */
export type CarriedRow = Readonly<Record<string, string | number | null>>;

/**
 * What belongs to the people who use an installation, row by row, for control data of any engine: not how far anybody
 * is with a log. Secrets stay sealed: they open under the same SECRET_KEY only.
 */
export interface ControlTransfer {
  /** In an order in which a row stands after those that it refers to. */
  readonly tables: readonly string[];
  /** In the order of their keys, those after `last`; fewer than `limit` at the end. */
  rows(table: string, last: CarriedRow | null, limit: number): Promise<CarriedRow[]>;
  /** In one transaction. A row whose key is there is left as it is. Throws RangeError at what is no row of the table. */
  add(table: string, rows: readonly CarriedRow[]): Promise<void>;
  count(table: string): Promise<number>;
}

/** What a request with an Idempotency-Key finds. */
export type Claim =
  /** It is the first, or the one before has not finished within its lease: do it, then `finish`. */
  | { readonly state: "claimed"; readonly claim: ClaimId }
  | { readonly state: "finished"; readonly result: string }
  /** The key was used with another request. */
  | { readonly state: "mismatch" }
  | { readonly state: "running"; readonly leaseEndsInMs: number };

/** A claim of ours: another one of the same key makes it void. */
export interface ClaimId {
  readonly accountId: AccountId;
  readonly key: string;
  readonly token: string;
}

/** Requests that may be sent again, by the key that their sender gave them; kept for 24 h. */
export interface Idempotency {
  /** `fingerprint` tells one request from another. A claim is a lease of 60 s. */
  claim(accountId: AccountId, key: string, fingerprint: Uint8Array): Promise<Claim>;
  /** Sealed; to be called in the transaction of the effect. False: the claim is another's by now, so undo the effect. */
  finish(claim: ClaimId, result: string): Promise<boolean>;
  /** Nothing was done: the next request with the key is the first again. */
  release(claim: ClaimId): Promise<void>;
  /** Something was done: the next request with the key, which must be the same, may go on at once. */
  suspend(claim: ClaimId): Promise<void>;
}

/** What is changed together. */
export interface Repositories {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly signals: Signals;
  readonly signalStates: SignalStates;
  readonly sources: Sources;
  readonly rules: Rules;
  readonly silences: Silences;
  readonly alerts: Alerts;
  readonly outbox: Outbox;
  readonly recordProgress: RecordProgress;
  readonly snapshots: Snapshots;
  readonly facts: Facts;
  readonly idempotency: Idempotency;
  readonly tickets: Tickets;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly webhookGroups: WebhookGroupStore;
  readonly lanes: Lanes;
  readonly mails: Mails;
  readonly alertMails: AlertMails;
  readonly access: Access;
  readonly audit: Audit;
}

/** What changes control data. */
export interface Changing extends Repositories {
  /**
   * All of `work` or, when it throws, nothing. It may be called again from its start, so it changes nothing but what it
   * is given. A change in it that is refused changes nothing and leaves the rest as it is.
   */
  transaction<T>(work: (within: Repositories) => Promise<T>): Promise<T>;
}

/** Control data. Every change of signals, sources, rules and silences writes its outbox row in the same transaction. */
export interface ControlStore extends Changing {
  /** The same control data; what is changed by way of it is kept in the audit log under that name. */
  by(doer: Doer): Changing;
  readonly locks: Locks;
  readonly transfer: ControlTransfer;
  health(): Health;
  close(): Promise<void>;
}
