import { WebSocket } from "ws";
import type { WebSocketSettings } from "../../schemas/source.ts";
import { addressProblem, guardedLookup, literalAddress } from "./address-guard.ts";
import { failureWords } from "./failure-words.ts";
import type { ConnectionSettings } from "./source.ts";

/** A socket on its way to a source, or why there can be none. */
export type Dialled =
  | { readonly ok: true; readonly socket: WebSocket }
  | { readonly ok: false; readonly reason: string };

/** Begins a connection to an address that is allowed. */
export const dial = (
  { url, subprotocols, headers }: WebSocketSettings,
  { allowPrivate, maxPayloadBytes, lookup }: ConnectionSettings,
): Dialled => {
  const literal = literalAddress(new URL(url));
  const problem = literal === null ? null : addressProblem(literal, allowPrivate);
  if (problem !== null) return { ok: false, reason: problem };
  try {
    const socket = new WebSocket(url, [...subprotocols], {
      headers,
      perMessageDeflate: false,
      maxPayload: maxPayloadBytes,
      // The intake checks: one frame that is no UTF-8 is a rejection, not the end of the connection.
      skipUTF8Validation: true,
      followRedirects: false,
      lookup: guardedLookup(allowPrivate, lookup),
    });
    return { ok: true, socket };
  } catch (error) {
    return { ok: false, reason: failureWords(error) };
  }
};
