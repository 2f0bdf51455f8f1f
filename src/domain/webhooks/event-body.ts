/** Whom a rule names: addresses of people among them. */
interface Notify {
  readonly webhookIds?: readonly string[] | undefined;
  readonly emails?: readonly string[] | undefined;
}
interface Alert {
  readonly notify?: Notify | undefined;
  readonly toldAs?: readonly { readonly notify: Notify | null }[] | undefined;
}
/** As much of an event as is asked here: its own type is the service's, or that of the answers that it gives. */
interface Event {
  readonly data: { readonly alert?: Alert | undefined };
}

const webhooksOnly = (notify: Notify | null): Notify | null => {
  if (notify === null || notify.webhookIds === undefined) return null;
  return { webhookIds: notify.webhookIds };
};

const withoutEmails = ({ notify, toldAs, ...alert }: Alert) => {
  const webhooks = webhooksOnly(notify ?? null);
  const terms = toldAs?.map((each) => ({ ...each, notify: webhooksOnly(each.notify) }));
  return {
    ...alert,
    ...(webhooks === null ? {} : { notify: webhooks }),
    ...(terms === undefined ? {} : { toldAs: terms }),
  };
};

const namesEmails = ({ notify, toldAs = [] }: Alert): boolean =>
  [notify, ...toldAs.map((terms) => terms.notify)].some((each) => each?.emails !== undefined);

/** What webhooks are sent of an event: its text as it stands in the log, but for addresses of people, which stay here. */
export const eventBody = (event: Event, text: string): string => {
  const { alert } = event.data;
  if (alert === undefined || !namesEmails(alert)) return text;
  return JSON.stringify({ ...event, data: { ...event.data, alert: withoutEmails(alert) } });
};
