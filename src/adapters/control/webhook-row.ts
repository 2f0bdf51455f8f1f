import type { WebhookSettings } from "../../../schemas/webhook.ts";
import { type Circuit, CLOSED } from "../../domain/webhooks/circuit.ts";
import type { WebhookSecrets } from "../../domain/webhooks/signature.ts";
import type { ShownWebhook, StoredWebhook } from "../../ports/webhooks.ts";
import type { ControlContext } from "./engine.ts";
import type { LaneRow, WebhookRow } from "./tables.ts";

export const webhookOf = ({ sealer }: Pick<ControlContext, "sealer">, row: WebhookRow): StoredWebhook => ({
  id: row.id,
  accountId: row.account_id,
  revision: row.revision,
  // Those made before there were groups have none.
  settings: { groups: null, ...JSON.parse(row.settings) },
  secrets: JSON.parse(sealer.open(row.id, row.secrets)),
  disabledReason: row.disabled_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The columns of what its owner said, and of its secrets, which open with its id only. */
export const sealedColumns = (
  { sealer }: Pick<ControlContext, "sealer">,
  id: string,
  settings: WebhookSettings,
  secrets: WebhookSecrets,
) => ({ settings: JSON.stringify(settings), secrets: sealer.seal(id, JSON.stringify(secrets)) });

type CircuitColumns = Pick<LaneRow, "failures_in_row" | "failing_since" | "open_until">;

export const circuitOf = (row: CircuitColumns | undefined): Circuit =>
  row === undefined
    ? CLOSED
    : {
        failuresInRow: row.failures_in_row,
        failingSinceMs: row.failing_since,
        openUntilMs: row.open_until,
      };

export const circuitColumns = (circuit: Circuit): CircuitColumns => ({
  failures_in_row: circuit.failuresInRow,
  failing_since: circuit.failingSinceMs,
  open_until: circuit.openUntilMs,
});

export const shownOf = (
  context: Pick<ControlContext, "sealer">,
  row: WebhookRow,
  lane: LaneRow | undefined,
): ShownWebhook => ({ webhook: webhookOf(context, row), circuit: circuitOf(lane) });
