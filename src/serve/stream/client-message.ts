import type { RawData } from "ws";
import { ClientMessage } from "../../../schemas/stream.ts";
import { JSON_DEPTH_MAX, nestsDeeperThan } from "../json-body.ts";
import { fieldProblemsOf } from "../validation.ts";

export type ReadMessage =
  | { readonly ok: true; readonly message: ClientMessage }
  | { readonly ok: false; readonly detail: string };

const bad = (detail: string): ReadMessage => ({ ok: false, detail });

const textOf = (data: RawData): string => {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return data instanceof ArrayBuffer ? Buffer.from(data).toString() : data.toString();
};

/** What a peer sent, or what is wrong with it. */
export const readMessage = (data: RawData, isBinary: boolean): ReadMessage => {
  if (isBinary) return bad("send text, not binary frames");
  const text = textOf(data);
  if (nestsDeeperThan(text, JSON_DEPTH_MAX)) return bad(`the message nests deeper than ${JSON_DEPTH_MAX}`);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return bad("the message is not valid JSON");
  }
  const parsed = ClientMessage.safeParse(content);
  if (parsed.success) return { ok: true, message: parsed.data };
  const problems = fieldProblemsOf(parsed.error).map(({ path, message }) => `${path} ${message}`.trim());
  return bad(problems.join("; "));
};
