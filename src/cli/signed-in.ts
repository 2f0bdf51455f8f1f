import { platformClock } from "../client/platform.ts";
import { TokenRefusedError, type Tokens, tokensOf } from "../client/tokens.ts";
import { UsageError } from "./context.ts";
import type { Credentials } from "./credentials.ts";

/** A token that ends so soon is renewed first: a request takes its time, too. */
const RENEW_BEFORE_MS = 60_000;

const LOGIN = "Run: signals login";

const isFresh = ({ expiresAt }: Tokens): boolean => platformClock.now() < expiresAt - RENEW_BEFORE_MS;

/** The access token of whoever is signed in to the service, renewed where it is about to end. */
export const accessToken = async (credentials: Credentials, url: string): Promise<string> => {
  const saved = await credentials.read(url);
  if (saved === null)
    throw new UsageError(
      `SIGNALS_API_KEY is not set, and nobody is signed in to ${url}`,
      `Set it to an API key, which the first start of the service shows, or sign in. ${LOGIN}`,
    );
  if (isFresh(saved)) return saved.accessToken;
  let isOver = false;
  const renewed = await credentials.change(url, async (before) => {
    // Another process may have done it meanwhile.
    if (before === null || isFresh(before)) return before;
    try {
      return await tokensOf(url).renew(before.refreshToken);
    } catch (error) {
      if (!(error instanceof TokenRefusedError) || error.code !== "invalid_grant") throw error;
      isOver = true;
      return null;
    }
  });
  if (renewed !== null) return renewed.accessToken;
  throw new UsageError(
    isOver ? `the sign-in to ${url} is over, or was revoked` : `nobody is signed in to ${url} any more`,
    LOGIN,
  );
};
