import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";

const CHUNK_BYTES = 2 ** 20;

/** What a file holds on the disk, compressed. */
export interface FileMark {
  readonly bytes: number;
  readonly sha256: string;
}

/** A name is on the disk when its directory is. */
const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};

/** Makes a file that is there whole or not at all, and durable when resolved. */
export const placeFile = async (path: string, write: (draft: string) => Promise<void>): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.part`;
  await write(draft);
  await rename(draft, path);
  await syncDirectory(dirname(path));
};

/** Compresses (Zstandard, RFC 8878) into `directory`/`path`. */
export const writeArchived = async (
  directory: string,
  path: string,
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<FileMark> => {
  const hash = createHash("sha256");
  let bytes = 0;
  await placeFile(join(directory, path), (draft) =>
    pipeline(
      Readable.from(content, { objectMode: false }),
      createZstdCompress({ chunkSize: CHUNK_BYTES }),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(draft, { mode: 0o600, flush: true }),
    ),
  );
  return { bytes, sha256: hash.digest("hex") };
};

const decompressed = (directory: string, path: string): Readable => {
  const bytes = createZstdDecompress({ chunkSize: CHUNK_BYTES });
  // Whoever reads is told of a failure by the stream.
  pipeline(createReadStream(join(directory, path)), bytes).catch(() => undefined);
  return bytes;
};

/** What was written, whole. */
export const readArchived = async (directory: string, path: string): Promise<Uint8Array[]> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decompressed(directory, path)) chunks.push(chunk);
  return chunks;
};

/** What was written, line by line. */
export const linesOf = (directory: string, path: string): AsyncIterable<string> =>
  createInterface({ input: decompressed(directory, path), crlfDelay: Number.POSITIVE_INFINITY });

/** What the file is now; null where there is none. */
export const markOf = async (directory: string, path: string): Promise<FileMark | null> => {
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(join(directory, path), { highWaterMark: CHUNK_BYTES })) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
  return { bytes, sha256: hash.digest("hex") };
};
