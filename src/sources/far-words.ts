import type { HandshakeStep } from "../../schemas/source.ts";

const SHOWN_MAX = 200;
/** Shorter ones are no secrets, and would be found everywhere. */
const SECRET_MIN = 6;

const textsOf = (value: unknown): string[] => {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsOf);
};

/** What a far end said, cut short, without what we sent it: it may say our own secrets back. */
export const farWords = (said: string, steps: readonly HandshakeStep[]): string => {
  const secrets = steps
    .flatMap((step) => ("send" in step ? textsOf(step.send) : []))
    .filter(({ length }) => length >= SECRET_MIN)
    .sort((a, b) => b.length - a.length);
  const hidden = secrets.reduce(
    (text, secret) => text.replaceAll(secret, "***"),
    said.slice(0, 4 * SHOWN_MAX),
  );
  return hidden.length > SHOWN_MAX ? `${hidden.slice(0, SHOWN_MAX)}…` : hidden;
};
