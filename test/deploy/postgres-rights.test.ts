import { expect, it, onTestFinished } from "vitest";
import { fileText } from "../support/deploy.ts";
import { asked, openTestControl, postgresToKill } from "../support/postgres.ts";

const postgres = await postgresToKill();

it("the rights on PostgreSQL that the guide names are enough", async () => {
  const statements = [...fileText("deploy/README.md").matchAll(/^(CREATE (?:ROLE|DATABASE) .*);$/gm)].map(
    ([, statement = ""]) => statement.replace("…", "secret").replaceAll("signals", "guided"),
  );
  expect(statements).toHaveLength(2);
  for (const statement of statements) await asked(postgres.url(), statement);
  const url = new URL(postgres.url());
  Object.assign(url, { username: "guided", password: "secret", pathname: "/guided" });
  const control = await openTestControl({ url: url.href });
  onTestFinished(() => control.close());
  const { id } = await control.accounts.first();
  expect(await control.accounts.first()).toMatchObject({ id });
  const lock = await control.locks.tryLock("start");
  expect(lock).not.toBeNull();
  await lock?.release();
  const [role] = await asked<{ super: boolean }>(
    url.href,
    "select rolsuper as super from pg_roles where rolname = current_user",
  );
  expect(role).toEqual({ super: false });
  expect(control.health().state).toBe("ok");
});
