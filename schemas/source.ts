import { z } from "zod";
import { SourceId, Timestamp } from "./common.ts";
import { HIDDEN } from "./hidden.ts";
import { SignalDefaults } from "./signal.ts";

const path = z.string().min(1).max(500);

/** `scale` and `offset` make dBm of a raw number: dBm = raw * scale + offset. */
export const Unit = z.union([
  z.enum(["dBm", "mW", "percent"]),
  z.strictObject({ scale: z.number(), offset: z.number() }),
]);
export type Unit = z.infer<typeof Unit>;

/** RFC 9535 JSONPath: `$` is the element that `each` picked, `$$` the whole message; `signal` may be a `{…}` template. */
export const MappingPaths = z.strictObject({
  each: path.optional(),
  signal: path,
  strength: path,
  at: path.optional(),
  unit: Unit.optional(),
  labels: z.record(z.string(), path).optional(),
});
export type MappingPaths = z.infer<typeof MappingPaths>;

export const MappingPreset = z.enum(["default", "ttn-v3", "chirpstack-v4"]);
export type MappingPreset = z.infer<typeof MappingPreset>;
export const Mapping = z.union([z.strictObject({ preset: MappingPreset }), MappingPaths]);
export type Mapping = z.infer<typeof Mapping>;

const HeaderName = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/, "is no HTTP header name");
const HeaderValue = z
  .string()
  .max(4000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "has a character that no header may carry");
export const Headers = z
  .record(HeaderName, HeaderValue)
  .refine((headers) => Object.keys(headers).length <= 50, "at most 50 headers");

const ExpectStep = z.strictObject({
  /** A JSONPath that must select something, or a text that the message must contain. */
  expect: z.string().min(1).max(1000),
  timeoutSeconds: z.number().min(0.1).max(60).default(10),
});
/** Any value of JSON: a body is nothing else. Without the recursion that `z.json()` would bring into every document. */
const Json = z.custom<z.infer<ReturnType<typeof z.json>>>().describe("Any value of JSON.");
export const HandshakeStep = z.union([
  /** Written only, as it often carries a token: sealed at rest, and no answer shows it. */
  z.strictObject({ send: z.union([z.string().max(10_000), z.record(z.string(), Json)]) }),
  ExpectStep,
]);
export type HandshakeStep = z.infer<typeof HandshakeStep>;

/**
 * `send` undefined means a protocol ping; a peer that shows no life within `expectWithinSeconds` is reconnected. What is
 * sent is written only, as it may carry a token.
 */
export const Heartbeat = z.strictObject({
  intervalSeconds: z.number().min(1).max(3600).default(20),
  send: z.string().max(1000).optional(),
  expectWithinSeconds: z.number().min(1).max(3600).default(20),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

const common = {
  name: z.string().trim().min(1).max(200),
  enabled: z.boolean().default(true),
  unknownSignals: z.enum(["create", "reject"]).default("create"),
  defaults: SignalDefaults.prefault({}),
};

const address = (protocol: RegExp, message: string) =>
  z
    .string()
    .max(2000)
    .refine((text) => URL.canParse(text) && protocol.test(new URL(text).protocol), message)
    .refine(
      (text) => !URL.canParse(text) || new URL(text).username + new URL(text).password === "",
      "must not hold a name or password: an address is shown, what headers say is not",
    )
    .refine((text) => !text.includes("#"), "must not have a fragment (#…): it is never sent");
const websocketUrl = address(/^wss?:$/, "must be a ws:// or wss:// address");
const httpUrl = address(/^https?:$/, "must be an http:// or https:// address");
/** Of sources that are connected to; which of the two fits is seen from the type. */
const anyUrl = address(/^(wss?|https?):$/, "must be a ws://, wss://, http:// or https:// address");

const websocket = {
  type: z.literal("websocket"),
  url: websocketUrl,
  /** Values are written only: they are sealed at rest and no answer shows them. */
  headers: Headers.default({}),
  /** Written only, too: where no header can be set they are where a token goes. */
  subprotocols: z.array(z.string().min(1).max(200)).max(20).default([]),
  handshake: z.array(HandshakeStep).max(20).default([]),
  heartbeat: Heartbeat.prefault({}),
  mapping: Mapping.default({ preset: "default" }),
};

/** What the connection itself says of a message's length and form. */
const FRAMING = /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const HttpHeaders = Headers.refine(
  (headers) => !Object.keys(headers).some((name) => FRAMING.test(name)),
  "holds a header that the connection sets by itself",
);

const PollMethod = z.enum(["GET", "POST"]);
/** Sent with every poll; text as it is, anything else as JSON. Written only, as it may carry a key. */
const PollBody = z.union([z.string().max(100_000), z.record(z.string(), Json), z.array(Json)]);
/** `path` (JSONPath) selects in an answer what the next poll sends as query parameter `parameter`; of several, the last. */
export const PollCursor = z.strictObject({
  path,
  parameter: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[\x21-\x7e]+$/, "must be visible ASCII characters"),
});
const intervalSeconds = z.number().min(1).max(86_400);
const timeoutSeconds = z.number().min(0.1).max(120);
const idleTimeoutSeconds = z.number().min(1).max(86_400).nullable();

export type PollCursor = z.infer<typeof PollCursor>;
const httpPoll = {
  type: z.literal("http-poll"),
  url: httpUrl,
  method: PollMethod.default("GET"),
  /** Values are written only: they are sealed at rest and no answer shows them. */
  headers: HttpHeaders.default({}),
  body: PollBody.optional(),
  /** From the beginning of one poll to the beginning of the next. */
  intervalSeconds: intervalSeconds.default(10),
  /** For a whole answer. */
  timeoutSeconds: timeoutSeconds.default(10),
  cursor: PollCursor.optional(),
  mapping: Mapping.default({ preset: "default" }),
};

/** Server-sent events, or JSON a line, told apart by the answer's content type. */
const httpStream = {
  type: z.literal("http-stream"),
  url: httpUrl,
  headers: HttpHeaders.default({}),
  /** A stream that says nothing at all for so long is connected to anew; null: it may be silent. */
  idleTimeoutSeconds: idleTimeoutSeconds.default(null),
  mapping: Mapping.default({ preset: "default" }),
};

const push = {
  type: z.literal("push"),
  mapping: Mapping.default({ preset: "default" }),
};

export const SimulatorScenario = z.enum(["steady", "fading", "outages"]);
export type SimulatorScenario = z.infer<typeof SimulatorScenario>;
const simulator = {
  type: z.literal("simulator"),
  signals: z.number().int().min(1).max(1_000_000).default(20),
  /** Over all its signals together. */
  readingsPerSecond: z.number().min(0.01).max(2_000_000).default(20),
  seed: z
    .number()
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(1),
  scenario: SimulatorScenario.default("outages"),
};

export const WebSocketSourceCreate = z.strictObject({ ...common, ...websocket });
export const SimulatorSourceCreate = z.strictObject({ ...common, ...simulator });
const bodyFits = ({ method, body }: { method: "GET" | "POST"; body?: unknown }) =>
  method === "POST" || body === undefined;
const BODY_MESSAGE = { message: "is sent with method POST only", path: ["body"] };
export const HttpPollSourceCreate = z.strictObject({ ...common, ...httpPoll });
export const HttpStreamSourceCreate = z.strictObject({ ...common, ...httpStream });
export const PushSourceCreate = z.strictObject({ ...common, ...push });
export const SourceCreate = z.discriminatedUnion("type", [
  WebSocketSourceCreate,
  HttpPollSourceCreate.refine(bodyFits, BODY_MESSAGE),
  HttpStreamSourceCreate,
  PushSourceCreate,
  SimulatorSourceCreate,
]);
export type SourceCreate = z.infer<typeof SourceCreate>;
export type WebSocketSettings = Omit<z.infer<typeof WebSocketSourceCreate>, keyof typeof common>;
export type HttpPollSettings = Omit<z.infer<typeof HttpPollSourceCreate>, keyof typeof common>;
export type HttpStreamSettings = Omit<z.infer<typeof HttpStreamSourceCreate>, keyof typeof common>;
export type PushSettings = Omit<z.infer<typeof PushSourceCreate>, keyof typeof common>;
export type SimulatorSettings = Omit<z.infer<typeof SimulatorSourceCreate>, keyof typeof common>;

export const SourceState = z.enum(["connecting", "connected", "paused", "waiting", "disabled", "failed"]);
export type SourceState = z.infer<typeof SourceState>;

/** `skipped`: messages of another kind; `rejected`: what should have mapped and did not. */
export const SourceCounters = z.strictObject({
  messages: z.number().int(),
  readings: z.number().int(),
  skipped: z.number().int(),
  rejected: z.number().int(),
  reconnects: z.number().int(),
});
export type SourceCounters = z.infer<typeof SourceCounters>;

const stored = {
  id: SourceId,
  state: SourceState,
  /** Why it is in this state, in words: the last error, or what it waits for. */
  stateReason: z.string().nullable(),
  lastMessageAt: Timestamp.nullable(),
  counters: SourceCounters,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
const Hidden = z.literal(HIDDEN);
const shownHeaders = { headers: z.record(z.string(), Hidden) };
const shown = {
  ...shownHeaders,
  subprotocols: z.array(Hidden),
  handshake: z.array(z.union([z.strictObject({ send: Hidden }), ExpectStep])),
  heartbeat: Heartbeat.extend({ send: Hidden.optional() }),
};

export const Source = z.discriminatedUnion("type", [
  z.strictObject({ ...common, ...websocket, ...shown, ...stored }),
  z.strictObject({ ...common, ...httpPoll, ...shownHeaders, body: Hidden.optional(), ...stored }),
  z.strictObject({ ...common, ...httpStream, ...shownHeaders, ...stored }),
  z.strictObject({ ...common, ...push, ...stored }),
  z.strictObject({ ...common, ...simulator, ...stored }),
]);
export type Source = z.infer<typeof Source>;

/**
 * One setting or more, each replaced as a whole; `type` cannot change. What is written only stays as it is unless its
 * setting is sent; null takes `body` and `cursor` away. Fields of another type of source are refused where they are applied.
 */
export const SourcePatch = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    enabled: z.boolean(),
    unknownSignals: z.enum(["create", "reject"]),
    defaults: SignalDefaults,
    url: anyUrl,
    headers: Headers,
    method: PollMethod,
    body: PollBody.nullable(),
    intervalSeconds,
    timeoutSeconds,
    cursor: PollCursor.nullable(),
    idleTimeoutSeconds,
    subprotocols: z.array(z.string().min(1).max(200)).max(20),
    handshake: z.array(HandshakeStep).max(20),
    heartbeat: Heartbeat,
    mapping: Mapping,
    signals: z.number().int().min(1).max(1_000_000),
    readingsPerSecond: z.number().min(0.01).max(2_000_000),
    seed: z
      .number()
      .int()
      .min(0)
      .max(2 ** 32 - 1),
    scenario: SimulatorScenario,
  })
  .partial()
  .refine((patch) => Object.keys(patch).length > 0, "names no field to change");
export type SourcePatch = z.infer<typeof SourcePatch>;

/** One of the names that a metric and an answer share. */
export const RejectionReason = z.enum([
  "not_json",
  "binary_frame",
  "too_large",
  "too_complex",
  "no_signal",
  "no_strength",
  "strength_not_a_number",
  "strength_out_of_range",
  "bad_time",
  "time_in_future",
  "time_too_old",
  "signal_name_invalid",
  "unknown_signal",
  "signal_limit_reached",
]);
export type RejectionReason = z.infer<typeof RejectionReason>;

export const Rejection = z.strictObject({
  at: Timestamp,
  reason: RejectionReason,
  detail: z.string(),
  /** The first 4 kB of the message, as text. */
  payload: z.string().max(4096),
  /** Which of the message's elements, from 0; not there where it is the message as a whole. */
  element: z.strictObject({ index: z.number().int().min(0), of: z.number().int().min(2) }).optional(),
});
export type Rejection = z.infer<typeof Rejection>;

export const SourcesAnswer = z.strictObject({ sources: z.array(Source), nextCursor: z.string().nullable() });
export const RejectionsAnswer = z.strictObject({
  rejections: z.array(Rejection),
  nextCursor: z.string().nullable(),
});
