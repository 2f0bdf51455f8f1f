import { describe, expect, it } from "vitest";
import { Lease } from "../../../src/adapters/kafka/lease.ts";
import { ManualClock } from "../../support/clock.ts";

describe("the lease of a group member", () => {
  it("holds while heartbeats are answered", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    for (let beat = 0; beat < 10; beat++) {
      clock.advance(2_000);
      lease.renew(clock.monotonic());
    }
    expect(lease.expired).toBe(false);
  });

  it("is not renewed by an answer that lay in the socket while the process was frozen", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    const askedAtMs = clock.monotonic();
    clock.advance(20_000);
    lease.renew(askedAtMs);
    expect(lease.expired).toBe(true);
    lease.renew(clock.monotonic());
    expect(lease.expired).toBe(false);
  });

  it("counts from when the coordinator was asked, and never backwards", () => {
    const clock = new ManualClock();
    const lease = new Lease(clock);
    const askedAtMs = clock.monotonic();
    clock.advance(4_000);
    lease.renew(clock.monotonic());
    lease.renew(askedAtMs);
    clock.advance(6_000);
    expect(lease.expired).toBe(false);
    clock.advance(1_001);
    expect(lease.expired).toBe(true);
  });
});
