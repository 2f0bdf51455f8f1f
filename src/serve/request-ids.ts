import { ulid } from "../domain/ids.ts";
import type { Clock, Entropy } from "../ports/clock.ts";

/** Makes the ids under which answers and log lines of one request are found. */
export const requestIds = (clock: Clock, entropy: Entropy) => (): string =>
  `req_${ulid(clock.now(), entropy.bytes(10))}`;
