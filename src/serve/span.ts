import { validationFailed } from "./problem.ts";

/** What a list is asked for: `[fromMs, toMs)`, each undefined where it is not bounded. */
export interface Span {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

const ms = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);

/** As `from` and `to` of a query say; refuses what ends before it begins, which would be an empty list in silence. */
export const spanOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }): Span => {
  const [fromMs, toMs] = [ms(from), ms(to)];
  if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs)
    throw validationFailed([{ path: "from", message: "must be before to" }]);
  return { fromMs, toMs };
};
