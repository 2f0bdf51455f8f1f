import type {
  AccessRequestId,
  AccountId,
  IdentityId,
  InvitationId,
  MailId,
  PersonId,
  SessionId,
} from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import type { InvitationTimes } from "../domain/access/invitation.ts";
import type { Limit } from "../domain/access/limits.ts";
import type { Changed, Expected, Page, Paged } from "./control-store.ts";
import type { OAuthStore } from "./oauth.ts";
import type { OutsideIdentity } from "./outside-providers.ts";

export interface Person {
  readonly id: PersonId;
  readonly email: Email;
  /** In the PHC string format; null: there is none. */
  readonly password: string | null;
  /** Since when a code of an app is asked for, Unix ms; null: it is not. */
  readonly secondFactorSince: number | null;
  readonly createdAt: number;
}

export interface People {
  get(id: PersonId): Promise<Person | null>;
  byEmail(email: Email): Promise<Person | null>;
  /** Another transaction that holds the person waits until this one has ended. */
  hold(id: PersonId): Promise<void>;
  /** Null: somebody has the address already. */
  create(email: Email, password: string | null): Promise<Person | null>;
  setPassword(id: PersonId, password: string): Promise<void>;
  /** False: somebody else has it. */
  setEmail(id: PersonId, email: Email): Promise<boolean>;
  /** Keeps a secret for codes, sealed, beside none that counts: until it is confirmed it replaces nothing. */
  proposeSecondFactor(id: PersonId, secret: string): Promise<void>;
  /** The secret that codes are made of, and whether it is confirmed; null: there is none. */
  secondFactor(id: PersonId): Promise<{ readonly secret: string; readonly isConfirmed: boolean } | null>;
  /**
   * Takes the code of this step (counted in 30 s): false where one of it or of a later one was taken before. `confirm`:
   * from now on codes are asked for.
   */
  takeStep(id: PersonId, step: number, confirm?: boolean): Promise<boolean>;
  /** With its recovery codes; no session of theirs counts as begun with one any more. */
  removeSecondFactor(id: PersonId): Promise<void>;
  /** In place of all that there were. */
  setRecoveryCodes(id: PersonId, codes: readonly string[]): Promise<void>;
  /** False: it is none of the person's, or was used before. */
  useRecoveryCode(id: PersonId, code: string): Promise<boolean>;
  recoveryCodesLeft(id: PersonId): Promise<number>;
}

/** An identity at an outside provider that a person signs in with. */
export interface LinkedIdentity extends OutsideIdentity {
  readonly id: IdentityId;
  readonly createdAt: number;
}

/** Each is one person's, whatever e-mail address a provider says they have. */
export interface Identities {
  personOf(identity: OutsideIdentity): Promise<Person | null>;
  /** Oldest first. */
  of(personId: PersonId): Promise<LinkedIdentity[]>;
  /** False: it is linked already, to this person or to another. */
  add(personId: PersonId, identity: OutsideIdentity): Promise<boolean>;
  /** False: it is none of theirs. */
  remove(personId: PersonId, identity: OutsideIdentity): Promise<boolean>;
}

export interface Member {
  readonly personId: PersonId;
  readonly email: Email;
  readonly role: Role;
  readonly hasSecondFactor: boolean;
  readonly suspendedAt: number | null;
  readonly revision: number;
  readonly createdAt: number;
}

/** A member as they were, and as they are now; null: they are none any more. */
export interface ChangedMember {
  readonly before: Member;
  readonly after: Member | null;
}

export interface Members {
  /** False: the person is in the account already. */
  add(accountId: AccountId, personId: PersonId, role: Role): Promise<boolean>;
  get(accountId: AccountId, personId: PersonId): Promise<Member | null>;
  list(accountId: AccountId, page: Page): Promise<Paged<Member>>;
  /** The accounts of a person, oldest membership first. */
  of(
    personId: PersonId,
  ): Promise<{ readonly accountId: AccountId; readonly role: Role; readonly suspendedAt: number | null }[]>;
  /** Whoever owns an account and is not suspended. */
  owners(accountId: AccountId): Promise<Member[]>;
  /**
   * Sessions of the person get another token with it. Whoever is suspended loses those that are in the account, and what
   * they let programs do there; their keys stop until they are back. A conflict: the last owner, for somebody must be left who can let
   * others in. One at a time for each account.
   */
  change(
    accountId: AccountId,
    personId: PersonId,
    patch: { readonly role?: Role; readonly isSuspended?: boolean },
    expected?: Expected,
  ): Promise<Changed<ChangedMember>>;
  /** As a suspension by `change`; and keys that they made in the account end, too. */
  remove(accountId: AccountId, personId: PersonId, expected?: Expected): Promise<Changed<ChangedMember>>;
}

export type AccessRequestState = "pending" | "approved" | "rejected";
export interface AccessRequest {
  readonly id: AccessRequestId;
  readonly email: Email;
  readonly useCase: string;
  readonly state: AccessRequestState;
  readonly note: string | null;
  readonly createdAt: number;
  readonly decidedAt: number | null;
}

export interface AccessRequests {
  /** One of the address that waits already is given as it is, whoever asks at the same time. */
  add(email: Email, useCase: string): Promise<AccessRequest>;
  get(id: AccessRequestId): Promise<AccessRequest | null>;
  /** Oldest first. */
  list(page: Page & { readonly state?: AccessRequestState | undefined }): Promise<Paged<AccessRequest>>;
  /** The one that was decided; null: there is none, or somebody decided before. */
  decide(
    id: AccessRequestId,
    decision: { readonly state: "approved" | "rejected"; readonly note: string | null },
  ): Promise<AccessRequest | null>;
  /** Those that wait since before (Unix ms) and of which nobody was reminded yet; from now on they count as reminded of. */
  remind(before: number): Promise<AccessRequest[]>;
}

export interface Invitation extends InvitationTimes {
  readonly id: InvitationId;
  readonly accountId: AccountId;
  readonly email: Email;
  readonly role: Role;
  readonly accessRequestId: AccessRequestId | null;
  readonly createdAt: number;
}

/** An invitation is open until it is accepted or revoked; an address has one at a time in an account. */
export interface Invitations {
  /** One that is open takes the role, and the request where there is one, whoever invites at the same time. */
  create(
    invitation: Pick<Invitation, "accountId" | "email" | "role" | "accessRequestId">,
  ): Promise<Invitation & { readonly isNew: boolean }>;
  get(id: InvitationId): Promise<Invitation | null>;
  /** As it is; null: it is not open. Whoever would change it waits until this transaction has ended. */
  hold(id: InvitationId): Promise<Invitation | null>;
  /** Newest first. */
  list(accountId: AccountId, page: Page): Promise<Paged<Invitation>>;
  /** Its e-mail is on its way, with a link until then; it is invited when the mail is sent. Begins anew where it was verified. */
  mailed(id: InvitationId, mailId: MailId, expiresAt: number): Promise<void>;
  /** False: it was revoked or accepted before. */
  verified(id: InvitationId): Promise<boolean>;
  /** False: it was revoked or accepted before. */
  accepted(id: InvitationId): Promise<boolean>;
  /** False: it was revoked or accepted before. */
  revoke(id: InvitationId): Promise<boolean>;
  /** The one of the address that was open, if any; it is no more. */
  revokeOf(accountId: AccountId, email: Email): Promise<Invitation[]>;
}

export type LinkPurpose =
  | "invitation"
  | "set-password"
  | "reset-password"
  | "confirm-email"
  | "first-owner"
  | "outside-sign-in"
  | "stop-mails";

/** What a link is about: a person, an invitation, or what is written in it. */
export interface Link {
  readonly purpose: LinkPurpose;
  readonly subject: string;
  readonly content: string | null;
  readonly expiresAt: number;
}

/** Secrets sent to people. Each works once; of each only a keyed hash is kept. */
export interface Links {
  /** The others of its purpose and subject work no more, unless they are to be kept. */
  add(token: string, link: Link, options?: { readonly keepOthers?: boolean }): Promise<void>;
  /** Without using it; null: unknown, used, expired, or of another purpose. */
  look(token: string, purpose: LinkPurpose): Promise<Link | null>;
  /** As `look`, and only the first gets it, of all that ask at the same time. */
  use(token: string, purpose: LinkPurpose): Promise<Link | null>;
  /** Those that still work. */
  open(subject: string, purpose: LinkPurpose): Promise<Link[]>;
  /** Whether the one of this subject was used, of those that were made together and so end at the same moment. */
  wasUsed(link: Pick<Link, "purpose" | "subject" | "expiresAt">): Promise<boolean>;
  /**
   * Whether a secret that was given away without being written down comes back for the first time, of all that come with
   * it; to be asked no later than it expires.
   */
  firstUse(token: string, link: Omit<Link, "content">): Promise<boolean>;
  /** None of these works any more. */
  drop(subject: string, purpose: LinkPurpose): Promise<void>;
}

export interface Session {
  readonly id: SessionId;
  readonly personId: PersonId;
  readonly accountId: AccountId | null;
  readonly hasSecondFactor: boolean;
  /** When the person last proved who they are, Unix ms. */
  readonly provenAt: number;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
}

/** A session with what it opens now: as the person's role in the account is. */
export interface OpenSession extends Session {
  readonly email: Email;
  /** Null: the person is in no account any more, or suspended in this one. */
  readonly role: Role | null;
  readonly mustSetUpSecondFactor: boolean;
  /** It is to get another token. */
  readonly isStale: boolean;
}

export interface Sessions {
  create(
    token: string,
    session: Pick<Session, "personId" | "accountId" | "hasSecondFactor" | "userAgent" | "address">,
  ): Promise<Session>;
  /** Null: unknown, ended, idle for too long or too old. */
  find(token: string): Promise<OpenSession | null>;
  /** As `find`, of one that was let in before. */
  get(id: SessionId): Promise<OpenSession | null>;
  /** Newest seen first. */
  list(personId: PersonId): Promise<Session[]>;
  /**
   * The token is another one from now on; the one before works for some seconds, for what was under way. False: somebody
   * else has changed it, so what they were given is the one.
   */
  rotate(token: string, next: string): Promise<boolean>;
  /** The person has proved who they are; `hasSecondFactor`: by a code, too. */
  proven(id: SessionId, hasSecondFactor?: boolean): Promise<void>;
  enter(id: SessionId, accountId: AccountId): Promise<void>;
  /** When sessions were used, Unix ms; the newest counts. */
  seen(at: ReadonlyMap<SessionId, number>): Promise<void>;
  end(personId: PersonId, id: SessionId): Promise<boolean>;
  /** Every one of the person but that one. */
  endOthers(personId: PersonId, but: SessionId | null): Promise<void>;
}

/** Between the password and the second factor. */
export interface Challenges {
  create(token: string, personId: PersonId): Promise<void>;
  /** One try of it; null: unknown, too old, or tried too often. */
  try(token: string): Promise<PersonId | null>;
  /** It was met. False: somebody else met it before, or it was dropped. */
  end(token: string): Promise<boolean>;
  /** None of the person's can be met any more. */
  drop(personId: PersonId): Promise<void>;
}

/** How often something was tried, by all processes together. Names are kept as keyed hashes. */
export interface Attempts {
  /** Counts one more of each; null: all of them are within their limits, else how long until they are. */
  count(attempts: readonly { readonly name: string; readonly limit: Limit }[]): Promise<number | null>;
  /** It was none after all. */
  uncount(attempts: readonly { readonly name: string; readonly limit: Limit }[]): Promise<void>;
  /** None of them counts any more. */
  forget(attempts: readonly { readonly name: string; readonly limit: Limit }[]): Promise<void>;
}

/** Texts that browsers keep for us: nobody else can read them, make one, or change one. */
export interface Seals {
  /** In the letters of a cookie. */
  seal(purpose: string, text: string): string;
  /** Null: it is none of ours, or was sealed for another purpose. */
  open(purpose: string, sealed: string): string | null;
}

/** Who may come in, and who is there. */
export interface Access {
  readonly people: People;
  readonly identities: Identities;
  readonly members: Members;
  readonly requests: AccessRequests;
  readonly invitations: Invitations;
  readonly links: Links;
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  readonly attempts: Attempts;
  readonly seals: Seals;
  readonly oauth: OAuthStore;
  /**
   * Forgets links, challenges, sessions, counts, grants and tokens that are over, and invitations that are for long; at
   * most `limit` of each. Gives how many it were.
   */
  prune(now: number, limit: number): Promise<number>;
}
