import { z } from "zod";
import { PersonId } from "../../schemas/common.ts";
import { Email } from "../../schemas/email.ts";
import { EMAIL_CHANGE_MS, LINK_LIMITS } from "../domain/access/limits.ts";
import type { Person } from "../ports/access.ts";
import { confirmNewEmailMail, confirmOldEmailMail } from "./mails.ts";
import { type AccessParts, asPerson, newToken } from "./parts.ts";

/** What a link of one end says: which end, and to what address the person goes. */
const Change = z.strictObject({ end: z.enum(["old", "new"]), next: Email });

const subjectOf = (id: PersonId, end: "old" | "new"): string => `${id} ${end}`;

/** Asks both addresses. `waitMs`: too many were asked just now. An address that somebody has is asked, too: only its reader learns. */
export const askForEmailChange = async (
  parts: AccessParts,
  person: Person,
  next: Email,
): Promise<{ readonly waitMs: number } | null> => {
  const { control, clock, publicUrl } = parts;
  const limits = [person.email, next].flatMap((email) =>
    LINK_LIMITS.map((limit) => ({ name: `change of e-mail, to ${email}`, limit })),
  );
  const waitMs = await control.access.attempts.count(limits);
  if (waitMs !== null) return { waitMs };
  const expiresAt = clock.now() + EMAIL_CHANGE_MS;
  await control.transaction(async (within) => {
    const asked = { action: "email.change_requested", personId: person.id, after: { email: next } } as const;
    await within.audit.add([{ ...asked, accountId: null }]);
    for (const end of ["old", "new"] as const) {
      const token = newToken(parts);
      const content = JSON.stringify({ end, next });
      const link = {
        purpose: "confirm-email",
        subject: subjectOf(person.id, end),
        content,
        expiresAt,
      } as const;
      await within.access.links.add(token, link);
      const url = `${publicUrl}/confirm-email/${token}`;
      const mail = end === "new" ? confirmNewEmailMail(url) : confirmOldEmailMail(url, next);
      await within.mails.add({ ...mail, to: end === "new" ? next : person.email, expiresAt });
    }
  });
  return null;
};

export type EmailChange = "changed" | "other-end" | "taken" | "over";

/** One end confirms; the second one to do so makes the change. `other-end`: the other one is still to confirm. */
export const confirmEmail = (parts: AccessParts, token: string): Promise<EmailChange> =>
  parts.control.transaction(async ({ access, audit }) => {
    const link = await access.links.use(token, "confirm-email");
    if (link === null || link.content === null) return "over";
    const { end, next } = Change.parse(JSON.parse(link.content));
    const id = PersonId.parse(link.subject.split(" ")[0]);
    await access.people.hold(id);
    const other = { ...link, subject: subjectOf(id, end === "old" ? "new" : "old") };
    if (!(await access.links.wasUsed(other))) return "other-end";
    const person = await access.people.get(id);
    if (person === null || !(await access.people.setEmail(id, next))) return "taken";
    // One that is still on its way to the old mailbox is for whoever reads it.
    await access.links.drop(id, "reset-password");
    const [before, after] = [{ email: person.email }, { email: next }];
    const actor = asPerson(person);
    await audit.add([{ action: "email.changed", accountId: null, personId: id, actor, before, after }]);
    return "changed";
  });
