/** Where the authorization server listens, and where its pages are. */
export const OAUTH_PATHS = {
  metadata: "/.well-known/oauth-authorization-server",
  authorize: "/oauth/authorize",
  token: "/oauth/token",
  deviceCode: "/oauth/device-code",
  introspect: "/oauth/introspect",
  revoke: "/oauth/revoke",
  jwks: "/oauth/jwks",
  consent: "/oauth/consent",
  device: "/oauth/device",
} as const;
