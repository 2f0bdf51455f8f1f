import { useSyncExternalStore } from "react";

/** A value outside of React, and whoever shows it. */
export class ToldValue<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener();
  }

  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const useTold = <T>(told: ToldValue<T>): T => useSyncExternalStore(told.onChange, told.get);
