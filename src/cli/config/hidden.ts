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

/** Whether a field holds something that the service does not show, so that it cannot be compared. */
const holdsSecret = (name: string, value: unknown): boolean =>
  JSON.stringify(hidden(name, value)) !== JSON.stringify(value);

/** What the API shows; `resend`: what it does not is sent again. */
export const apiView = (resend: boolean): View => ({
  shown: (kind, field, value) => (kind === "sources" ? hidden(field, value) : value),
  isResent: (kind, field, value) => resend && kind === "sources" && holdsSecret(field, value),
});
