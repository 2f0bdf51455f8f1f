import { type ApiClient, createClient } from "../client/client.ts";
import { UsageError } from "./context.ts";
import { Credentials } from "./credentials.ts";
import { accessToken } from "./signed-in.ts";

const DEFAULT_URL = "http://127.0.0.1:8080";

/** Whoever copies the address of a call, or of the API, has more in it than the service's own. */
const refuseEndpoint = (url: string): void => {
  const { origin, pathname, search, hash } = new URL(url);
  const end = /\/v1(\/|$)|\/docs(\/|$)/.exec(pathname)?.index ?? pathname.length;
  if (end === pathname.length && search + hash === "") return;
  const base = `${origin}${pathname.slice(0, end)}`;
  throw new UsageError(
    `SIGNALS_URL is more than the address of the service: ${url}`,
    `Set it to ${base} alone: the paths of the API are added to it.`,
  );
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the service is. */
export const serviceUrl = ({ SIGNALS_URL: url = DEFAULT_URL }: Environment): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`SIGNALS_URL is no address: ${url}`, `Set it to one like ${DEFAULT_URL}.`);
  refuseEndpoint(url);
  return url.replace(/\/+$/, "");
};

/**
 * `SIGNALS_URL` and `SIGNALS_API_KEY` say which service, and who asks; a key has no place among a process's arguments.
 * Without a key it is whoever is signed in there.
 */
export const connection = (environment: Environment): ApiClient => {
  const url = serviceUrl(environment);
  const { SIGNALS_API_KEY: apiKey = "" } = environment;
  if (apiKey === "") {
    const credentials = new Credentials(environment);
    return createClient({ url, apiKey: () => accessToken(credentials, url) });
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new UsageError("SIGNALS_API_KEY is no API key", "Keys look like sos_ and 38 letters and digits.");
  return createClient({ url, apiKey });
};
