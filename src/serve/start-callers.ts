import type { ControlStore } from "../ports/control-store.ts";
import { NO_PROVIDERS, type OutsideProviders } from "../ports/outside-providers.ts";
import type { Passwords } from "../ports/passwords.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import { Callers } from "./callers.ts";
import { KeyWatch } from "./key-watch.ts";
import { KnownKeys } from "./known-keys.ts";
import { KnownSessions } from "./known-sessions.ts";
import { KnownTokens } from "./oauth/known-tokens.ts";
import { type OAuth, startOAuth } from "./oauth/oauth.ts";
import { type People, startPeople } from "./people/start-people.ts";
import type { ServeSettings } from "./settings.ts";
import { UnknownCallers } from "./unknown-callers.ts";

interface CallersOptions extends Surroundings {
  readonly control: ControlStore;
  readonly passwords: Passwords;
  /** None unless given. */
  readonly outside?: OutsideProviders;
  readonly settings: Pick<ServeSettings, "publicUrl">;
}

/** Everything that knows who may come in. */
export interface StartedCallers {
  readonly unknown: UnknownCallers;
  readonly callers: Callers;
  readonly keyWatch: KeyWatch;
  readonly people: People;
  readonly oauth: OAuth;
}

/** Each part leaves on `stack` how it is stopped. */
export const startCallers = async (
  options: CallersOptions,
  stack: AsyncDisposableStack,
): Promise<StartedCallers> => {
  const { control, clock, telemetry, outside = NO_PROVIDERS } = options;
  const { access, apiKeys } = control;
  const { log } = telemetry;
  const unknown = new UnknownCallers();
  const keys = stack.adopt(new KnownKeys(apiKeys, clock, log, unknown), (it) => it.stop());
  const known = new KnownSessions(access.sessions, clock, log, unknown);
  const sessions = stack.adopt(known, (it) => it.stop());
  const forget = (token: string): void => sessions.forget(token);
  const people = stack.adopt(await startPeople({ ...options, outside, forget }), (it) => it.stop());
  const oauth = await startOAuth({ ...options, publicUrl: () => people.access.publicUrl });
  const tokens = stack.adopt(new KnownTokens(oauth.tokens, access.oauth.grants, clock, log, unknown), (it) =>
    it.stop(),
  );
  const callers = new Callers(keys, sessions, tokens);
  const keyWatch = stack.adopt(new KeyWatch(callers, clock, telemetry), (it) => it.stop());
  return { unknown, callers, keyWatch, people, oauth };
};
