import { describe, expect, test } from "vitest";
import { BackPressure } from "../../src/intake/back-pressure.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Takers that take so many bytes each whenever they may, all of them stopped; whoever is in `idle` has nothing to take. */
const takers = (names: string, bytes: number) => {
  const pressure = new BackPressure(100);
  const idle = new Set<string>();
  const told: string[] = [];
  const places = new Map(
    [...names].map((name) => {
      const place = pressure.join(() => {
        told.push(pressure.paused ? name : name.toUpperCase());
        if (pressure.paused || idle.has(name)) return;
        place.took();
        pressure.take(bytes);
      });
      return [name, place];
    }),
  );
  pressure.take(101);
  told.length = 0;
  /** Who goes on, in their order, when all that was taken is given back. */
  const round = async () => {
    pressure.give(pressure.bytes);
    for (let turns = 0; turns < 2 * names.length; turns++) await turn();
    return told
      .splice(0)
      .filter((name) => name === name.toUpperCase())
      .join("");
  };
  return { pressure, told, places, idle, round };
};

describe("back-pressure", () => {
  test("lets those go on first that took longest ago", async () => {
    const { round } = takers("abcde", 60);
    const rounds = [];
    for (let n = 0; n < 5; n++) rounds.push(await round());
    expect(rounds).toEqual(["AB", "CD", "EA", "BC", "DE"]);
  });

  test("keeps the turn of who had nothing to take, and nobody waiting for it", async () => {
    const { round, idle } = takers("abcd", 60);
    idle.add("a").add("c");
    expect([await round(), await round()]).toEqual(["ABCD", "ACBD"]);
    idle.delete("c");
    expect([await round(), await round()]).toEqual(["ACB", "ADC"]);
  });

  test("gives the event loop a turn before the next goes on, so that what comes by it has its chance", async () => {
    const { pressure, round, idle, places } = takers("ab", 101);
    idle.add("a");
    const heard: string[] = [];
    const byTheLoop = new Promise<void>((resolve) => {
      // As a socket that is read again tells of what it has: in the next turn.
      setImmediate(() => {
        heard.push("a");
        places.get("a")?.took();
        pressure.take(101);
        resolve();
      });
    });
    expect(await round()).toBe("A");
    await byTheLoop;
    expect(heard).toEqual(["a"]);
    expect(await round()).toBe("B");
  });

  test("lets all go on while there is room, and tells all where there is none any more", async () => {
    const { pressure, told, round } = takers("abc", 10);
    expect(await round()).toBe("ABC");
    pressure.take(100);
    expect(told.toSorted()).toEqual(["a", "b", "c"]);
  });

  test("lets as many go on at once as there is room for", () => {
    const pressure = new BackPressure(32 * 1024 * 1024);
    let flowing = 0;
    for (let n = 0; n < 1_000; n++)
      pressure.join(() => {
        flowing = pressure.paused ? 0 : flowing + 1;
      });
    pressure.take(33 * 1024 * 1024);
    pressure.give(17 * 1024 * 1024);
    expect(flowing).toBe(128);
  });

  test("forgets who is gone, also while others go on", async () => {
    const { pressure, told, places, round } = takers("abc", 10);
    pressure.join(() => places.get("c")?.leave());
    places.get("a")?.leave();
    expect(await round()).toBe("BC");
    pressure.hold("log_full");
    expect(told).toEqual(["b"]);
  });
});
