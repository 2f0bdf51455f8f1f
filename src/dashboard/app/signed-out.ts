import { ApiError } from "../../client/failures.ts";

/** The session is over: the sign-in in front of the page says so, and what to do, which is none of what an API key needs. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;
