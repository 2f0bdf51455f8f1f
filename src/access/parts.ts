import type { AccountId } from "../../schemas/common.ts";
import { TOKEN_BYTES, tokenOf } from "../domain/access/secret-token.ts";
import type { Person } from "../ports/access.ts";
import type { Actor } from "../ports/audit.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { Changing } from "../ports/control-store.ts";
import type { OutsideProviders } from "../ports/outside-providers.ts";
import type { Passwords } from "../ports/passwords.ts";

/** What everything about people works with. */
export interface AccessParts {
  /** Under the name of whoever asks. */
  readonly control: Pick<Changing, "access" | "alertMails" | "audit" | "mails" | "rules" | "transaction">;
  readonly passwords: Passwords;
  /** Who may vouch for people instead. */
  readonly outside: OutsideProviders;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** The account whose owners review access requests: the installation's first. */
  readonly reviewers: AccountId;
  /** Where people reach the service, without a slash at its end; for links in e-mails. */
  readonly publicUrl: string;
}

/** Of where a request came from. */
export interface Visitor {
  readonly address: string;
  readonly userAgent: string;
}

/** What is changed together. */
export type Within = Pick<Changing, "access" | "audit" | "mails">;

/** What somebody did who came by a link or a sign-in, and is known by it. */
export const asPerson = ({ id, email }: Pick<Person, "id" | "email">): Actor => ({
  kind: "person",
  id,
  name: email,
});

export const newToken = ({ entropy }: Pick<AccessParts, "entropy">): string =>
  tokenOf(entropy.bytes(TOKEN_BYTES));
