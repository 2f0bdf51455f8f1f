import type { SourceCreate } from "../../../schemas/source.ts";
import type { Sealer } from "./sealed.ts";

type WebSocketSource = Extract<SourceCreate, { type: "websocket" }>;
type Step = WebSocketSource["handshake"][number];
type Send = Extract<Step, { send: unknown }>["send"];

/** What is sealed: the query of the address, the values of headers, and what the handshake sends, by the step's number. */
interface Secrets {
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sends: Readonly<Record<number, Send>>;
}
const NONE: Secrets = { query: "", headers: {}, sends: {} };

const cutAt = (url: string): number => (url.includes("?") ? url.indexOf("?") : url.length);

const split = (settings: SourceCreate): { open: SourceCreate; secrets: Secrets } => {
  if (settings.type !== "websocket") return { open: settings, secrets: NONE };
  const headers = Object.fromEntries(Object.keys(settings.headers).map((name) => [name, ""]));
  const handshake = settings.handshake.map((step) => ("send" in step ? { send: "" } : step));
  const sends = Object.fromEntries(
    settings.handshake.flatMap((step, index) => ("send" in step ? [[index, step.send]] : [])),
  );
  const cut = cutAt(settings.url);
  const open = { ...settings, url: settings.url.slice(0, cut), headers, handshake };
  return { open, secrets: { query: settings.url.slice(cut), headers: settings.headers, sends } };
};

const join = (open: SourceCreate, secrets: Secrets): SourceCreate => {
  if (open.type !== "websocket") return open;
  const handshake = open.handshake.map((step, index) =>
    "send" in step ? { send: secrets.sends[index] ?? step.send } : step,
  );
  return { ...open, url: open.url + secrets.query, headers: { ...secrets.headers }, handshake };
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
