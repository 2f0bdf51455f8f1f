import type { AlertData } from "../../../schemas/alert.ts";
import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { Notify } from "../../../schemas/notify.ts";

const webhooksOnly = (notify: Notify | null): Notify | null => {
  if (notify === null || notify.webhookIds === undefined) return null;
  return { webhookIds: notify.webhookIds };
};

const withoutEmails = ({ notify, toldAs, ...alert }: AlertData): AlertData => {
  const webhooks = webhooksOnly(notify ?? null);
  const terms = toldAs?.map((each) => ({ ...each, notify: webhooksOnly(each.notify) }));
  return {
    ...alert,
    ...(webhooks === null ? {} : { notify: webhooks }),
    ...(terms === undefined ? {} : { toldAs: terms }),
  };
};

const namesEmails = ({ notify, toldAs = [] }: AlertData): boolean =>
  [notify, ...toldAs.map((terms) => terms.notify)].some((each) => each?.emails !== undefined);

/** What webhooks are sent of an event: its text as it stands in the log, but for addresses of people, which stay here. */
export const eventBody = (event: SignalServiceEvent, text: string): string => {
  const { alert } = event.data;
  if (alert === undefined || !namesEmails(alert)) return text;
  return JSON.stringify({ ...event, data: { ...event.data, alert: withoutEmails(alert) } });
};
