import { chmod, mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `sun_path` of sockaddr_un holds 108 bytes on Linux and 104 on macOS, the closing zero included (unix(7)). */
const SOCKET_PATH_MAX_BYTES = 103;

export interface SocketPlace {
  readonly path: string;
  /** A directory made for it alone, to be removed at the end; null when it lies in the data directory. */
  readonly made: string | null;
}

/** A path for the engine's socket that nobody else may enter: in `directory`, or, where that is too long, in a new one. */
export const socketPlace = async (directory: string): Promise<SocketPlace> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, "engine.sock");
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX_BYTES) {
    await chmod(directory, 0o700);
    return { path, made: null };
  }
  // mkdtemp makes it with mode 0700.
  const made = await mkdtemp(join(tmpdir(), "engine-"));
  return { path: join(made, "engine.sock"), made };
};
