import type { AlertData } from "../../../schemas/alert.ts";
import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { Email } from "../../../schemas/email.ts";
import type { AddressedEvent } from "../records.ts";
import { isTold, termsOf } from "../webhooks/match.ts";

/** What an event says of an alert to whom its rule names by e-mail address. */
export interface AlertNews {
  readonly accountId: AccountId;
  readonly recipients: readonly Email[];
  readonly signalId: SignalId;
  readonly signalName: string;
  readonly sequence: number;
  readonly alert: AlertData;
}

/** Nobody is mailed that somebody else takes an alert on. */
const MAILED: readonly string[] = ["alert.firing", "alert.resolved"];

/**
 * Null: the event is mailed to nobody. Who was told that an alert fires is told what becomes of it, as webhooks are:
 * whoever is named by the terms of the event, or by those under which the alert was told before.
 */
export const alertNews = ({ accountId, signalId, event }: AddressedEvent): AlertNews | null => {
  const { data, sequence } = event;
  const { alert, signal } = data;
  if (alert === undefined || signalId === null || sequence === null) return null;
  if (!MAILED.includes(event.event) || !isTold(data)) return null;
  const recipients = [...new Set(termsOf(data).flatMap(({ notify }) => notify?.emails ?? []))];
  if (recipients.length === 0) return null;
  return { accountId, recipients, signalId, signalName: signal?.name ?? signalId, sequence, alert };
};
