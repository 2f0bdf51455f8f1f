import { HIDDEN, withHiddenQuery } from "../../schemas/hidden.ts";
import type { HandshakeStep, Heartbeat, SourceCreate, WebSocketSettings } from "../../schemas/source.ts";

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

/** Settings of a source as people may see them: what it sends that may be a secret stays inside. */
export const hiddenSettings = (settings: SourceCreate) => {
  if (settings.type === "push" || settings.type === "simulator") return settings;
  const hidden = { url: withHiddenQuery(settings.url), headers: hiddenHeaders(settings.headers) };
  if (settings.type === "http-stream") return { ...settings, ...hidden };
  if (settings.type === "websocket") return { ...settings, ...hidden, ...hiddenSocket(settings) };
  const { body, ...rest } = settings;
  return { ...rest, ...hidden, ...(body === undefined ? {} : { body: HIDDEN }) };
};
