import { z } from "zod";
import { HIDDEN, withHiddenQuery } from "../../../schemas/hidden.ts";
import type { View } from "../../declared/plan.ts";

const Fields = z.record(z.string(), z.unknown());

const withoutSend = (fields: z.infer<typeof Fields>) =>
  "send" in fields ? { ...fields, send: HIDDEN } : fields;

const HIDE: Readonly<Record<string, (value: unknown) => unknown>> = {
  headers: (value) => Object.fromEntries(Object.keys(Fields.parse(value)).map((name) => [name, HIDDEN])),
  handshake: (value) => z.array(Fields).parse(value).map(withoutSend),
  subprotocols: (value) =>
    z
      .array(z.string())
      .parse(value)
      .map(() => HIDDEN),
  heartbeat: (value) => withoutSend(Fields.parse(value)),
  body: () => HIDDEN,
  url: (value) => withHiddenQuery(String(value)),
};

/** A field of a source as the service shows it again: written-only values by name only. */
const hidden = (name: string, value: unknown): unknown => HIDE[name]?.(value) ?? value;

const masksIn = (value: unknown): number => (JSON.stringify(value) ?? "").split(HIDDEN).length - 1;

/** What the API shows; `resends`: what it does not is sent again. */
export const apiView = (resends: boolean): View => ({
  shown: (kind, field, value) => (kind === "sources" ? hidden(field, value) : value),
  hiddenIn: (kind, field, value) => (kind === "sources" ? masksIn(hidden(field, value)) : 0),
  resends,
});
