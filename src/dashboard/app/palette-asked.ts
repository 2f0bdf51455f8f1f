import { ToldValue } from "./told-value.ts";

/** Whether somebody wants to go to any page or signal, by a key or by the button for it. */
export const paletteAsked = new ToldValue(false);
