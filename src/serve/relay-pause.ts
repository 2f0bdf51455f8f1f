import type { Clock } from "../ports/clock.ts";

/** A wait that a nudge ends early; one that came since `attend` ends it at once, so none is missed. */
export const createRelayPause = (clock: Clock) => {
  let nudged = false;
  let wake = (): void => {};
  return {
    attend: (): void => {
      nudged = false;
    },
    nudge: (): void => {
      nudged = true;
      wake();
    },
    wait: (ms: number): Promise<void> => {
      if (nudged) return Promise.resolve();
      return new Promise((resolve) => {
        const cancel = clock.after(ms, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    },
  };
};
