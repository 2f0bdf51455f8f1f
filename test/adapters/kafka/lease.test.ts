import { describe, expect, it } from "vitest";
import { Lease } from "../../../src/adapters/kafka/lease.ts";
import { ManualClock } from "../../support/clock.ts";

describe("the lease of a group member", () => {
  it("holds while heartbeats are answered", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    for (let beat = 0; beat < 10; beat++) {
      clock.advance(2_000);
      lease.heard();
    }
    expect(lease.expired).toBe(false);
  });

  it("is not renewed by the one answer that lay in the socket while the process was frozen", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    clock.advance(20_000);
    lease.heard();
    expect(lease.expired).toBe(true);
    lease.heard();
    expect(lease.expired).toBe(false);
  });

  it("doubts each standstill anew", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    for (let freeze = 0; freeze < 2; freeze++) {
      clock.advance(20_000);
      lease.heard();
      expect(lease.expired).toBe(true);
      lease.heard();
    }
  });

  it("begins anew with each joining", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    clock.advance(20_000);
    lease.renew();
    expect(lease.expired).toBe(false);
  });
});
