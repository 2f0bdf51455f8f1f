import { onTestFinished } from "vitest";
import { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import type { AccessParts } from "../../src/access/parts.ts";
import { argon2Passwords } from "../../src/adapters/system/argon2.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { normalPassword } from "../../src/domain/access/password-rules.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { NO_PROVIDERS, type OutsideProviders } from "../../src/ports/outside-providers.ts";
import type { Passwords } from "../../src/ports/passwords.ts";
import { ManualClock } from "./clock.ts";
import { openTestControl as openSqlite } from "./engines.ts";
import { openTestControl as openPostgres, postgresUrl } from "./postgres.ts";
import { migratedDatabases, type NewDatabase } from "./postgres-databases.ts";

export const VISITOR = { address: "192.0.2.1", network: "192.0.2.1", userAgent: "a browser" };
export const PASSWORD = "rain on a copper antenna";

/** Every call of a function in `target` and what it holds, counted by its name. */
const counted = <T extends object>(target: T, calls: string[], path = ""): T =>
  new Proxy(target, {
    get: (object, name, receiver) => {
      const value: unknown = Reflect.get(object, name, receiver);
      const where = path === "" ? String(name) : `${path}.${String(name)}`;
      if (typeof value === "function")
        return (...given: unknown[]): unknown => {
          calls.push(where);
          return Reflect.apply(value, object, given);
        };
      return typeof value === "object" && value !== null ? counted(value, calls, where) : value;
    },
  });

/** Two processes' worth of what has to do with people, on one database, where time stands still. */
export interface TwoAccesses {
  readonly clock: ManualClock;
  readonly both: readonly [AccessParts, AccessParts];
  readonly stores: readonly [ControlStore, ControlStore];
  /** What was asked of control data and of Argon2 since this was last called. */
  readonly calls: () => string[];
}

const accessesOn = async (
  stores: readonly [ControlStore, ControlStore],
  clock: ManualClock,
  outside: OutsideProviders,
): Promise<TwoAccesses> => {
  const { id: reviewers } = await stores[0].accounts.first();
  const calls: string[] = [];
  const passwords: Passwords = counted(argon2Passwords(systemEntropy), calls, "argon2");
  const partsOf = (control: ControlStore): AccessParts => ({
    control: counted(control, calls),
    passwords,
    outside,
    clock,
    entropy: systemEntropy,
    reviewers,
    publicUrl: "https://signals.example.org",
  });
  return {
    clock,
    both: [partsOf(stores[0]), partsOf(stores[1])],
    stores,
    calls: () => calls.splice(0).toSorted(),
  };
};

/** What `openAccesses` opens, by its name. Call it at the file's top: the PostgreSQL is the file's own. */
export const accessEngines = async (): Promise<[string, NewDatabase | null][]> => [
  ["SQLite", null],
  ["PostgreSQL, in two processes", await migratedDatabases(await postgresUrl())],
];

/** On SQLite, which one process has; or on PostgreSQL, by connections of their own. */
export const openAccesses = async (
  newDatabase: NewDatabase | null,
  outside: OutsideProviders = NO_PROVIDERS,
): Promise<TwoAccesses> => {
  const clock = new ManualClock();
  if (newDatabase === null) {
    const store = await openSqlite(clock);
    return accessesOn([store, store], clock, outside);
  }
  const url = await newDatabase();
  const open = async () => {
    const store = await openPostgres({ url, clock });
    onTestFinished(() => store.close());
    return store;
  };
  return accessesOn([await open(), await open()], clock, outside);
};

/** Somebody with a password, in the first account. */
export const somebody = async ({ both: [parts] }: TwoAccesses, name: string, role: Role = "viewer") => {
  const { control, passwords, reviewers } = parts;
  const hash = await passwords.hash(normalPassword(PASSWORD));
  const person = await control.access.people.create(Email.parse(`${name}@example.org`), hash);
  if (person === null) throw new Error(`${name} is there already`);
  await control.access.members.add(reviewers, person.id, role);
  return person;
};
