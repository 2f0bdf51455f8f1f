import type { Clock } from "../../ports/clock.ts";
import { LogUnavailableError } from "../../ports/event-log.ts";

/** Settles as `task` does, or rejects after `ms`; the task itself goes on. */
export const within = async <T>(clock: Clock, ms: number, what: string, task: Promise<T>): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(ms, () =>
    late.reject(new LogUnavailableError(`Kafka has not answered for ${ms / 1_000} s: ${what}.`)),
  );
  try {
    return await Promise.race([task, late.promise]);
  } finally {
    cancel();
  }
};

/** Resolves when all are settled, at the latest after `ms`; true if they are. */
export const settledWithin = async (
  clock: Clock,
  ms: number,
  tasks: Iterable<Promise<unknown>>,
): Promise<boolean> => {
  const late = Promise.withResolvers<boolean>();
  const cancel = clock.after(ms, () => late.resolve(false));
  const settled = Promise.allSettled(tasks).then(() => true);
  try {
    return await Promise.race([settled, late.promise]);
  } finally {
    cancel();
  }
};
