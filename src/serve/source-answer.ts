import type { Source } from "../../schemas/source.ts";
import { hiddenSettings } from "../domain/hidden-settings.ts";
import type { SourceStatus, StoredSource } from "../ports/control-store.ts";
import { timestamp } from "./answers.ts";

/** A source as the API shows it. */
export const sourceAnswer = (source: StoredSource, status: SourceStatus): Source => ({
  ...hiddenSettings(source.settings),
  id: source.id,
  state: status.state,
  stateReason: status.stateReason,
  lastMessageAt: status.lastMessageAt === null ? null : timestamp(status.lastMessageAt),
  counters: status.counters,
  createdAt: timestamp(source.createdAt),
  updatedAt: timestamp(source.updatedAt),
});
