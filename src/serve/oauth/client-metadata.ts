import type { ClientMetadata } from "oidc-provider";
import type { ClientGrant } from "../../../schemas/oauth-client.ts";
import type { Program } from "../../access/programs.ts";
import { scopesWithin } from "../../domain/access/roles.ts";
import { ANSWERING_CLAIM } from "./paths.ts";

const GRANT_TYPES: Readonly<Record<ClientGrant, readonly string[]>> = {
  authorization_code: ["authorization_code", "refresh_token"],
  device_code: ["urn:ietf:params:oauth:grant-type:device_code", "refresh_token"],
  client_credentials: ["client_credentials"],
};

/** A property of ours, as is ANSWERING_CLAIM. */
export const TOKEN_FORMAT = "access_token_format";

/**
 * A program as the authorization server knows it (RFC 7591). `secret` stands where a secret must: what is sent is compared
 * with a hash in control data instead.
 */
export const metadataOf = ({ id, personId, settings }: Program, secret: string): ClientMetadata => {
  const { name, grants, redirectUris, scopes, confidential, accessTokens } = settings;
  const sendsBack = grants.includes("authorization_code");
  return {
    client_id: id,
    client_name: name,
    // Of a native one the port of a loopback address may be any (RFC 8252, section 7.3); all else is compared as it is.
    application_type: redirectUris.some((uri) => uri.startsWith("http:")) ? "native" : "web",
    grant_types: [...new Set(grants.flatMap((grant) => GRANT_TYPES[grant]))],
    response_types: sendsBack ? ["code"] : [],
    redirect_uris: [...redirectUris],
    scope: scopesWithin("owner", scopes).join(" "),
    [TOKEN_FORMAT]: accessTokens,
    ...(personId === null ? {} : { [ANSWERING_CLAIM]: personId }),
    ...(confidential
      ? { token_endpoint_auth_method: "client_secret_basic", client_secret: secret }
      : { token_endpoint_auth_method: "none" }),
  };
};
