import { ToldValue } from "./told-value.ts";

/** Whether the session has ended while the page was open: what was typed stays where it is. */
export const signedOut = new ToldValue(false);
