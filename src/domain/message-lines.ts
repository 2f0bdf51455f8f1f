const NEWLINE = 10;
const RETURN = 13;
const NDJSON = /^application\/(x-)?(ndjson|jsonl|jsonlines|json-lines)$/;
const JSON_TYPE = /^application\/([\w.+-]+\+)?json$/;

/** `application/json; charset=utf-8` is `application/json`. */
export const mediaTypeOf = (contentType: string | undefined): string =>
  (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";

/** The lines of a text, without their ends and without empty ones. Views, not copies. */
export function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, from);
    const next = found < 0 ? bytes.length : found;
    const end = next > from && bytes[next - 1] === RETURN ? next - 1 : next;
    if (end > from) yield bytes.subarray(from, end);
    from = next + 1;
  }
}

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
};

/** Without a type that says so: JSON a line if the first line is JSON by itself and is not all. */
const looksLikeLines = (body: Buffer): boolean => {
  const lines = linesOf(body);
  const first = lines.next();
  if (first.done === true || lines.next().done === true) return false;
  return isJson(first.value);
};

/**
 * The messages of a body: a line each for NDJSON, else the body as one. A type that says neither (text, or none) is
 * decided by what is there.
 */
export const messagesOf = (body: Buffer, contentType: string | undefined): Iterable<Buffer> => {
  const type = mediaTypeOf(contentType);
  if (NDJSON.test(type) || (!JSON_TYPE.test(type) && looksLikeLines(body))) return linesOf(body);
  return [body];
};
export const isNdjson = (type: string): boolean => NDJSON.test(type);
