import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from "jose";
import { z } from "zod";
import { Scope } from "../../../schemas/api-key.ts";
import { type AccountId, type OAuthClientId, OAuthGrantId, PersonId } from "../../../schemas/common.ts";
import { actingName, ownAccess } from "../../access/programs.ts";
import { scopesWithin } from "../../domain/access/roles.ts";
import { isToken } from "../../domain/access/secret-token.ts";
import type { Clock } from "../../ports/clock.ts";
import type { OAuthStore } from "../../ports/oauth.ts";
import { type OAuthKeys, publicKeyOf, SIGNING_ALGORITHM } from "./keys.ts";
import { ANSWERING_CLAIM, audienceOf, GRANT_CLAIM } from "./paths.ts";

const JWT = /^[\w-]{1,1000}\.[\w-]{1,4000}\.[\w-]{1,1000}$/;

const scopeWords = z
  .string()
  .optional()
  .transform((text) => Scope.options.filter((scope) => text?.split(" ").includes(scope) === true));

/** As the authorization server keeps a token. */
const Opaque = z
  .object({
    clientId: z.string(),
    grantId: OAuthGrantId.optional(),
    extra: z.object({ [ANSWERING_CLAIM]: PersonId.optional() }).optional(),
    scope: scopeWords,
    exp: z.number(),
  })
  .transform(({ clientId, grantId, extra, scope: scopes, exp }) => ({
    clientId,
    grantId,
    answering: extra?.[ANSWERING_CLAIM],
    scopes,
    exp,
  }));
const Claims = z
  .object({
    client_id: z.string(),
    [GRANT_CLAIM]: OAuthGrantId.optional(),
    [ANSWERING_CLAIM]: PersonId.optional(),
    scope: scopeWords,
    exp: z.number(),
  })
  .transform((claims) => ({
    clientId: claims.client_id,
    grantId: claims[GRANT_CLAIM],
    answering: claims[ANSWERING_CLAIM],
    scopes: claims.scope,
    exp: claims.exp,
  }));
type Told = z.infer<typeof Opaque>;

/** What an access token opens now. */
export interface TokenAccess {
  /** The grant of a person, or the program that acts for itself. */
  readonly id: OAuthGrantId | OAuthClientId;
  readonly clientId: OAuthClientId;
  /** The program's, and whom it acts for. */
  readonly name: string;
  readonly accountId: AccountId;
  /** Whom it acts for, or who answers for what it does for itself; null: nobody. */
  readonly personId: PersonId | null;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number;
}

interface FinderOptions {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  readonly clock: Clock;
  readonly publicUrl: () => string;
}

/** Whether a text has the form of an access token, so that nothing else is ever looked up. */
export const isAccessToken = (text: string): boolean => isToken(text) || JWT.test(text);

/** Finds out what access tokens open. */
export class TokenFinder {
  readonly #options: FinderOptions;
  readonly #key: JWTVerifyGetKey;

  constructor(options: FinderOptions) {
    this.#options = options;
    this.#key = createLocalJWKSet({ keys: [publicKeyOf(options.keys)] });
  }

  /** Null: unknown, forged, over or revoked, or its person may do nothing there now. */
  async find(token: string): Promise<TokenAccess | null> {
    const told = isToken(token) ? await this.#opaque(token) : await this.#signed(token);
    if (told === null || told.exp * 1_000 <= this.#options.clock.now()) return null;
    const open =
      told.grantId === undefined
        ? await this.#ofClient(told.clientId, told.answering)
        : await this.byId(told.grantId);
    // Of what is open, what this token was asked for.
    const scopes = open?.scopes.filter(
      (scope) => told.scopes.includes(scope) || told.scopes.includes("admin"),
    );
    return open === null || scopes === undefined ? null : { ...open, scopes, expiresAt: told.exp * 1_000 };
  }

  /** As `find`, of what was let in before. */
  async byId(id: OAuthGrantId | OAuthClientId): Promise<Omit<TokenAccess, "expiresAt"> | null> {
    const grantId = OAuthGrantId.safeParse(id).data;
    if (grantId === undefined) return this.#ofClient(id);
    const grant = await this.#options.store.grants.open(grantId);
    if (grant === null) return null;
    const { clientId, accountId, personId, role, scopes: granted } = grant;
    const scopes = scopesWithin(role, granted);
    return { id: grantId, clientId, name: actingName(grant), accountId, personId, scopes };
  }

  async #ofClient(clientId: string, answering?: PersonId): Promise<Omit<TokenAccess, "expiresAt"> | null> {
    const own = await ownAccess(this.#options.store, clientId, answering);
    if (own === null) return null;
    const { id, accountId, personId, settings } = own.program;
    return { id, clientId: id, name: settings.name, accountId, personId, scopes: own.scopes };
  }

  async #opaque(token: string): Promise<Told | null> {
    const record = await this.#options.store.records.findAccess(token);
    return record === null ? null : Opaque.parse(JSON.parse(record.content));
  }

  async #signed(token: string): Promise<Told | null> {
    const { publicUrl, clock } = this.#options;
    const issuer = publicUrl();
    const expected = {
      algorithms: [SIGNING_ALGORITHM],
      typ: "at+jwt",
      issuer,
      audience: audienceOf(issuer),
      currentDate: new Date(clock.now()),
    };
    try {
      const { payload } = await jwtVerify(token, this.#key, expected);
      return Claims.parse(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }
}
