import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import { CommandLine } from "../support/command-line.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { filesWith } from "../support/files-with.ts";
import { OWNER } from "../support/first-owner.ts";
import { Browser } from "../support/people.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const WAIT_MS = 120_000;
const Saved = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresAt: z.number(),
  scope: z.string(),
});
const File = z.record(z.string(), Saved);

describe("signals login", () => {
  it(
    "signs in by a browser, renews by itself, and signs out",
    async () => {
      const dataDirectory = await temporaryDirectory();
      const { service } = await startService({ dataDirectory, environment: { DEMO: "false" } });
      const url = await service.ready();
      const [ownerLink = ""] = /\/first-owner\/[\w-]{43}/.exec(service.stdout) ?? [];
      const browser = new Browser(url);
      expect((await browser.send(ownerLink, OWNER)).status).toBe(303);
      const config = await temporaryDirectory();
      const environment = { SIGNALS_URL: `${url}/`, XDG_CONFIG_HOME: config, SIGNALS_API_KEY: "" };
      const signals = (...words: string[]) => new CommandLine(words, environment);
      const path = join(config, "signals", "credentials.json");
      const saved = async () => {
        const all = File.parse(JSON.parse(await readFile(path, "utf8")));
        expect(Object.keys(all)).toEqual([url]);
        return Saved.parse(all[url]);
      };

      expect(await signals("list").ended).toMatchObject({
        code: 2,
        err: expect.stringMatching(
          /SIGNALS_API_KEY is not set, and nobody is signed in[^\n]*\n.*signals login/,
        ),
      });

      const login = signals("login");
      const userCode = await until(
        "a code",
        async () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(login.err)?.[1] ?? null,
      );
      expect(login.err).toContain(`${url}${OAUTH_PATHS.device}`);
      const decided = await browser.send(`${OAUTH_PATHS.device}/decision`, {
        user_code: userCode,
        decision: "allow",
      });
      expect(decided.status).toBe(200);
      expect(await login.ended).toMatchObject({ code: 0, out: `Signed in to ${url}: read write\n` });
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      expect((await stat(join(config, "signals"))).mode & 0o777).toBe(0o700);
      const first = await saved();
      expect(await signals("list").ended).toEqual({ code: 0, out: "", err: "no signals\n" });
      expect(await saved()).toEqual(first);

      // As ten minutes later, for several at once: the refresh token is used once.
      await writeFile(path, JSON.stringify({ [url]: { ...first, expiresAt: 0 } }));
      const later = await Promise.all([1, 2, 3].map(() => signals("list").ended));
      expect(later.map(({ code }) => code)).toEqual([0, 0, 0]);
      const second = await saved();
      expect(second.refreshToken).not.toBe(first.refreshToken);
      expect(second.expiresAt).toBeGreaterThan(first.expiresAt - 1);
      expect((await stat(path)).mode & 0o777).toBe(0o600);

      expect(await signals("logout").ended).toMatchObject({ code: 0, out: `Signed out of ${url}\n` });
      expect(await readFile(path, "utf8")).toBe("{}\n");
      await writeFile(path, JSON.stringify({ [url]: { ...second, expiresAt: 0 } }));
      expect(await signals("list").ended).toMatchObject({
        code: 2,
        err: expect.stringMatching(/is over, or was revoked\n.*signals login/),
      });
      expect((await signals("logout").ended).code).toBe(2);

      const refused = signals("login", "--scope", "read");
      const other = await until(
        "a code",
        async () => /^ {2}([A-Z]{4}-[A-Z]{4})$/m.exec(refused.err)?.[1] ?? null,
      );
      await browser.send(`${OAUTH_PATHS.device}/decision`, { user_code: other, decision: "refuse" });
      expect(await refused.ended).toMatchObject({
        code: 2,
        err: expect.stringContaining("the person said no (access_denied)"),
      });

      const secrets = [first, second].flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
      await service.end();
      expect(await filesWith(dataDirectory, [...secrets, userCode, other])).toEqual([]);
      for (const secret of secrets) expect(service.stderr + service.stdout).not.toContain(secret);
    },
    WAIT_MS,
  );
});
