import type { Locks } from "../../ports/control-store.ts";

/** For an engine that one process alone can open: nobody outside it can take a name away. */
export const createLocalLocks = (): Locks => {
  const held = new Set<string>();
  return {
    tryLock: async (name) => {
      if (held.has(name)) return null;
      held.add(name);
      let mine = true;
      const { signal } = new AbortController();
      const release = async () => {
        if (mine) held.delete(name);
        mine = false;
      };
      return { lost: signal, release };
    },
  };
};
