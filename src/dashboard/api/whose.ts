import { api } from "./client.ts";
import type { Me } from "./types.ts";

/** Somebody else is signed in by now: what the page shows, and what was typed there, is not theirs. */
export class SomebodyElse extends Error {
  readonly email: string;
  constructor(email: string) {
    super(`${email} is signed in now`);
    this.email = email;
  }
}

const isSame = (one: Me, other: Me): boolean => one.id === other.id && one.accountId === other.accountId;

/** Whoever was signed in, and to which account, when the page was opened. */
let whose: Me | null = null;

/** Throws SomebodyElse once it is not who it was any more. */
export const whoIsSignedIn = async (): Promise<Me> => {
  const now = await api.get("/v1/me");
  whose ??= now;
  if (!isSame(whose, now)) throw new SomebodyElse(now.email);
  return now;
};
