import type { RawData } from "ws";
import { ClientMessage } from "../../../schemas/stream.ts";
import { faultOfJson } from "../json-text.ts";
import { fieldProblemsOf } from "../validation.ts";

export type ReadMessage =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly detail: string };

const bad = (detail: string): ReadMessage => ({ ok: false, detail });

/** What reads a record leaves it out without a word, and a filter of labels would be wider than it was written. */
const withoutPrototype = (name: string, value: unknown): unknown => {
  if (name === "__proto__") throw new SyntaxError("__proto__");
  return value;
};

const textOf = (data: RawData): string => {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
};

/** What a peer sent, or what is wrong with it. */
export const readMessage = (data: RawData, isBinary: boolean): ReadMessage => {
  if (isBinary) return bad("send text, not binary frames");
  const text = textOf(data);
  const fault = faultOfJson(text);
  if (fault !== null) return bad(`the message ${fault}`);
  let content: unknown;
  try {
    content = JSON.parse(text, withoutPrototype);
  } catch {
    return bad("the message is not valid JSON, or names __proto__");
  }
  const parsed = ClientMessage.safeParse(content);
  if (parsed.success) return { ok: true, message: parsed.data };
  const problems = fieldProblemsOf(parsed.error).map(({ path, message }) => `${path} ${message}`.trim());
  return bad(problems.join("; "));
};
