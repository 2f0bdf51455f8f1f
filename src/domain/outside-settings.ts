/** Somebody who vouches for people: an OpenID Connect provider that this service is registered at. */
export interface OutsideProviderSettings {
  /** In addresses of ours, the one that is registered there included. */
  readonly id: string;
  /** As people know it. */
  readonly name: string;
  /** A URL, as the provider names itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null: it gave none, and the code is bound to the sign-in by PKCE alone. */
  readonly clientSecret: string | null;
  /** How the secret is sent; null: as the provider says. */
  readonly clientAuth: "basic" | "post" | null;
}
