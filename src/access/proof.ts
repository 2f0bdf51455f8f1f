import type { PersonId, SessionId } from "../../schemas/common.ts";
import { FAILURES_PER_ADDRESS, FAILURES_PER_PERSON } from "../domain/access/limits.ts";
import { normalPassword } from "../domain/access/password-rules.ts";
import type { Person } from "../ports/access.ts";
import type { AccessParts, Within } from "./parts.ts";
import { takeCode } from "./second-factor.ts";

/** As `signIn` counts them: guesses of a password are guesses wherever they are made. */
export const failuresOfPerson = (email: string) => [{ name: `sign-in ${email}`, limit: FAILURES_PER_PERSON }];
export const failuresFrom = (network: string) => [
  { name: `sign-in from ${network}`, limit: FAILURES_PER_ADDRESS },
];

type Whose = Pick<Person, "email" | "password"> & { readonly id: PersonId | null };

/**
 * Whether it is the person's password; the same work whatever comes of it, counted, and noted where it is wrong. A network
 * that is locked out says nothing of any account: for it no work is done, and nothing is noted.
 */
export const isPasswordOf = async (
  { control, passwords }: AccessParts,
  { id, email, password }: Whose,
  typed: { readonly password: string; readonly network: string },
  failure: "sign_in.failed" | "proof.failed",
): Promise<boolean> => {
  const { attempts } = control.access;
  const [theirs, from] = [failuresOfPerson(email), failuresFrom(typed.network)];
  if ((await attempts.count(from)) !== null) return false;
  const isOpen = (await attempts.count(theirs)) === null;
  const isRight = await passwords.verify(normalPassword(typed.password), isOpen ? password : null);
  if (isRight) await attempts.uncount([...theirs, ...from]);
  // What goes on while the door is locked would fill somebody's log: it is noted for nobody, in the same time.
  else await control.audit.add([{ action: failure, accountId: null, personId: isOpen ? id : null }]);
  return isRight;
};

/**
 * The person as they are now, held until the transaction ends; null: the password that they had when they were looked up is
 * theirs no more. Before anything is done for who has shown it, as a new one meanwhile is to shut them out.
 */
export const holdAsShown = async (
  { access: { people } }: Pick<Within, "access">,
  { id, password }: Person,
): Promise<Person | null> => {
  await people.hold(id);
  const now = await people.get(id);
  return now?.password === password ? now : null;
};

/**
 * Whether somebody who is signed in is who they are: by the password, and a code where one is asked for. Then their session
 * counts as proven.
 */
export const proveAgain = async (
  parts: AccessParts,
  person: Person,
  session: SessionId,
  { password, code }: { readonly password: string; readonly code?: string | undefined },
  network: string,
): Promise<boolean> => {
  if (!(await isPasswordOf(parts, person, { password, network }, "proof.failed"))) return false;
  const hasSecondFactor = person.secondFactorSince !== null;
  if (hasSecondFactor && (code === undefined || !(await takeCode(parts, person.id, code, "proof.failed"))))
    return false;
  return parts.control.transaction(async (within) => {
    const now = await holdAsShown(within, person);
    if (now === null || now.secondFactorSince !== person.secondFactorSince) return false;
    await within.access.sessions.proven(session, hasSecondFactor);
    return true;
  });
};
