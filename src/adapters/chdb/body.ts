import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { CODES, Refusal } from "./refusal.ts";

/** One insert: what the record worker sends at once, many times over. */
const BODY_MAX_BYTES = 128 * 1024 * 1024;

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > BODY_MAX_BYTES)
      throw new Refusal(413, CODES.tooLarge, `a body is at most ${BODY_MAX_BYTES} bytes`);
    yield chunk;
  }
}

/** The body as it was before it was compressed. Throws a Refusal once that is too large. */
export const plainBody = (request: IncomingMessage): AsyncIterable<Buffer> =>
  // An error of either stream is thrown where the second one is read.
  limited(
    request.headers["content-encoding"] === "zstd"
      ? pipeline(request, createZstdDecompress(), () => undefined)
      : request,
  );
