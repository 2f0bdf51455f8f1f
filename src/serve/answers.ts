import type { z } from "zod";
import { Problem } from "../../schemas/problem.ts";
import { iso } from "../domain/evaluation/iso.ts";

/** The response schemas of a route: the good answers it names, and problems for the rest. */
export const answers = <T extends Record<number, z.ZodType>>(good: T) => ({
  ...good,
  "4xx": Problem,
  "5xx": Problem,
});

/** RFC 3339 in UTC with milliseconds. */
export const timestamp = iso;
