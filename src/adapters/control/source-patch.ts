import {
  SimulatorSourceCreate,
  SourceCreate,
  type SourcePatch,
  WebSocketSourceCreate,
} from "../../../schemas/source.ts";
import { invalid, merged } from "./changed.ts";

const FIELDS = { websocket: WebSocketSourceCreate.shape, simulator: SimulatorSourceCreate.shape };

type Patched =
  | { readonly ok: true; readonly settings: SourceCreate }
  | { readonly ok: false; readonly refused: ReturnType<typeof invalid> };

/** The settings as they would be: fields of another type of source are refused, and so is what does not fit together. */
export const patchedSettings = (settings: SourceCreate, patch: SourcePatch): Patched => {
  const fields = Object.entries(patch).filter(([, value]) => value !== undefined);
  const foreign = fields.find(([name]) => !(name in FIELDS[settings.type]));
  if (foreign !== undefined) {
    return { ok: false, refused: invalid(foreign[0], `is no setting of a ${settings.type} source`) };
  }
  const checked = SourceCreate.safeParse(merged(settings, patch));
  if (checked.success) return { ok: true, settings: checked.data };
  const issue = checked.error.issues[0];
  return { ok: false, refused: invalid(issue?.path.join(".") ?? "", issue?.message ?? "is not valid") };
};
