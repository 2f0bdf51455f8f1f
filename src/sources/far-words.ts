import type { HandshakeStep, SourceCreate, WebSocketSettings } from "../../schemas/source.ts";

const SHOWN_MAX = 200;
/** Shorter ones are no secrets, and would be found everywhere. */
const SECRET_MIN = 6;

const textsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
};

const secret = (texts: readonly string[]): string[] =>
  texts.filter(({ length }) => length >= SECRET_MIN).sort((a, b) => b.length - a.length);
const sendsOf = (steps: readonly HandshakeStep[]): string[] =>
  steps.flatMap((step) => ("send" in step ? textsOf(step.send) : []));

/** By a WebSocket, beside its headers. */
const saidOf = ({ subprotocols, handshake, heartbeat }: WebSocketSettings): string[] => [
  ...subprotocols,
  ...sendsOf(handshake),
  ...textsOf(heartbeat.send),
];

/** What a source sends that nobody is shown, longest first. */
export const secretsOf = (settings: SourceCreate): string[] => {
  if (!("url" in settings)) return [];
  const sends = settings.type === "websocket" ? saidOf(settings) : [];
  const body = settings.type === "http-poll" ? textsOf(settings.body) : [];
  // A key may stand there alone, as a name without a value.
  const query = [...new URL(settings.url).searchParams].map(([name, value]) => value || name);
  return secret([...Object.values(settings.headers), ...sends, ...body, ...query]);
};

export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((left, one) => left.replaceAll(one, "***"), text);

/** What a far end said, cut short, without what we sent it: it may say our own secrets back. */
export const farWords = (said: string, steps: readonly HandshakeStep[]): string => {
  const hidden = withoutSecrets(said.slice(0, 4 * SHOWN_MAX), secret(sendsOf(steps)));
  return hidden.length > SHOWN_MAX ? `${hidden.slice(0, SHOWN_MAX)}…` : hidden;
};
