import { expect, it } from "vitest";
import { z } from "zod";
import { Change } from "../../schemas/change.ts";
import { AccountId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { compiled } from "../../src/domain/compiled.ts";
import { SnapshotRow } from "../../src/domain/evaluation/snapshot-rows.ts";

const SCHEMAS = { AccountId, Change, SignalServiceEvent, SnapshotRow };

it.each(Object.entries(SCHEMAS))(
  "%s can be compiled: what could not would quietly stay slow",
  (_, schema) => {
    expect(() => z.compile<z.ZodType>(schema, { strict: true })).not.toThrow();
  },
);

it("compiles a schema once, and refuses what the schema does", () => {
  const Id = compiled(AccountId);
  expect(Id()).toBe(Id());
  expect(() => Id().parse("acc_1")).toThrow(z.ZodError);
});
