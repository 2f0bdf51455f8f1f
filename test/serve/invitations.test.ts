import { expect, test } from "vitest";
import { Email } from "../../schemas/email.ts";
import { Invitation, InvitationsAnswer } from "../../schemas/member.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import { Browser } from "../support/people.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const DAY_MS = 86_400_000;
/** As an owner's program calls the API. */
const call = (method: string, path: string, body?: object) => shared.serve.api.call(method, path, body);
const newLink = async (subject: string, purpose: "invitation" | "set-password") => {
  const token = tokenOf(systemEntropy.bytes(TOKEN_BYTES));
  const link = { purpose, subject, content: null, expiresAt: Date.now() + DAY_MS };
  await shared.engines.control.access.links.add(token, link);
  return token;
};

test("inviting an address again within the minute, or sending it once more, is refused with the time to wait", async () => {
  const asked = { email: "soon@example.org", role: "viewer" };
  const first = await call("POST", "/v1/invitations", asked);
  const { id } = Invitation.parse(first.body);
  expect([first.status, first.headers.get("location")]).toEqual([201, `/v1/invitations/${id}`]);
  const { requests } = shared.engines.control.access;
  const request = await requests.add(Email.parse(asked.email), "I watch forty masts of a mountain rescue.");
  for (const [path, body] of [
    ["/v1/invitations", { ...asked, role: "owner" }],
    [`/v1/invitations/${id}/resend`],
    [`/v1/access-requests/${request.id}/approve`, { role: "owner" }],
  ] as const) {
    const refused = await call("POST", path, body);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
  }
  expect((await call("GET", `/v1/invitations/${id}`)).body).toMatchObject({ role: "viewer" });
  expect(await requests.get(request.id)).toMatchObject({ state: "pending" });
});

test("inviting an address whose invitation is open gives that one the role", async () => {
  const { access } = shared.engines.control;
  const email = Email.parse("open@example.org");
  const { accountId } = shared.engines;
  const { id } = await access.invitations.create({ accountId, email, role: "viewer", accessRequestId: null });
  const again = await call("POST", "/v1/invitations", { email, role: "editor" });
  expect(again).toMatchObject({ status: 200, body: { id, role: "editor", state: "approved" } });
  expect(again.headers.get("location")).toBeNull();
  const { invitations } = InvitationsAnswer.parse((await call("GET", "/v1/invitations?limit=100")).body);
  expect(invitations.filter((one) => one.email === email).length).toBe(1);
});

test("links of an invitation that was revoked, used, or never made show one page", async () => {
  const { access } = shared.engines.control;
  const { accountId } = shared.engines;
  const invited = async (name: string) => {
    const email = Email.parse(`${name}@example.org`);
    const { id } = await access.invitations.create({
      accountId,
      email,
      role: "viewer",
      accessRequestId: null,
    });
    return id;
  };
  const [revoked, used] = [await invited("revoked"), await invited("used")];
  const browser = new Browser(shared.serve.url);
  const pages: string[] = [];
  for (const id of [revoked, used])
    for (const purpose of ["invitation", "set-password"] as const)
      pages.push(`/${purpose === "invitation" ? "invitations" : purpose}/${await newLink(id, purpose)}`);
  for (const page of pages) expect((await browser.open(page)).status).toBe(200);
  expect((await call("DELETE", `/v1/invitations/${revoked}`)).status).toBe(204);
  await access.invitations.accepted(used);
  pages.push(`/invitations/${"A".repeat(43)}`, "/invitations/x");
  const texts = new Set<string>();
  for (const page of pages) {
    const opened = await browser.open(page);
    texts.add(`${opened.status} ${opened.text}`);
  }
  expect([...texts]).toEqual([expect.stringMatching(/^410 .*was withdrawn or replaced by a newer one/s)]);
});

test("whoever is taken out of the account is not let in again by an invitation that was left", async () => {
  const { access } = shared.engines.control;
  const { accountId } = shared.engines;
  const email = Email.parse("left@example.org");
  const person = await access.people.create(email, null);
  if (person === null) throw new Error("there is one already");
  await access.members.add(accountId, person.id, "viewer");
  const { id } = await access.invitations.create({ accountId, email, role: "owner", accessRequestId: null });
  expect((await call("DELETE", `/v1/members/${person.id}`)).status).toBe(204);
  expect((await call("GET", `/v1/invitations/${id}`)).body).toMatchObject({ state: "revoked" });
  expect(await access.members.get(accountId, person.id)).toBeNull();
});
