/** A webhook, by as much of it as is asked here: its own types are the service's, or those of the answers that it gives. */
interface Listener {
  readonly id: string;
  readonly settings: { readonly events: readonly string[]; readonly filter: Filter };
}
interface Filter {
  readonly signalIds?: readonly string[] | undefined;
  readonly labels?: Labels | undefined;
  readonly severities?: readonly string[] | undefined;
}
type Labels = Readonly<Record<string, string>>;

/** Whom a rule names. */
interface Named {
  readonly webhookIds?: readonly string[] | undefined;
}
/** What is asked of an event besides its kind and its signal. */
interface Terms<Notify extends Named = Named> {
  readonly severity: string | null;
  readonly notify: Notify | null;
  readonly labels: Labels;
}
interface Told<Notify extends Named = Named> {
  readonly silencedBy?: string | undefined;
  readonly heldBy?: string | undefined;
  readonly signal?: { readonly labels: Labels } | undefined;
  readonly previous?: { readonly labels?: Labels | undefined } | undefined;
  readonly alert?:
    | {
        readonly severity: string;
        readonly notify?: Notify | undefined;
        readonly toldAs?: readonly Terms<Notify>[] | undefined;
      }
    | undefined;
}
interface Addressed {
  readonly signalId: string | null;
  readonly event: { readonly event: string; readonly data: Told };
}

/** Whether anybody may hear of it: what is silenced or held back is kept, and delivered to nobody. */
export const isTold = ({ silencedBy, heldBy }: Told): boolean =>
  silencedBy === undefined && heldBy === undefined;

const fits = ({ id, settings: { filter } }: Listener, { severity, notify, labels: own }: Terms): boolean => {
  const { labels = {}, severities } = filter;
  if (notify?.webhookIds !== undefined && !notify.webhookIds.includes(id)) return false;
  if (Object.entries(labels).some(([key, value]) => own[key] !== value)) return false;
  // What is no alert has no severity to be filtered by.
  return severities === undefined || severity === null || severities.includes(severity);
};

/** Its own, and those under which others have heard before what goes on here, or ends: they hear of that too. */
export const termsOf = <Notify extends Named>({ signal, previous, alert }: Told<Notify>): Terms<Notify>[] => {
  const labels = signal?.labels ?? {};
  const own = { severity: alert?.severity ?? null, notify: alert?.notify ?? null, labels };
  const before = previous?.labels === undefined ? [] : [{ ...own, labels: previous.labels }];
  return [own, ...before, ...(alert?.toldAs ?? [])];
};

/** Whether a webhook asks for an event of its account, be it told or not: by its kind, its rule, and all that is named. */
export const asksFor = (listener: Listener, { signalId, event }: Addressed): boolean => {
  const { events, filter } = listener.settings;
  if (!events.includes(event.event)) return false;
  const { signalIds } = filter;
  if (signalIds !== undefined && (signalId === null || !signalIds.includes(signalId))) return false;
  return termsOf(event.data).some((terms) => fits(listener, terms));
};

/**
 * Whether an event of its account is sent to a webhook. Who was told that an alert fires is told what becomes of it, and
 * who follows a signal by its labels, that it has them no more.
 */
export const wants = (listener: Listener, addressed: Addressed): boolean =>
  isTold(addressed.event.data) && asksFor(listener, addressed);
