import type { EventId } from "../../../schemas/common.ts";
import { API_VERSION, type SignalServiceEvent } from "../../../schemas/event.ts";

/** Tells the account that the service disabled a webhook at `nowMs`, and why. */
export const disabledEvent = (
  id: EventId,
  webhook: { readonly id: string; readonly name: string | null; readonly reason: string },
  nowMs: number,
): SignalServiceEvent => ({
  event: "webhook.disabled",
  id,
  type: "webhook.disabled",
  createdAt: new Date(nowMs).toISOString(),
  apiVersion: API_VERSION,
  sequence: null,
  data: { webhook },
});
