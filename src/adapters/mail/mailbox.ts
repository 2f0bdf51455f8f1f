import { mkdir, readdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KeptMail } from "../../../schemas/mailbox.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Mailbox, Mailer } from "../../ports/mail.ts";

/** Older ones are forgotten. */
const KEPT_MAX = 200;
const SUFFIX = ".json";

/** Files that hold a mail, oldest first: ids rise with time. */
const filesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((file) => file.endsWith(SUFFIX)).sort();

const readMail = async (path: string): Promise<KeptMail[]> => {
  try {
    return [KeptMail.parse(JSON.parse(await readFile(path, "utf8")))];
  } catch {
    // Forgotten meanwhile, or somebody's own file.
    return [];
  }
};

/**
 * Keeps e-mails as files in `directory` instead of sending them, for the person at this machine: links in them let
 * people in, so nobody else may read them. `told` hears of each.
 */
export const openMailbox = async (
  directory: string,
  clock: Clock,
  told: (mail: KeptMail) => void,
): Promise<Mailer & Mailbox> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    name: directory,
    send: async ({ id, to, subject, text, html }) => {
      const kept: KeptMail = { id, at: new Date(clock.now()).toISOString(), to, subject, text, html };
      const path = join(directory, `${id}${SUFFIX}`);
      await writeFile(`${path}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
      await rename(`${path}.new`, path);
      const old = (await filesIn(directory)).slice(0, -KEPT_MAX);
      for (const file of old) await unlink(join(directory, file));
      told(kept);
    },
    newest: async (limit) => {
      const files = (await filesIn(directory)).slice(-limit).reverse();
      return (await Promise.all(files.map((file) => readMail(join(directory, file))))).flat();
    },
    close: () => undefined,
  };
};
