import type { CustomFetch } from "openid-client";
import { isLoopback } from "../../domain/loopback.ts";

/** Metadata, keys and tokens are a few KiB. */
const BODY_BYTES_MAX = 256 * 1024;

/** As far as it goes: a body that is too long is cut off in the middle, compressed or not. */
const bodyOf = async ({ body }: Response): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > BODY_BYTES_MAX) throw new RangeError(`an answer has more than ${BODY_BYTES_MAX} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/**
 * Asks a provider, by HTTPS unless it is on this machine. Follows no redirect, and reads no more than an answer may
 * have, within the time of the caller's signal.
 */
export const boundedFetch: CustomFetch = async (url, { body, headers, method, redirect, signal }) => {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "https:" && !isLoopback(hostname)) throw new TypeError("only HTTPS leaves this machine");
  const answer = await fetch(url, {
    headers,
    method,
    redirect,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  const content = await bodyOf(answer);
  return new Response(content.length === 0 ? null : new Uint8Array(content), {
    status: answer.status,
    headers: { "content-type": answer.headers.get("content-type") ?? "" },
  });
};
