import type { SignalDefinition } from "../../../schemas/change.ts";
import { type AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalCreate } from "../../../schemas/signal.ts";
import { newUlid } from "./changed.ts";
import type { ControlContext } from "./engine.ts";

/** A signal of nobody's source, at revision 1. */
export const newSignal = (
  context: ControlContext,
  accountId: AccountId,
  input: SignalCreate,
): SignalDefinition => {
  const now = context.clock.now();
  const id = SignalId.parse(`sig_${newUlid(context, now)}`);
  return {
    id,
    accountId,
    revision: 1,
    ...input,
    paused: false,
    sourceId: null,
    createdAt: now,
    updatedAt: now,
  };
};
