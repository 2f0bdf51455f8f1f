import { ToldValue } from "./told-value.ts";

/** A choice of the reader's that this browser keeps. */
class Preference<Choice extends string> extends ToldValue<Choice> {
  readonly #name: string;

  constructor(name: string, choices: readonly Choice[], usual: Choice) {
    const kept = localStorage.getItem(name);
    super(choices.find((choice) => choice === kept) ?? usual);
    this.#name = name;
  }

  override set(choice: Choice): void {
    localStorage.setItem(this.#name, choice);
    super.set(choice);
  }
}

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export const theme = new Preference<Theme>("theme", THEMES, "system");

export const ZONES = ["local", "utc"] as const;
export type Zone = (typeof ZONES)[number];
export const zone = new Preference<Zone>("zone", ZONES, "local");

export const KEYS = ["on", "off"] as const;
export const keys = new Preference<(typeof KEYS)[number]>("keys", KEYS, "on");

const dark = matchMedia("(prefers-color-scheme: dark)");
/** Whether the page is dark: as somebody chose, else as their system is. */
export const isDark = {
  get: (): boolean => (theme.get() === "system" ? dark.matches : theme.get() === "dark"),
  onChange: (listener: () => void): (() => void) => {
    dark.addEventListener("change", listener);
    const forget = theme.onChange(listener);
    return () => {
      dark.removeEventListener("change", listener);
      forget();
    };
  },
};

const showTheme = (): void => {
  const chosen = theme.get();
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
};
theme.onChange(showTheme);
showTheme();
