import { HIDDEN, withHiddenQuery } from "../../schemas/hidden.ts";
import type { HandshakeStep, Heartbeat, Source, WebSocketSettings } from "../../schemas/source.ts";
import type { SourceStatus, StoredSource } from "../ports/control-store.ts";
import { timestamp } from "./answers.ts";

const hiddenHeaders = (headers: Readonly<Record<string, string>>): Record<string, typeof HIDDEN> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, HIDDEN]));
const hiddenSends = (steps: readonly HandshakeStep[]) =>
  steps.map((step) => ("send" in step ? { send: HIDDEN } : step));
const hiddenBeat = ({ send, ...heartbeat }: Heartbeat) => ({
  ...heartbeat,
  ...(send === undefined ? {} : { send: HIDDEN }),
});
const hiddenSocket = ({ subprotocols, handshake, heartbeat }: WebSocketSettings) => ({
  subprotocols: subprotocols.map(() => HIDDEN),
  handshake: hiddenSends(handshake),
  heartbeat: hiddenBeat(heartbeat),
});

/** A source as the API shows it: what it sends that may be a secret stays inside. */
export const sourceAnswer = (source: StoredSource, status: SourceStatus): Source => {
  const stored = {
    id: source.id,
    state: status.state,
    stateReason: status.stateReason,
    lastMessageAt: status.lastMessageAt === null ? null : timestamp(status.lastMessageAt),
    counters: status.counters,
    createdAt: timestamp(source.createdAt),
    updatedAt: timestamp(source.updatedAt),
  };
  const { settings } = source;
  if (settings.type === "push" || settings.type === "simulator") return { ...settings, ...stored };
  const hidden = { url: withHiddenQuery(settings.url), headers: hiddenHeaders(settings.headers), ...stored };
  if (settings.type === "http-stream") return { ...settings, ...hidden };
  if (settings.type === "websocket") return { ...settings, ...hidden, ...hiddenSocket(settings) };
  const { body, ...rest } = settings;
  return { ...rest, ...hidden, ...(body === undefined ? {} : { body: HIDDEN }) };
};
