import type { AccountId } from "../../schemas/common.ts";
import { TOKEN_BYTES, tokenOf } from "../domain/access/secret-token.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { Passwords } from "../ports/passwords.ts";

/** What everything about people works with. */
export interface AccessParts {
  readonly control: Pick<ControlStore, "access" | "mails" | "transaction">;
  readonly passwords: Passwords;
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
export type Within = Pick<ControlStore, "access" | "mails">;

export const newToken = ({ entropy }: Pick<AccessParts, "entropy">): string =>
  tokenOf(entropy.bytes(TOKEN_BYTES));
