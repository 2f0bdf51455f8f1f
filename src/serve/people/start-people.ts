import type { FastifyReply, FastifyRequest } from "fastify";
import { type AccessParts, newToken } from "../../access/parts.ts";
import { remindOfRequests } from "../../access/requests.ts";
import { PUBLIC_URL_FACT } from "../../domain/public-url.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { OutsideProviders } from "../../ports/outside-providers.ts";
import type { Passwords } from "../../ports/passwords.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { Background } from "../background.ts";
import { doerOf } from "../doer.ts";
import type { ServeSettings } from "../settings.ts";
import { TokenCookies } from "./cookies.ts";
import type { PageParts } from "./page-parts.ts";

/** Access requests are answered within a day: a few minutes more or less are nothing. */
const REMIND_EVERY_MS = 10 * 60_000;

/** Beside requests, of all of them together. */
const TASKS_MAX = 8;

interface PeopleOptions extends Surroundings {
  readonly control: ControlStore;
  readonly passwords: Passwords;
  readonly outside: OutsideProviders;
  readonly settings: Pick<ServeSettings, "publicUrl">;
  /** What is remembered of a session is so no more. */
  readonly forget: (token: string) => void;
}

/** What has to do with people, as long as the worker runs. */
export interface People {
  readonly access: AccessParts;
  readonly pages: PageParts;
  /** Where the worker listens: its public address unless it was told one. Others learn it for their e-mails. */
  reachedAt(url: string): Promise<void>;
  stop(): Promise<void>;
}

export const startPeople = async (options: PeopleOptions): Promise<People> => {
  const { control, passwords, outside, clock, entropy, telemetry, settings } = options;
  const { id: reviewers } = await control.accounts.first();
  let publicUrl = settings.publicUrl ?? null;
  const reached = (): string => {
    if (publicUrl === null) throw new Error("asked for the public address before there is one");
    return publicUrl;
  };
  const access: AccessParts = {
    control,
    passwords,
    outside,
    clock,
    entropy,
    reviewers,
    get publicUrl() {
      return reached();
    },
  };
  const by = (request: FastifyRequest): AccessParts => ({
    ...access,
    control: control.by(doerOf(request)),
  });
  const tasks = new Background();
  const background = (work: () => Promise<unknown>): Promise<void> =>
    tasks.runAmong(
      TASKS_MAX,
      async () => {
        await work();
      },
      (err) => telemetry.log.error({ err }, "people_task_failed"),
    );
  const cookies = new TokenCookies(() => reached().startsWith("https:"));
  const renew = async (token: string, reply: FastifyReply): Promise<void> => {
    const next = newToken(access);
    // Whoever comes second, with the token that both came with, is given none: it works for some seconds yet.
    if (!(await control.access.sessions.rotate(token, next))) return;
    options.forget(token);
    cookies.set(reply, "session", next);
  };
  const cancel = clock.every(REMIND_EVERY_MS, () => void background(() => remindOfRequests(access)));
  return {
    access,
    pages: { access, by, background, cookies, renew, log: telemetry.log },
    reachedAt: async (url) => {
      publicUrl ??= url;
      await control.facts.set(PUBLIC_URL_FACT, publicUrl);
    },
    stop: async () => {
      cancel();
      await tasks.settled();
    },
  };
};
