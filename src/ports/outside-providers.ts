/** Who vouches for people elsewhere, as it is offered. */
export interface OutsideProvider {
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
}

/** Whom a provider vouches for. An e-mail address is no part of it: it may be another person's tomorrow. */
export interface OutsideIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** What ties the answer of a provider to the browser that was sent there. Secrets of 256 bits. */
export interface OutsideCheck {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  /** Where the provider sends the browser back to. */
  readonly redirectUri: string;
}

/**
 * What came of a way to a provider. `declined`: the person, or the provider, said no. `refused`: what came must not be
 * believed. `unavailable`: the provider is down, slow, or answers what no provider does.
 */
export type OutsideAnswer =
  | { readonly state: "vouched"; readonly identity: OutsideIdentity }
  | { readonly state: "declined" | "refused" | "unavailable" };

/** OpenID Connect providers. None is asked before somebody wants to sign in there. */
export interface OutsideProviders {
  readonly all: readonly OutsideProvider[];
  /** Where to send a browser; null: the provider is unavailable. `isFresh`: the person has to sign in there anew. */
  addressOf(id: string, check: OutsideCheck, isFresh: boolean): Promise<string | null>;
  /**
   * What the query that a browser came back with is worth, by the check that it was sent away with. `since`, Unix ms: the
   * person must have signed in there after it; null: whenever.
   */
  answer(id: string, query: string, check: OutsideCheck, since: number | null): Promise<OutsideAnswer>;
}

/** Nobody. */
export const NO_PROVIDERS: OutsideProviders = {
  all: [],
  addressOf: async () => null,
  answer: async () => ({ state: "unavailable" }),
};
