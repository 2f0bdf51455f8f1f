import { expect, test } from "vitest";
import { Delivering } from "../support/deliver.ts";
import { startReceiver } from "../support/receiver.ts";

test("what becomes of deliveries is counted from nought, with how long endpoints take", async () => {
  const own = await Delivering.open();
  const receiver = await startReceiver();
  await own.subscribe(receiver.url);
  await own.start();
  const told = async (line: string) =>
    (await own.telemetry.metrics.expose()).text.split("\n").find((one) => one.startsWith(`${line} `)) ?? null;
  // One that is there only from its first time on has not risen, to who reckons by rises.
  for (const outcome of ["delivered", "pending", "failed"])
    expect(await told(`deliver_attempts_total{outcome="${outcome}"}`)).toMatch(/ 0$/);
  await own.happen(3);
  const all = 'deliver_attempts_total{outcome="delivered"}';
  await own.passing("the deliveries", async () => (await told(all)) === `${all} 3`);
  expect(await told("deliver_attempt_seconds_count")).toBe("deliver_attempt_seconds_count 3");
  await own.passing("connections to be told", async () =>
    /[1-3]$/.test((await told('deliver_connections{state="idle"}')) ?? ""),
  );
  expect(await told("deliver_connections_waited_for")).toBe("deliver_connections_waited_for 0");
});
