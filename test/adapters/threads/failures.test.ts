import { expect, test } from "vitest";
import { packFailure, unpackFailure } from "../../../src/adapters/threads/failures.ts";
import { InvalidCursorError } from "../../../src/domain/cursor.ts";
import * as controlStore from "../../../src/ports/control-store.ts";
import * as eventLog from "../../../src/ports/event-log.ts";

/** As it comes out of a message. */
const passed = (error: unknown): Error => unpackFailure(structuredClone(packFailure(error)));

type ErrorClass = new (message: string) => Error;
const isErrorClass = (exported: unknown): exported is ErrorClass =>
  typeof exported === "function" && exported.prototype instanceof Error;

const exported: readonly unknown[] = [...Object.values(eventLog), ...Object.values(controlStore)];
const OF_PORTS = exported.filter(isErrorClass);

test("both ports have failures of their own", () => {
  expect(OF_PORTS.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["LogFullError", "ControlUnavailableError"]),
  );
});

test.each<ErrorClass>([...OF_PORTS, InvalidCursorError, RangeError])("a %o keeps its class", (Failure) => {
  const error = new Failure("what failed");
  const there = passed(error);
  expect(there).toBeInstanceOf(Failure);
  expect([there.name, there.message, there.stack]).toEqual([error.name, "what failed", error.stack]);
});

test("a failure of no such class keeps its name", () => {
  const error = Object.assign(new Error("what failed"), { name: "OtherError" });
  expect(String(passed(error))).toBe("OtherError: what failed");
  expect(String(passed("thrown text"))).toBe("Error: thrown text");
});

test("a failure keeps its cause, and that one its own", () => {
  const disk = new Error("no space left on device");
  const write = new eventLog.LogUnavailableError("cannot write", { cause: disk });
  const { cause } = passed(new Error("not appended", { cause: write }));
  expect(cause).toBeInstanceOf(eventLog.LogUnavailableError);
  expect(cause).toMatchObject({ message: "cannot write", cause: { message: "no space left on device" } });
  expect(passed(disk)).not.toHaveProperty("cause");
});

test("causes that go round in a circle are passed on as far as they say something", () => {
  const one = new Error("one");
  const two = new Error("two", { cause: one });
  one.cause = two;
  expect(passed(one)).toMatchObject({ message: "one", cause: { message: "two" } });
});
