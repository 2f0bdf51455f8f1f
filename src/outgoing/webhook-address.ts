import { addressKind, literalAddress } from "./address-kind.ts";

const LOCALHOST = /(^|\.)localhost\.?$/;

/** Why nothing is sent to an address, in words; null if it may be. */
export const webhookAddressProblem = (address: string, allowPrivate: boolean): string | null => {
  const kind = addressKind(address);
  if (kind === "link-local") return `${address} is link-local, where nothing is ever sent`;
  if (kind === "metadata")
    return `${address} is where a cloud keeps its secrets, and nothing is ever sent there`;
  if (kind === "private" && !allowPrivate) {
    return `${address} is not a public address (WEBHOOK_ALLOW_PRIVATE=false)`;
  }
  return null;
};

/**
 * The same of an address that a name leads to. Which one it is, is nothing for those who may not call it: asked for one
 * name after the other, a private network would be told to them.
 */
export const resolvedAddressProblem = (address: string, allowPrivate: boolean): string | null => {
  const problem = webhookAddressProblem(address, allowPrivate);
  if (problem === null || allowPrivate) return problem;
  return "its name leads to an address that is not public (WEBHOOK_ALLOW_PRIVATE=false)";
};

/**
 * Why a webhook may not have this URL, in words; null if it may, as far as can be said before its name is resolved:
 * what it resolves to is checked whenever a connection is made.
 */
export const endpointProblem = (text: string, allowPrivate: boolean): string | null => {
  const url = URL.parse(text);
  if (url === null) return "it is not a URL";
  const isHttp = url.protocol === "http:";
  if (url.protocol !== "https:" && !isHttp) return "its scheme is not https";
  if (isHttp && !allowPrivate) return "its scheme is http, not https (WEBHOOK_ALLOW_PRIVATE=false)";
  if (url.username !== "" || url.password !== "") return "it holds credentials";
  const address = literalAddress(url);
  if (address !== null) return webhookAddressProblem(address, allowPrivate);
  if (LOCALHOST.test(url.hostname) && !allowPrivate) {
    return `${url.hostname} is this machine (WEBHOOK_ALLOW_PRIVATE=false)`;
  }
  return null;
};
