import { ToldValue } from "./told-value.ts";

/**
 * What whoever opened the page may do by now: all that they might; nothing, as the session has ended; or only set up the
 * second factor that the account asks for. What was typed stays where it is.
 */
export const standing = new ToldValue<"in" | "out" | "no-second-factor">("in");
