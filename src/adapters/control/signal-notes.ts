import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Note } from "../../ports/audit.ts";
import { difference, keptFields } from "./difference.ts";

const settingsOf = ({
  id: _,
  accountId: __,
  revision: ___,
  createdAt: ____,
  updatedAt: _____,
  ...settings
}: SignalDefinition) => settings;
const about = ({ accountId, id, name }: SignalDefinition) => ({ accountId, target: { id, name } });

export const createdNote = (made: SignalDefinition): Note => ({
  ...about(made),
  action: "signal.created",
  after: keptFields(settingsOf(made)),
});
export const updatedNote = (before: SignalDefinition, next: SignalDefinition): Note => ({
  ...about(next),
  action: "signal.updated",
  ...difference(settingsOf(before), settingsOf(next)),
});
export const deletedNote = (gone: SignalDefinition): Note => ({
  ...about(gone),
  action: "signal.deleted",
  before: keptFields(settingsOf(gone)),
});
