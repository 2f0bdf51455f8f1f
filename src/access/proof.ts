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

/** Whether it is the person's password; the same work whatever comes of it, and counted. */
export const isPasswordOf = async (
  { control, passwords }: AccessParts,
  person: Pick<Person, "email" | "password">,
  typed: string,
  network: string,
): Promise<boolean> => {
  const failures = failuresOf(person.email, network);
  const waitMs = await control.access.attempts.count(failures);
  const isRight = await passwords.verify(normalPassword(typed), waitMs === null ? person.password : null);
  if (isRight) await control.access.attempts.uncount(failures);
  return isRight;
};

/** Whether somebody who is signed in is who they are: by the password, and a code where one is asked for. */
export const proveAgain = async (
  parts: AccessParts,
  person: Person,
  { password, code }: { readonly password: string; readonly code?: string | undefined },
  network: string,
): Promise<boolean> => {
  if (!(await isPasswordOf(parts, person, password, network))) return false;
  return (
    person.secondFactorSince === null || (code !== undefined && (await takeCode(parts, person.id, code)))
  );
};
