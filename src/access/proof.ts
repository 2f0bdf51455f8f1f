import type { PersonId } from "../../schemas/common.ts";
import { FAILURES_PER_ADDRESS, FAILURES_PER_PERSON } from "../domain/access/limits.ts";
import { normalPassword } from "../domain/access/password-rules.ts";
import type { Person } from "../ports/access.ts";
import type { AccessParts } from "./parts.ts";
import { takeCode } from "./second-factor.ts";

/** As `signIn` counts them: guesses of a password are guesses wherever they are made. */
export const failuresOf = (email: string, network: string) => [
  { name: `sign-in ${email}`, limit: FAILURES_PER_PERSON },
  { name: `sign-in from ${network}`, limit: FAILURES_PER_ADDRESS },
];

type Whose = Pick<Person, "email" | "password"> & { readonly id: PersonId | null };

/** Whether it is the person's password; the same work whatever comes of it, counted, and noted where it is wrong. */
export const isPasswordOf = async (
  { control, passwords }: AccessParts,
  { id, email, password }: Whose,
  typed: { readonly password: string; readonly network: string },
  failure: "sign_in.failed" | "proof.failed",
): Promise<boolean> => {
  const failures = failuresOf(email, typed.network);
  const isOpen = (await control.access.attempts.count(failures)) === null;
  const isRight = await passwords.verify(normalPassword(typed.password), isOpen ? password : null);
  if (isRight) await control.access.attempts.uncount(failures);
  // What goes on while the door is locked would fill somebody's log: it is noted for nobody, in the same time.
  else await control.audit.add([{ action: failure, accountId: null, personId: isOpen ? id : null }]);
  return isRight;
};

/** Whether somebody who is signed in is who they are: by the password, and a code where one is asked for. */
export const proveAgain = async (
  parts: AccessParts,
  person: Person,
  { password, code }: { readonly password: string; readonly code?: string | undefined },
  network: string,
): Promise<boolean> => {
  if (!(await isPasswordOf(parts, person, { password, network }, "proof.failed"))) return false;
  return (
    person.secondFactorSince === null ||
    (code !== undefined && (await takeCode(parts, person.id, code, "proof.failed")))
  );
};
