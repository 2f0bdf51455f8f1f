import { existsSync, readFileSync } from "node:fs";

const CAPTURE = new URL("../../../shared/data/ttn-v3-walk.ndjson", import.meta.url);

/** The lines of the real capture, or null where its data is not beside the checkout. */
export const walkLines = (): string[] | null =>
  existsSync(CAPTURE)
    ? readFileSync(CAPTURE, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : null;
