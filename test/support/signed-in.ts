import { Secret, TOTP } from "otpauth";
import { Email } from "../../schemas/email.ts";
import { RecoveryCodes, SecondFactorProposal } from "../../schemas/me.ts";
import type { Role } from "../../schemas/role.ts";
import { argon2Passwords } from "../../src/adapters/system/argon2.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import type { Person } from "../../src/ports/access.ts";
import { Browser } from "./people.ts";
import type { TestEngines } from "./serve.ts";

export const PASSWORD = "rain on a copper antenna";
let people = 0;

/** Somebody of the first account, and how they sign in with a browser of their own. */
export const somebodyOf = async ({ control: { access }, accountId }: TestEngines, role: Role = "owner") => {
  const email = Email.parse(`person-${people++}@example.org`);
  const person = await access.people.create(email, await argon2Passwords(systemEntropy).hash(PASSWORD));
  if (person === null) throw new Error("there is one already");
  await access.members.add(accountId, person.id, role);
  return { person, email };
};

export const signedInAt = async (url: string, { email }: Pick<Person, "email">): Promise<Browser> => {
  const browser = new Browser(url);
  const { status, location } = await browser.send("/sign-in", { email, password: PASSWORD });
  if (status !== 303) throw new Error(`not signed in: ${status} ${location}`);
  return browser;
};

/** What an authenticator app shows for a secret at a time, Unix ms. */
export const codeOf = (secret: string, at: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

/** Gives whoever is signed in a second factor, by the code of a time, Unix ms: none is taken twice. */
export const setUpSecondFactor = async (browser: Browser, at: number) => {
  const proposed = await browser.call("PUT", "/v1/me/second-factor");
  const { secret } = SecondFactorProposal.parse(proposed.body);
  const path = "/v1/me/second-factor/confirmation";
  const confirmed = await browser.call("PUT", path, { code: codeOf(secret, at) });
  return { secret, ...RecoveryCodes.parse(confirmed.body) };
};
