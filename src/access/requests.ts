import type { AuditAction } from "../../schemas/audit.ts";
import type { AccessRequestId, AccountId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import { REQUESTS_PER_ADDRESS, REQUESTS_PER_EMAIL, REVIEW_MS } from "../domain/access/limits.ts";
import type { AccessRequest, Invitation } from "../ports/access.ts";
import type { Fields, Note } from "../ports/audit.ts";
import type { MailContent } from "../ports/mail.ts";
import { invite, isMember, type TooSoon } from "./invite.ts";
import { rejectedMail, requestedMail, requestOverdueMail, requestWaitsMail } from "./mails.ts";
import { sendNotice } from "./notice.ts";
import type { AccessParts, Within } from "./parts.ts";

/** Where owners review; the dashboard's page. */
const queueUrl = (publicUrl: string): string => `${publicUrl}/settings/access-requests`;

const tellReviewers = async (within: Within, parts: AccessParts, mail: MailContent): Promise<void> => {
  for (const { email } of await within.access.members.owners(parts.reviewers))
    await sendNotice(within, parts, email, mail);
};

/**
 * Whoever asks is answered the same, known or not. `waitMs`: too many came from there, or for this address.
 */
export const requestAccess = async (
  parts: AccessParts,
  asked: { readonly email: Email; readonly useCase: string },
  network: string,
): Promise<{ readonly waitMs: number } | null> => {
  const { control, publicUrl } = parts;
  const waitMs = await control.access.attempts.count([
    { name: `access request from ${network}`, limit: REQUESTS_PER_ADDRESS },
    { name: `access request for ${asked.email}`, limit: REQUESTS_PER_EMAIL },
  ]);
  if (waitMs !== null) return { waitMs };
  await control.transaction(async (within) => {
    const { email, useCase } = await within.access.requests.add(asked.email, asked.useCase);
    await sendNotice(within, parts, email, requestedMail());
    await tellReviewers(within, parts, requestWaitsMail(queueUrl(publicUrl), email, useCase));
  });
  return null;
};

const noteOf = (
  action: Extract<AuditAction, `access_request.${string}`>,
  { reviewers }: AccessParts,
  { id, email }: AccessRequest,
  after: Fields,
): Note => ({ action, accountId: reviewers, target: { id, name: email }, after });

/** Thrown to undo a decision. */
class TooSoonError extends Error {
  readonly tooSoon: TooSoon;

  constructor(tooSoon: TooSoon) {
    super();
    this.tooSoon = tooSoon;
  }
}

type Approved =
  | { readonly request: AccessRequest; readonly invitation: Invitation }
  | TooSoon
  | "member"
  | null;

/**
 * From now on it counts as decided, unless too many invitations were sent to the address just now; null: there is none of
 * the id that waits; "member": whoever asked is in the account.
 */
export const approveRequest = (
  parts: AccessParts,
  id: AccessRequestId,
  into: { readonly accountId: AccountId; readonly role: Role; readonly note: string | null },
): Promise<Approved> => {
  const approving = parts.control.transaction(async (within): Promise<Approved> => {
    const asked = await within.access.requests.get(id);
    if (asked?.state === "pending" && (await isMember(within, into.accountId, asked.email))) return "member";
    const request = await within.access.requests.decide(id, { state: "approved", note: into.note });
    if (request === null) return null;
    const { accountId, role } = into;
    await within.audit.add([noteOf("access_request.approved", parts, request, { role, note: into.note })]);
    const invited = await invite(within, parts, { accountId, role, email: request.email }, request);
    if ("waitMs" in invited) throw new TooSoonError(invited);
    return { request, invitation: invited.invitation };
  });
  return approving.catch((error: unknown) => {
    if (error instanceof TooSoonError) return error.tooSoon;
    throw error;
  });
};

/** As `approveRequest`; the note is told to whoever asked. */
export const rejectRequest = (
  parts: AccessParts,
  id: AccessRequestId,
  note: string | null,
): Promise<AccessRequest | null> =>
  parts.control.transaction(async (within) => {
    const request = await within.access.requests.decide(id, { state: "rejected", note });
    if (request === null) return null;
    await within.audit.add([noteOf("access_request.rejected", parts, request, { note })]);
    await sendNotice(within, parts, request.email, rejectedMail(note));
    return request;
  });

/** Whether an answer was promised for before now. */
export const isOverdue = ({ state, createdAt }: AccessRequest, now: number): boolean =>
  state === "pending" && now >= createdAt + REVIEW_MS;

/** Reminds the owners of requests that have waited too long, of each once. */
export const remindOfRequests = (parts: AccessParts): Promise<number> =>
  parts.control.transaction(async (within) => {
    const late = await within.access.requests.remind(parts.clock.now() - REVIEW_MS);
    const url = queueUrl(parts.publicUrl);
    for (const { email } of late) await tellReviewers(within, parts, requestOverdueMail(url, email));
    return late.length;
  });
