import type { Scope } from "../../schemas/api-key.ts";
import type { AccountId, OAuthClientId, OAuthGrantId, PersonId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { OAuthClientPatch, OAuthClientSettings } from "../../schemas/oauth-client.ts";
import type { Role } from "../../schemas/role.ts";
import type { Changed, Expected, Page, Paged } from "./control-store.ts";

/** A program that an account has registered. */
export interface OAuthClient {
  readonly id: OAuthClientId;
  readonly accountId: AccountId;
  /**
   * Who was shown its newest secret: they answer for what it does for itself, which is no more than they may. Null: a key
   * of nobody's was shown it, or it was made before this was kept and the audit log did not say; nothing bounds it.
   */
  readonly personId: PersonId | null;
  readonly revision: number;
  readonly settings: OAuthClientSettings;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Programs. Of their secrets only keyed hashes are kept. */
export interface OAuthClients {
  /** `secret` null: it is not confidential. `personId`: whom it is shown to. A conflict: the account has as many as it may. */
  create(
    accountId: AccountId,
    settings: OAuthClientSettings,
    secret: string | null,
    personId: PersonId | null,
  ): Promise<Changed<OAuthClient>>;
  get(accountId: AccountId, id: OAuthClientId): Promise<OAuthClient | null>;
  /** By id alone. */
  find(id: OAuthClientId): Promise<OAuthClient | null>;
  /** In the order of making. */
  list(accountId: AccountId, page: Page): Promise<Paged<OAuthClient>>;
  update(
    accountId: AccountId,
    id: OAuthClientId,
    patch: OAuthClientPatch,
    expected?: Expected,
  ): Promise<Changed<OAuthClient>>;
  /** In place of the one before, and shown to `personId`. A conflict: it is not confidential. */
  setSecret(
    accountId: AccountId,
    id: OAuthClientId,
    secret: string,
    personId: PersonId | null,
  ): Promise<Changed<OAuthClient>>;
  /** Compared in constant time. */
  hasSecret(id: OAuthClientId, secret: string): Promise<boolean>;
  /** With all that people allowed it, and with its tokens. */
  remove(accountId: AccountId, id: OAuthClientId, expected?: Expected): Promise<Changed<null>>;
}

/** What a person allowed a program to do in an account. */
export interface OAuthGrant {
  readonly id: OAuthGrantId;
  readonly clientId: OAuthClientId;
  readonly clientName: string;
  readonly personId: PersonId;
  readonly accountId: AccountId;
  readonly scopes: readonly Scope[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
}

/** A grant with what it opens now: its scopes within those that its client has, and the person's role in the account. */
export interface OpenGrant extends OAuthGrant {
  readonly email: Email;
  readonly role: Role;
}

/** What somebody is in an account now. */
export interface Standing {
  readonly role: Role;
  readonly accountName: string | null;
  readonly isSecondFactorRequired: boolean;
}

export interface OAuthGrants {
  /**
   * It ends with what is issued under it, or, as long as there is nothing, at `expiresAt`. None is made, and the id is
   * nobody's, where the person is suspended.
   */
  create(
    grant: Pick<OAuthGrant, "clientId" | "personId" | "accountId" | "scopes" | "expiresAt">,
  ): Promise<OAuthGrantId>;
  /**
   * Null: unknown, revoked, over, or the person is not in the account any more, suspended there, or without the second
   * factor that it asks for.
   */
  open(id: OAuthGrantId): Promise<OpenGrant | null>;
  /** Of a person, in the order of making; those that are over are left out. */
  list(personId: PersonId, page: Page): Promise<Paged<OAuthGrant>>;
  /** With all that was issued under it. `personId`: only one of the person's. False: there is none. */
  end(id: OAuthGrantId, personId?: PersonId): Promise<boolean>;
  /** As `end`, because what is used once came twice: somebody else may have it. */
  endReplayed(id: OAuthGrantId): Promise<boolean>;
  /** When they were used, Unix ms; the newest counts. */
  used(at: ReadonlyMap<OAuthGrantId, number>): Promise<void>;
  /** Null: the person is not in the account, or suspended there. */
  standing(personId: PersonId, accountId: AccountId): Promise<Standing | null>;
}

export type OAuthRecordKind =
  | "AccessToken"
  | "AuthorizationCode"
  | "ClientCredentials"
  | "DeviceCode"
  | "Interaction"
  | "RefreshToken";

/** A token or a code, or a consent that is under way. */
export interface OAuthRecord {
  readonly kind: OAuthRecordKind;
  /** What the authorization server knows of it. */
  readonly content: string;
  readonly clientId: string | null;
  readonly grantId: OAuthGrantId | null;
  /** Of a device: what a person types. */
  readonly userCode: string | null;
  readonly expiresAt: number;
}
export interface StoredRecord {
  readonly kind: OAuthRecordKind;
  readonly content: string;
  readonly expiresAt: number;
  readonly consumedAt: number | null;
}

/** Tokens and codes, found by themselves alone: what is kept of them is a keyed hash, and sealed content. */
export interface OAuthRecords {
  /** In place of the one before, if there is one; whether that was consumed or claimed stays. Its grant ends no sooner. */
  put(id: string, record: OAuthRecord): Promise<void>;
  /** Also one that is over, or was consumed. */
  find(kind: OAuthRecordKind, id: string): Promise<StoredRecord | null>;
  /** The access token of either kind. */
  findAccess(token: string): Promise<StoredRecord | null>;
  findByUserCode(userCode: string): Promise<StoredRecord | null>;
  /** True for the first, of all that do it at the same time. */
  consume(kind: OAuthRecordKind, id: string): Promise<boolean>;
  /** As `consume`: who decides on it. */
  claim(kind: OAuthRecordKind, id: string): Promise<boolean>;
  remove(kind: OAuthRecordKind, id: string): Promise<void>;
  removeOfGrant(kind: OAuthRecordKind, grantId: OAuthGrantId): Promise<void>;
}

/** Programs that people let in. */
export interface OAuthStore {
  readonly clients: OAuthClients;
  readonly grants: OAuthGrants;
  readonly records: OAuthRecords;
  /** What all processes sign with; sealed. `make` is only believed at the first call of all. */
  keys(make: () => Promise<string>): Promise<string>;
}
