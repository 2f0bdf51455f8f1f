import type { Scope } from "../../schemas/api-key.ts";
import type { AccountId, OAuthGrantId } from "../../schemas/common.ts";
import { ACCESS_TOKEN_MS, DEVICE_CODE_MS } from "../domain/access/limits.ts";
import { scopesWithin } from "../domain/access/roles.ts";
import type { OpenSession } from "../ports/access.ts";
import type { Standing } from "../ports/oauth.ts";
import type { AccessParts } from "./parts.ts";
import type { Program } from "./programs.ts";

/** What a program asks a person for. */
export interface Asked {
  readonly program: Program;
  readonly scopes: readonly Scope[];
}

/** What the person can allow of it, in one account. */
export interface Offer {
  readonly accountId: AccountId;
  readonly accountName: string | null;
  readonly role: Standing["role"];
  /** As asked for, and no more than their role has. Never empty. */
  readonly scopes: readonly Scope[];
}

export type NoOffer = "no-member" | "second-factor" | "role";

/** Of the scopes that a request names, those that the program may have. */
export const scopesAsked = ({ settings }: Program, scope: string | undefined): Scope[] => {
  const words = scope?.split(" ") ?? [];
  return scopesWithin("owner", settings.scopes).filter((each) => words.includes(each));
};

/** In `accountId`, unless the program belongs to one: then it acts there alone. */
export const offerTo = async (
  { control }: Pick<AccessParts, "control">,
  session: Pick<OpenSession, "personId" | "hasSecondFactor">,
  { program, scopes: asked }: Asked,
  chosen: AccountId | null,
): Promise<Offer | NoOffer> => {
  const accountId = program.accountId ?? chosen;
  if (accountId === null) return "no-member";
  const standing = await control.access.oauth.grants.standing(session.personId, accountId);
  if (standing === null) return "no-member";
  if (standing.isSecondFactorRequired && !session.hasSecondFactor) return "second-factor";
  const scopes = scopesWithin(standing.role, asked).filter((scope) => asked.includes(scope));
  if (scopes.length === 0) return "role";
  return { accountId, accountName: standing.accountName, role: standing.role, scopes };
};

/** The person has said yes. What is not issued soon is over soon. */
export const allow = (
  { control, clock }: Pick<AccessParts, "control" | "clock">,
  { personId }: Pick<OpenSession, "personId">,
  { id: clientId }: Program,
  { accountId, scopes }: Offer,
): Promise<OAuthGrantId> => {
  const expiresAt = clock.now() + DEVICE_CODE_MS + ACCESS_TOKEN_MS;
  return control.access.oauth.grants.create({ clientId, personId, accountId, scopes, expiresAt });
};
