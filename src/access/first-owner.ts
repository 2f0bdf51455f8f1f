import type { Email } from "../../schemas/email.ts";
import { INVITATION_MS } from "../domain/access/limits.ts";
import type { Person } from "../ports/access.ts";
import { firstOwnerMail } from "./mails.ts";
import { type AccessParts, newToken } from "./parts.ts";

type Parts = Pick<AccessParts, "control" | "clock" | "entropy" | "publicUrl" | "reviewers">;

/**
 * A link by which the first owner of the installation comes in; null: there is an owner. With an address it is sent there
 * once, and not given.
 */
export const firstOwnerLink = (parts: Parts, email: Email | null): Promise<string | null> =>
  parts.control.transaction(async ({ access, mails }) => {
    const { reviewers, clock, publicUrl } = parts;
    if ((await access.members.owners(reviewers)).length > 0) return null;
    if (email !== null && (await access.links.isOpen(reviewers, "first-owner"))) return null;
    const token = newToken(parts);
    const expiresAt = clock.now() + INVITATION_MS;
    const link = { purpose: "first-owner", subject: reviewers, content: email, expiresAt } as const;
    // Several processes may start, and each shows its own.
    await access.links.add(token, link, { keepOthers: true });
    const url = `${publicUrl}/first-owner/${token}`;
    if (email === null) return url;
    await mails.add({ ...firstOwnerMail(url), to: email, expiresAt });
    return null;
  });

/** Null: the link works no more, there is an owner by now, or somebody has the address. */
export const becomeFirstOwner = (
  { control, reviewers }: Pick<AccessParts, "control" | "reviewers">,
  token: string,
  email: Email,
  hash: string,
): Promise<Person | null> =>
  control.transaction(async ({ access }) => {
    const link = await access.links.use(token, "first-owner");
    if (link === null || (link.content !== null && link.content !== email)) return null;
    if ((await access.members.owners(reviewers)).length > 0) return null;
    const person = await access.people.create(email, hash);
    if (person === null || !(await access.members.add(reviewers, person.id, "owner"))) return null;
    return person;
  });
