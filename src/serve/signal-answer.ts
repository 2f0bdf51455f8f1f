import type { Signal } from "../../schemas/signal.ts";
import { shownDbm, shownQuality } from "../domain/quality.ts";
import type { StoredSignal } from "../ports/control-store.ts";
import { timestamp } from "./answers.ts";
import type { LiveValues } from "./live-values.ts";

/** A signal as the API shows it: control data, the projected state, and over them the newest reading. */
export const signalAnswer = ({ definition, ...state }: StoredSignal, live: LiveValues): Signal => {
  const value = live.get(definition.accountId, definition.id);
  const strength = value?.strength ?? null;
  const atMs = value?.atMs ?? null;
  const { floorDbm, ceilingDbm } = definition;
  return {
    id: definition.id,
    name: definition.name,
    threshold: definition.threshold,
    externalId: definition.externalId,
    labels: definition.labels,
    floorDbm,
    ceilingDbm,
    hysteresis: definition.hysteresis,
    noDataAfterSeconds: definition.noDataAfterSeconds,
    status: state.status,
    sourceId: definition.sourceId,
    strength: strength === null ? null : shownDbm(strength),
    quality: strength === null ? null : shownQuality(strength, floorDbm, ceilingDbm),
    lastReadingAt: atMs === null ? null : timestamp(atMs),
    reasons: [...state.reasons],
    sequence: state.sequence,
    createdAt: timestamp(definition.createdAt),
    updatedAt: timestamp(definition.updatedAt),
  };
};
