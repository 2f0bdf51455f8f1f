import { Email } from "../../schemas/email.ts";
import type { Person } from "../ports/access.ts";
import { type AccessParts, newToken, type Visitor } from "./parts.ts";
import { holdAsShown, isPasswordOf } from "./proof.ts";
import { startSession } from "./session.ts";

const NOBODY = Email.parse("nobody@invalid.example");

/** Who has shown a first factor is in, or asked for a code. */
export interface FirstFactorShown {
  readonly state: "signed-in" | "second-factor";
  readonly token: string;
  readonly person: Person;
}
/** What becomes of a password. `refused` says nothing of why: wrong, unknown, locked and not yet in look the same. */
export type SignIn = FirstFactorShown | { readonly state: "refused" };

/** After a first factor, whichever it was. Refused where the password was replaced since the person was looked up. */
export const afterFirstFactor = (parts: AccessParts, shown: Person, visitor: Visitor): Promise<SignIn> =>
  parts.control.transaction(async (within) => {
    const person = await holdAsShown(within, shown);
    if (person === null) return { state: "refused" };
    if (person.secondFactorSince !== null) {
      const token = newToken(parts);
      await within.access.challenges.create(token, person.id);
      return { state: "second-factor", token, person };
    }
    const token = await startSession(within, parts, person, false, visitor);
    return { state: "signed-in", token, person };
  });

/**
 * By password. The attempt counts before it is known to be one that fails, so that many at once are not more than the
 * limits allow; a lock lasts only as long as its window, and ends no session. Each way to fail takes the same queries
 * and one hash.
 */
export const signIn = async (
  parts: AccessParts,
  credentials: { readonly email: string; readonly password: string },
  visitor: Visitor & { readonly network: string },
): Promise<SignIn> => {
  const { control } = parts;
  // An address that is none belongs to nobody; what it takes to find that out is the same.
  const email = Email.safeParse(credentials.email).data ?? NOBODY;
  const person = await control.access.people.byEmail(email);
  const whose = person ?? { id: null, email, password: null };
  const typed = { password: credentials.password, network: visitor.network };
  if (!(await isPasswordOf(parts, whose, typed, "sign_in.failed")) || person === null)
    return { state: "refused" };
  return afterFirstFactor(parts, person, visitor);
};
