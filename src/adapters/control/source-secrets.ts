import type { SourceCreate } from "../../../schemas/source.ts";
import type { Sealer } from "./sealed.ts";

type Connected = Extract<SourceCreate, { url: string }>;
type WebSocketSource = Extract<SourceCreate, { type: "websocket" }>;
type Step = WebSocketSource["handshake"][number];
type Send = Extract<Step, { send: unknown }>["send"];
type PollBody = Extract<SourceCreate, { type: "http-poll" }>["body"];

/**
 * What is sealed: the query of the address, the values of headers, subprotocols, what the handshake sends, by the step's
 * number, what the heartbeat sends, and the body of a poll. Rows of before have the second and the fifth among their
 * open settings.
 */
interface Secrets {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sends: Readonly<Record<number, Send>>;
  readonly subprotocols?: readonly string[];
  readonly beat?: string | undefined;
  readonly body?: PollBody;
}
const NONE: Secrets = { query: "", headers: {}, sends: {} };

const cutAt = (url: string): number => (url.includes("?") ? url.indexOf("?") : url.length);

const withoutSends = ({ handshake }: WebSocketSource) =>
  handshake.map((step) => ("send" in step ? { send: "" } : step));
const sendsOf = ({ handshake }: WebSocketSource): Secrets["sends"] =>
  Object.fromEntries(handshake.flatMap((step, index) => ("send" in step ? [[index, step.send]] : [])));

const openOf = (settings: WebSocketSource) => {
  const { send: _, ...heartbeat } = settings.heartbeat;
  return { subprotocols: [], handshake: withoutSends(settings), heartbeat };
};
const saidOf = (settings: WebSocketSource) => {
  const { subprotocols, heartbeat } = settings;
  return { subprotocols, sends: sendsOf(settings), beat: heartbeat.send };
};

const isConnected = (settings: SourceCreate): settings is Connected => "url" in settings;

const split = (settings: SourceCreate): { open: SourceCreate; secrets: Secrets } => {
  if (!isConnected(settings)) return { open: settings, secrets: NONE };
  const cut = cutAt(settings.url);
  const headers = Object.fromEntries(Object.keys(settings.headers).map((name) => [name, ""]));
  const hidden = { url: settings.url.slice(0, cut), headers };
  const secrets = { query: settings.url.slice(cut), headers: settings.headers, sends: {} };
  if (settings.type === "websocket")
    return {
      open: { ...settings, ...hidden, ...openOf(settings) },
      secrets: { ...secrets, ...saidOf(settings) },
    };
  if (settings.type === "http-stream" || settings.body === undefined)
    return { open: { ...settings, ...hidden }, secrets };
  return { open: { ...settings, ...hidden, body: "" }, secrets: { ...secrets, body: settings.body } };
};

/** Addresses of before may have one. It is never sent, and is taken no more. */
const withoutFragment = (url: string): string => url.replace(/#.*$/s, "");

const joinedSocket = ({ subprotocols, handshake, heartbeat }: WebSocketSource, secrets: Secrets) => ({
  subprotocols: [...(secrets.subprotocols ?? subprotocols)],
  handshake: handshake.map((step, index) =>
    "send" in step ? { send: secrets.sends[index] ?? step.send } : step,
  ),
  heartbeat: secrets.beat === undefined ? heartbeat : { ...heartbeat, send: secrets.beat },
});

const join = (open: SourceCreate, secrets: Secrets): SourceCreate => {
  if (!isConnected(open)) return open;
  const connected = { url: withoutFragment(open.url + secrets.query), headers: { ...secrets.headers } };
  if (open.type === "http-stream") return { ...open, ...connected };
  if (open.type === "http-poll")
    return { ...open, ...connected, ...(secrets.body === undefined ? {} : { body: secrets.body }) };
  return { ...open, ...connected, ...joinedSocket(open, secrets) };
};

/** The two columns of a source's settings; `owner` is its id, without which its secrets cannot be opened. */
export const sealSettings = (sealer: Sealer, owner: string, settings: SourceCreate) => {
  const { open, secrets } = split(settings);
  return { settings: JSON.stringify(open), secrets: sealer.seal(owner, JSON.stringify(secrets)) };
};

export const openSettings = (
  sealer: Sealer,
  owner: string,
  row: { readonly settings: string; readonly secrets: Uint8Array },
): SourceCreate => join(JSON.parse(row.settings), JSON.parse(sealer.open(owner, row.secrets)));
