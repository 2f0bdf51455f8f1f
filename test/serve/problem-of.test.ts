import { expect, test } from "vitest";
import { PROBLEMS } from "../../schemas/problem.ts";
import { InvalidCursorError } from "../../src/domain/cursor.ts";
import { ControlUnavailableError } from "../../src/ports/control-store.ts";
import { LogUnavailableError } from "../../src/ports/event-log.ts";
import { TimeSeriesUnavailableError } from "../../src/ports/time-series.ts";
import { problemBody } from "../../src/serve/problem.ts";
import { problemOf } from "../../src/serve/problem-of.ts";

const SECRET = "SELECT secret FROM /var/data";

test.each([
  [new TimeSeriesUnavailableError(SECRET), "storage_unavailable", 503],
  [new ControlUnavailableError(SECRET), "storage_unavailable", 503],
  [new LogUnavailableError(SECRET), "pipeline_unavailable", 503],
  [new InvalidCursorError(SECRET), "validation_failed", 400],
  [new TypeError(SECRET), "internal", 500],
  [SECRET, "internal", 500],
])("%s is told as %s, without its own words", (error, code, status) => {
  const body = problemBody(problemOf(error), "req_1");
  expect(body).toMatchObject({ code, status, type: `/problems/${code}`, requestId: "req_1" });
  expect(JSON.stringify(body)).not.toContain("secret");
});

test("every problem of the table says its status and title", () => {
  for (const { status, title } of Object.values(PROBLEMS)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).not.toBe("");
  }
});
