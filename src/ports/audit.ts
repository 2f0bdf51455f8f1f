import type { ActorKind, AuditAction, AuditFilter } from "../../schemas/audit.ts";
import type { AccountId, AuditEntryId, PersonId } from "../../schemas/common.ts";
import type { Page, Paged } from "./control-store.ts";

/** Under whose name something is kept. */
export interface Actor {
  readonly kind: ActorKind;
  /** Null: nobody that has one. */
  readonly id: string | null;
  readonly name: string;
}
/** Where it came from; each null where there was no request. */
export interface Origin {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly requestId: string | null;
}
/** Of what came by no request. */
export const NOWHERE: Origin = { address: null, userAgent: null, requestId: null };
export interface Doer {
  readonly actor: Actor;
  readonly origin: Origin;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Something that was done, without any secret. */
export interface Note {
  readonly action: AuditAction;
  /** In whose audit log it stands; null: in none. */
  readonly accountId: AccountId | null;
  /** In whose security log it stands. */
  readonly personId?: PersonId | null;
  readonly target?: { readonly id: string; readonly name: string } | null;
  readonly before?: Fields | null;
  readonly after?: Fields | null;
  /** Not whoever the changes are made by: somebody who is known only now. */
  readonly actor?: Actor;
}

export interface KeptNote extends Required<Omit<Note, "actor">>, Doer {
  readonly id: AuditEntryId;
  /** Unix ms. */
  readonly at: number;
}

/** Whose log is read. */
export type LogOf = { readonly accountId: AccountId } | { readonly personId: PersonId };

/**
 * What was done, by whom, from where: written in the transaction of the change by what changes it, and never changed.
 * Fields are cut to some kilobytes.
 */
export interface Audit {
  /** Nothing is kept where nobody is named: what the service does by itself is in its own log. */
  add(notes: readonly Note[]): Promise<void>;
  /** Newest first. */
  list(whose: LogOf, query: Page & AuditFilter): Promise<Paged<KeptNote>>;
  /** Forgets those from before (Unix ms), at most `limit`; gives how many it were. */
  prune(before: number, limit: number): Promise<number>;
}
