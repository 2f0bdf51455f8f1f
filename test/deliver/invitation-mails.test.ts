import { expect, test } from "vitest";
import { Email } from "../../schemas/email.ts";
import { approveRequest } from "../../src/access/requests.ts";
import { smtpMailer } from "../../src/adapters/mail/smtp.ts";
import { invitationState } from "../../src/domain/access/invitation.ts";
import { openAccesses } from "../support/access.ts";
import { Delivering } from "../support/deliver.ts";
import { startSmtp } from "../support/smtp.ts";

const JANE = Email.parse("jane@example.org");

test("a request that is approved while no e-mail can be sent stays approved, and is invited once one can", async () => {
  const accesses = await openAccesses(null);
  const [parts] = accesses.both;
  const { access } = parts.control;
  const own = await Delivering.open(accesses.clock, accesses.stores[0]);
  const smtp = await startSmtp({ hideSTARTTLS: true });
  smtp.refuse(451, "not now");
  const to = { host: "127.0.0.1", port: smtp.port, implicitTls: false, requireTls: false, login: null };
  await own.start({ mailer: smtpMailer({ ...to, from: Email.parse("noreply@example.org") }) });

  const asked = await access.requests.add(JANE, "I watch forty masts of a mountain rescue.");
  const into = { accountId: parts.reviewers, role: "viewer", note: null } as const;
  const approved = await approveRequest(parts, asked.id, into);
  if (approved === null || approved === "member" || "waitMs" in approved) throw new Error("not approved");
  const { id } = approved.invitation;
  const state = async () => {
    const found = await access.invitations.get(id);
    return found && invitationState(found, accesses.clock.now());
  };
  const isIll = () =>
    own.health().some(({ name, state: health }) => name === "mail" && health === "degraded");
  await own.passing("the trouble to be told", isIll);
  expect([await state(), smtp.received.length]).toEqual(["approved", 0]);
  expect(await access.requests.get(asked.id)).toMatchObject({ state: "approved" });

  smtp.accept();
  await own.passing("the invitation to be sent", async () => (await state()) === "invited");
  expect(smtp.received.map((mail) => mail.to)).toEqual([[JANE]]);
  expect(smtp.received[0]?.source).toMatch(/^Subject: You are invited/m);
});
