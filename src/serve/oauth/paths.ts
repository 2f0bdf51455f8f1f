export { OAUTH_PATHS as PATHS } from "../../../schemas/oauth-paths.ts";

/** The one resource that tokens are for, whatever the service's address is: what is issued outlives a move. */
export const API = "urn:signal-optimization-service:api";
/** As others know it (RFC 9068). */
export const audienceOf = (publicUrl: string): string => `${publicUrl}/v1`;

/** Of a JWT: the grant that it was issued under. */
export const GRANT_CLAIM = "grant_id";
/** Of a token of a program that acts for itself: who answered for it when it was issued. */
export const ANSWERING_CLAIM = "answering_person_id";
