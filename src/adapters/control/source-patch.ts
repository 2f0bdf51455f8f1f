import {
  HttpPollSourceCreate,
  HttpStreamSourceCreate,
  PushSourceCreate,
  SimulatorSourceCreate,
  SourceCreate,
  type SourcePatch,
  WebSocketSourceCreate,
} from "../../../schemas/source.ts";
import { invalid, merged } from "./changed.ts";

const FIELDS = {
  websocket: WebSocketSourceCreate.shape,
  "http-poll": HttpPollSourceCreate.shape,
  "http-stream": HttpStreamSourceCreate.shape,
  push: PushSourceCreate.shape,
  simulator: SimulatorSourceCreate.shape,
} satisfies Record<SourceCreate["type"], object>;

/** Null takes these away. */
const REMOVABLE = new Set(["body", "cursor"]);
const withoutRemoved = (settings: object): object =>
  Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== null || !REMOVABLE.has(name)),
  );

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
  const checked = SourceCreate.safeParse(withoutRemoved(merged(settings, patch)));
  if (checked.success) return { ok: true, settings: checked.data };
  const issue = checked.error.issues[0];
  return { ok: false, refused: invalid(issue?.path.join(".") ?? "", issue?.message ?? "is not valid") };
};
