import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

/** A body is larger than what is taken, as it came or unpacked. */
export class TooLargeError extends Error {
  override readonly name = "TooLargeError";
  constructor(bytesMax: number) {
    super(`an answer of more than ${bytesMax} bytes`);
  }
}
/** A body that says of itself what it is not. */
export class UnreadableBodyError extends Error {
  override readonly name = "UnreadableBodyError";
}

export const ACCEPTED_ENCODINGS = "gzip, deflate, br";
const UNPACK: Readonly<
  Record<string, (packed: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
};

const isBomb = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";

const unpacked = async (packed: Buffer, encoding: string, bytesMax: number): Promise<Buffer> => {
  const unpack = UNPACK[encoding];
  if (unpack === undefined)
    throw new UnreadableBodyError(`it sent the encoding ${encoding}, which was not asked for`);
  try {
    return await unpack(packed, { maxOutputLength: bytesMax });
  } catch (error) {
    if (isBomb(error)) throw new TooLargeError(bytesMax);
    throw new UnreadableBodyError(`its body is no valid ${encoding}`);
  }
};

/** A whole body, unpacked. Throws TooLargeError, UnreadableBodyError, or what broke the connection. */
export const readBody = async (
  body: Readable,
  encoding: string | undefined,
  bytesMax: number,
): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError("a body of bytes was expected");
    bytes += chunk.length;
    if (bytes > bytesMax) throw new TooLargeError(bytesMax);
    chunks.push(chunk);
  }
  const packed = Buffer.concat(chunks);
  const name = encoding?.trim().toLowerCase() ?? "identity";
  return name === "identity" || name === "" ? packed : await unpacked(packed, name, bytesMax);
};
