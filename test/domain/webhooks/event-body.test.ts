import { expect, test } from "vitest";
import { WebhookId } from "../../../schemas/common.ts";
import { SignalServiceEvent } from "../../../schemas/event.ts";
import { eventBody } from "../../../src/domain/webhooks/event-body.ts";
import { fixedUlid } from "../../conformance/control-store/examples.ts";
import { AlertEvents, JANE } from "../../support/alert-events.ts";
import { accountId } from "../../support/partition.ts";

const webhookIds = [WebhookId.parse(`whk_${fixedUlid(1)}`)];
const events = new AlertEvents(accountId(1));
const bodyOf = (alert: object) => {
  const { event } = events.firing(1, 0, { alert });
  return SignalServiceEvent.parse(JSON.parse(eventBody(event, JSON.stringify(event)))).data.alert;
};

test("an event without addresses is sent to the byte as it is in the log", () => {
  const { event } = events.firing(1, 0, { alert: { notify: { webhookIds } } });
  const text = JSON.stringify(event, null, 1);
  expect(eventBody(event, text)).toBe(text);
});

test("addresses are left out, with all that says nothing without them", () => {
  expect(bodyOf({})).not.toHaveProperty("notify");
  expect(bodyOf({ notify: { webhookIds, emails: [JANE] } })?.notify).toEqual({ webhookIds });
  const terms = { severity: "warning", labels: { site: "north" } } as const;
  const toldAs = [
    { ...terms, notify: { emails: [JANE] } },
    { ...terms, notify: { webhookIds, emails: [JANE] } },
    { ...terms, notify: null },
  ];
  const told = bodyOf({ notify: { webhookIds }, toldAs });
  expect(told?.notify).toEqual({ webhookIds });
  expect(told?.toldAs?.map(({ notify }) => notify)).toEqual([null, { webhookIds }, null]);
});
