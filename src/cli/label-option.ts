import { InvalidArgumentError, Option } from "commander";

const labelPair = (pair: string, before: readonly string[] = []): string[] => {
  if (!/^[^:]+:/.test(pair)) throw new InvalidArgumentError("It must be like site:north.");
  return [...before, pair];
};

/** Labels as `key:value`, as the API takes them. */
export const labelOption = (): Option =>
  new Option("--label <key:value...>", "only signals with the label; of several, with all").argParser(
    labelPair,
  );
