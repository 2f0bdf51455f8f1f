import { PersonId, type SessionId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import { RESET_MS, RESETS_PER_ADDRESS } from "../domain/access/limits.ts";
import { normalPassword } from "../domain/access/password-rules.ts";
import type { Person } from "../ports/access.ts";
import { countLink } from "./link-limits.ts";
import { noAccountMail, passwordChangedMail, resetMail } from "./mails.ts";
import { sendNotice } from "./notice.ts";
import { type AccessParts, asPerson, newToken, type Within } from "./parts.ts";
import { failuresOfPerson, holdAsShown, isPasswordOf } from "./proof.ts";

const changed = async (
  within: Within,
  parts: AccessParts,
  person: Person,
  hash: string,
  keep: SessionId | null,
  action: "password.changed" | "password.reset",
): Promise<void> => {
  await within.access.people.setPassword(person.id, hash);
  await within.access.sessions.endOthers(person.id, keep);
  await within.access.challenges.drop(person.id);
  await within.access.links.drop(person.id, "reset-password");
  await within.audit.add([{ action, accountId: null, personId: person.id, actor: asPerson(person) }]);
  const mail = passwordChangedMail(`${parts.publicUrl}/forgot-password`);
  await sendNotice(within, parts, person.email, mail);
};

/**
 * Sends a link to the address, or the word that nobody has it: who reads the mail learns which, and nobody else. To be
 * called behind the answer, which is the same for all. `false`: too many were asked for from there, or sent to the
 * address, just now.
 */
export const sendReset = (parts: AccessParts, email: Email, network: string): Promise<boolean> =>
  parts.control.transaction(async (within) => {
    const { clock, publicUrl } = parts;
    const fromThere = { name: `resets from ${network}`, limit: RESETS_PER_ADDRESS };
    if ((await within.access.attempts.count([fromThere])) !== null) return false;
    if ((await countLink(within, `reset of ${email}`)) !== null) return false;
    const { people } = within.access;
    const found = await people.byEmail(email);
    // As they are once nobody changes their address any more.
    if (found !== null) await people.hold(found.id);
    const person = found === null ? null : await people.byEmail(email);
    const expiresAt = clock.now() + RESET_MS;
    if (person === null) {
      await within.mails.add({ ...noAccountMail(`${publicUrl}/request-access`), to: email, expiresAt });
      return true;
    }
    const token = newToken(parts);
    const link = { purpose: "reset-password", subject: person.id, content: null, expiresAt } as const;
    await within.access.links.add(token, link);
    await within.audit.add([{ action: "password.reset_requested", accountId: null, personId: person.id }]);
    await within.mails.add({ ...resetMail(`${publicUrl}/reset-password/${token}`), to: email, expiresAt });
    return true;
  });

/**
 * By the link. Every session ends, and a second factor stays asked for; guesses of the password before lock nobody out any
 * more. Null: the link works no more.
 */
export const resetPassword = (parts: AccessParts, token: string, hash: string): Promise<Person | null> =>
  parts.control.transaction(async (within) => {
    const { links, people, attempts } = within.access;
    const link = await links.look(token, "reset-password");
    if (link === null) return null;
    const id = PersonId.parse(link.subject);
    // The person before their links, as whatever else drops links does: no two wait for each other.
    await people.hold(id);
    const person = await people.get(id);
    if (person === null || (await links.use(token, "reset-password")) === null) return null;
    await changed(within, parts, person, hash, null, "password.reset");
    await attempts.forget(failuresOfPerson(person.email));
    return person;
  });

/** By somebody who is signed in and knows the one there is. False: it was wrong, or is it by now. Every other session ends. */
export const changePassword = async (
  parts: AccessParts,
  person: Person,
  passwords: { readonly current: string; readonly next: string },
  session: SessionId,
  network: string,
): Promise<boolean> => {
  const typed = { password: passwords.current, network };
  if (!(await isPasswordOf(parts, person, typed, "proof.failed"))) return false;
  const hash = await parts.passwords.hash(normalPassword(passwords.next));
  return parts.control.transaction(async (within) => {
    const now = await holdAsShown(within, person);
    if (now === null) return false;
    await changed(within, parts, now, hash, session, "password.changed");
    return true;
  });
};
