import { z } from "zod";

/**
 * A schema of what is read for every signal, and by several: compiled it takes a quarter of its time, and a tenth of the
 * memory. That itself takes up to 30 ms, so it is done when the schema is first needed.
 */
export const compiled = <Schema extends z.ZodType>(schema: Schema): (() => Schema) => {
  let made: Schema | null = null;
  return () => {
    made ??= z.compile(schema);
    return made;
  };
};
