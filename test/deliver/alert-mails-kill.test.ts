import { describe, expect, test } from "vitest";
import { noteAlertMails } from "../../src/deliver/alert-mails.ts";
import { alertRows } from "../../src/deliver/projection.ts";
import { INTERVAL_MS, WAIT_MS } from "../../src/domain/alert-mails/box.ts";
import { AlertEvents, JANE } from "../support/alert-events.ts";
import { ManualClock } from "../support/clock.ts";
import { controlEngines, forgetful, openPostgres } from "../support/control-engines.ts";
import { Mailing } from "../support/mailing.ts";
import { accountId } from "../support/partition.ts";
import { newSchema, postgresUrl } from "../support/postgres.ts";

const server = await postgresUrl();

describe.each(controlEngines(server))("e-mails of alerts on %s", (_, open) => {
  test("are made once, though the worker is another one at every step and all events come again", async () => {
    const clock = new ManualClock();
    const mailing = await Mailing.open(clock, await open(clock));
    const { events } = mailing;
    const all = [1, 2, 3].map((n) => events.firing(n, mailing.now));
    const restart = async (step: () => Promise<unknown>) => {
      const stop = await mailing.start();
      await step();
      await stop();
    };
    await restart(() => mailing.happen(...all));
    await restart(() => mailing.happen(...all));
    clock.advance(WAIT_MS);
    await restart(() => mailing.arrived(1));
    await restart(() => mailing.happen(...all));
    const ends = [1, 2].map((n) => events.resolved(n, mailing.now));
    clock.advance(INTERVAL_MS);
    await restart(async () => {
      await mailing.happen(...ends, ...all, ...ends);
      await mailing.arrived(2, WAIT_MS);
    });
    await restart(async () => {
      await mailing.happen(...all, ...ends);
      clock.advance(2 * INTERVAL_MS);
      await mailing.settled();
    });
    expect(mailing.subjects()).toEqual(["[firing] rule 1: 3 alerts", "[resolved] rule 1: 2 alerts"]);
    expect(mailing.sent[1]?.follows).toEqual([mailing.sent[0]?.id]);
  });

  test("are made once, though the answers of transactions are lost", async () => {
    const clock = new ManualClock();
    const { control, lose } = forgetful(await open(clock));
    const mailing = await Mailing.open(clock, control);
    await mailing.start();
    lose(1);
    await mailing.firing(1);
    lose(1);
    await mailing.arrived(1, WAIT_MS);
    lose(1);
    await mailing.resolved(1);
    lose(1);
    await mailing.arrived(2, INTERVAL_MS);
    clock.advance(2 * INTERVAL_MS);
    await mailing.settled();
    expect(mailing.subjects()).toEqual(["[firing] rule 1: signal 1", "[resolved] rule 1: signal 1"]);
  });

  test("tell what happened while nobody listened before they are due", async () => {
    const clock = new ManualClock();
    const mailing = await Mailing.open(clock, await open(clock));
    const stop = await mailing.start();
    await mailing.firing(1);
    await stop();
    await mailing.append(...[2, 3, 4].map((n) => mailing.events.firing(n, mailing.now)));
    clock.advance(WAIT_MS);
    await mailing.start();
    await mailing.arrived(1);
    expect(mailing.subjects()).toEqual(["[firing] rule 1: 4 alerts"]);
  });
});

test("two processes that take the same events at once note them once", async () => {
  const clock = new ManualClock();
  const url = await newSchema(server);
  const stores = [await openPostgres(clock, url), await openPostgres(clock, url)];
  const events = new AlertEvents(accountId(1));
  const all = Array.from({ length: 50 }, (_, n) => events.firing(n, clock.now()));
  const take = (store: (typeof stores)[number]) =>
    store.transaction(async (within) => {
      const noted = await noteAlertMails(within, all, clock.now());
      await within.alerts.project(alertRows(all));
      return noted.followed;
    });
  const noted = await Promise.all([...stores, ...stores].map(take));
  expect(noted.toSorted()).toEqual([0, 0, 0, 50]);
  const box = { accountId: accountId(1), recipient: JANE };
  expect(await stores[0]?.alertMails.news(box)).toMatchObject([{ firing: 50, news: 50 }]);
});
