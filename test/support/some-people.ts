import { Email } from "../../schemas/email.ts";
import { COMMAND_LINE_CLIENT } from "../../schemas/oauth-client.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import type { TestEngines } from "./serve.ts";

/** People of the first account, and some who are to come in: by the beginning of the paths of each. */
export const somePeople = async ({ control: { access }, accountId }: TestEngines) => {
  const person = async (name: string, role: "owner" | "viewer") => {
    const made = await access.people.create(Email.parse(`${name}@example.org`), null);
    if (made === null) throw new Error(`${name} is there already`);
    await access.members.add(accountId, made.id, role);
    return made.id;
  };
  const [owner, viewer] = [await person("some-owner", "owner"), await person("some-viewer", "viewer")];
  const session = async () => {
    const token = tokenOf(systemEntropy.bytes(TOKEN_BYTES));
    const visitor = { userAgent: "a browser", address: "192.0.2.1" };
    const { id } = await access.sessions.create(token, {
      personId: owner,
      accountId,
      hasSecondFactor: false,
      ...visitor,
    });
    return { id, token };
  };
  const [own, other] = [await session(), await session()];
  const issuer = "https://elsewhere.example";
  for (const subject of ["first", "second"]) await access.identities.add(owner, { issuer, subject });
  const [identity] = await access.identities.of(owner);
  if (identity === undefined) throw new Error("there is no identity");
  const email = Email.parse("to-come@example.org");
  const asks = Email.parse("asks@example.org");
  const request = await access.requests.add(asks, "I watch forty masts of a mountain rescue.");
  const invited = { accountId, email, role: "viewer", accessRequestId: null } as const;
  const invitation = await access.invitations.create(invited);
  const grant = await access.oauth.grants.create({
    clientId: COMMAND_LINE_CLIENT,
    personId: owner,
    accountId,
    scopes: ["read"],
    expiresAt: Date.now() + 3_600_000,
  });
  return {
    /** Of the owner. */
    cookie: `session=${own.token}`,
    ids: {
      "/v1/access-requests": request.id,
      "/v1/invitations": invitation.id,
      "/v1/members": viewer,
      "/v1/me/identities": identity.id,
      "/v1/me/sessions": other.id,
      "/v1/me/grants": grant,
    },
  };
};
