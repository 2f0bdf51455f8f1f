import { ApiError } from "../../client/failures.ts";

const NOT_FOUND = 404;

/**
 * What keeps something from being shown; null: nothing does. While what was there before can be shown, only that it is
 * gone now: that it could not be asked for anew is said beside it, by `NotRenewed`.
 */
export const standsInTheWay = ({
  data,
  error,
}: {
  readonly data: unknown;
  readonly error: Error | null;
}): Error | null => {
  const isGone = error instanceof ApiError && error.status === NOT_FOUND;
  return data === undefined || isGone ? error : null;
};
