import type { PersonId } from "../../schemas/common.ts";
import { FAILURES_PER_PERSON, RECOVERY_CODES } from "../domain/access/limits.ts";
import { RECOVERY_CODE_BYTES, recoveryCode, recoveryCodeOf } from "../domain/access/one-time-code.ts";
import type { Person } from "../ports/access.ts";
import { secondFactorMail } from "./mails.ts";
import { sendNotice } from "./notice.ts";
import type { AccessParts, Visitor, Within } from "./parts.ts";
import { startSession } from "./session.ts";
import { newTotpSecret, stepOfCode, totpUri } from "./totp.ts";

const isCode = async (
  { control: { access, audit }, clock }: Pick<AccessParts, "control" | "clock">,
  personId: PersonId,
  typed: string,
): Promise<boolean> => {
  const factor = await access.people.secondFactor(personId);
  if (factor === null || !factor.isConfirmed) return false;
  const step = stepOfCode(factor.secret, typed, clock.now());
  if (step !== null) return access.people.takeStep(personId, step);
  const code = recoveryCode(typed);
  if (code === null || !(await access.people.useRecoveryCode(personId, code))) return false;
  await audit.add([{ action: "recovery_code.used", accountId: null, personId }]);
  return true;
};

const guessesOf = (personId: PersonId) => [{ name: `code of ${personId}`, limit: FAILURES_PER_PERSON }];

/**
 * Whether the text is a code of the person's app, or a recovery code, that nobody used before. Uses it up. Guesses are
 * counted over all challenges: who knows the password could begin as many as they like.
 */
export const takeCode = async (
  parts: Pick<AccessParts, "control" | "clock">,
  personId: PersonId,
  typed: string,
  failure: "sign_in.failed" | "proof.failed",
): Promise<boolean> => {
  const { attempts } = parts.control.access;
  const guesses = guessesOf(personId);
  if ((await attempts.count(guesses)) !== null) return false;
  if (!(await isCode(parts, personId, typed))) {
    await parts.control.audit.add([
      { action: failure, accountId: null, personId, after: { factor: "code" } },
    ]);
    return false;
  }
  await attempts.uncount(guesses);
  return true;
};

/** What becomes of a code at sign-in. `over`: the password has to be given again. */
export type Passed =
  | { readonly state: "signed-in"; readonly token: string; readonly personId: PersonId }
  | { readonly state: "refused" }
  | { readonly state: "over" };

/** By the token of the challenge and a code; each try counts. */
export const passSecondFactor = async (
  parts: AccessParts,
  challenge: string,
  typed: string,
  visitor: Visitor,
): Promise<Passed> => {
  const { control } = parts;
  const personId = await control.access.challenges.try(challenge);
  if (personId === null) return { state: "over" };
  if (!(await takeCode(parts, personId, typed, "sign_in.failed"))) return { state: "refused" };
  return control.transaction(async (within) => {
    const { people, challenges } = within.access;
    await people.hold(personId);
    const person = await people.get(personId);
    // A new password meanwhile has ended the challenge.
    if (person === null || !(await challenges.end(challenge))) return { state: "over" };
    const token = await startSession(within, parts, person, person.secondFactorSince !== null, visitor);
    return { state: "signed-in", token, personId };
  });
};

/** A secret for the person's app, which counts once a code of it has come back. Null: there is one that counts. */
export const proposeSecondFactor = async (
  { control: { access }, entropy }: AccessParts,
  person: Person,
): Promise<{ readonly secret: string; readonly uri: string } | null> => {
  if (person.secondFactorSince !== null) return null;
  const secret = newTotpSecret((count) => entropy.bytes(count));
  await access.people.proposeSecondFactor(person.id, secret);
  return { secret, uri: totpUri(secret, person.email) };
};

const newCodes = ({ entropy }: AccessParts): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => recoveryCodeOf(entropy.bytes(RECOVERY_CODE_BYTES)));

const tell = (within: Within, parts: AccessParts, person: Person, isOn: boolean) =>
  sendNotice(within, parts, person.email, secondFactorMail(isOn, `${parts.publicUrl}/forgot-password`));

/**
 * With the first code of the app: from now on codes are asked for. The recovery codes; null: the code was wrong, or there
 * were too many guesses.
 */
export const confirmSecondFactor = async (
  parts: AccessParts,
  person: Person,
  typed: string,
): Promise<string[] | null> => {
  const { control, clock } = parts;
  const guesses = guessesOf(person.id);
  if ((await control.access.attempts.count(guesses)) !== null) return null;
  const factor = await control.access.people.secondFactor(person.id);
  const step = factor === null ? null : stepOfCode(factor.secret, typed, clock.now());
  if (step === null) return null;
  const codes = newCodes(parts);
  const isTaken = await control.transaction(async (within) => {
    if (!(await within.access.people.takeStep(person.id, step, true))) return false;
    await within.access.people.setRecoveryCodes(person.id, codes);
    await within.audit.add([{ action: "second_factor.enabled", accountId: null, personId: person.id }]);
    await tell(within, parts, person, true);
    return true;
  });
  if (!isTaken) return null;
  await control.access.attempts.uncount(guesses);
  return codes;
};

/** In place of those before; shown once. */
export const newRecoveryCodes = async (parts: AccessParts, personId: PersonId): Promise<string[]> => {
  const codes = newCodes(parts);
  await parts.control.transaction(async ({ access, audit }) => {
    await access.people.setRecoveryCodes(personId, codes);
    await audit.add([{ action: "recovery_codes.replaced", accountId: null, personId }]);
  });
  return codes;
};

export const removeSecondFactor = (parts: AccessParts, person: Person): Promise<void> =>
  parts.control.transaction(async (within) => {
    await within.access.people.removeSecondFactor(person.id);
    await within.audit.add([{ action: "second_factor.disabled", accountId: null, personId: person.id }]);
    await tell(within, parts, person, false);
  });
