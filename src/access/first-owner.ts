import type { Email } from "../../schemas/email.ts";
import { INVITATION_MS } from "../domain/access/limits.ts";
import type { Person } from "../ports/access.ts";
import { firstOwnerMail } from "./mails.ts";
import { type AccessParts, newToken } from "./parts.ts";

type Parts = Pick<AccessParts, "control" | "clock" | "entropy" | "publicUrl" | "reviewers">;

/**
 * A link by which the first owner of the installation comes in; null: there is an owner. With an address it is sent there
 * once, and not given; those for anybody else, or for another address, work no more.
 */
export const firstOwnerLink = (parts: Parts, email: Email | null): Promise<string | null> =>
  parts.control.transaction(async ({ access, accounts, mails }) => {
    const { reviewers, clock, publicUrl } = parts;
    await accounts.hold(reviewers);
    if ((await access.members.owners(reviewers)).length > 0) return null;
    if (email !== null) {
      const open = await access.links.open(reviewers, "first-owner");
      if (open.length > 0 && open.every(({ content }) => content === email)) return null;
      await access.links.drop(reviewers, "first-owner");
    }
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

/** Whether somebody has come in by such a link. */
export const hasOwner = async ({
  control,
  reviewers,
}: Pick<Parts, "control" | "reviewers">): Promise<boolean> =>
  (await control.access.members.owners(reviewers)).length > 0;

/** Null: the link works no more, there is an owner by now, or somebody has the address. */
export const becomeFirstOwner = (
  { control, reviewers }: Pick<AccessParts, "control" | "reviewers">,
  token: string,
  email: Email,
  hash: string,
): Promise<Person | null> =>
  control.transaction(async ({ access, accounts }) => {
    // One after the other: each link is another one's, and all make an owner of whoever comes first.
    await accounts.hold(reviewers);
    const link = await access.links.use(token, "first-owner");
    if (link === null || (link.content !== null && link.content !== email)) return null;
    if ((await access.members.owners(reviewers)).length > 0) return null;
    const person = await access.people.create(email, hash);
    if (person === null || !(await access.members.add(reviewers, person.id, "owner"))) return null;
    await access.links.drop(reviewers, "first-owner");
    return person;
  });
