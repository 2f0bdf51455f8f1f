import { ZodError } from "zod";
import type { Mapping, MappingPaths, MappingPreset } from "../../../schemas/source.ts";
import { defaultMapping } from "./default-preset.ts";
import { PathError } from "./path.ts";
import { compilePaths } from "./paths-mapping.ts";
import type { CompiledMapping } from "./visitor.ts";

/** The messages of well-known senders. */
const PRESETS: Record<Exclude<MappingPreset, "default">, MappingPaths> = {
  /** https://www.thethingsindustries.com/docs/integrations/other-integrations/mqtt/ : an uplink, once for each gateway. */
  "ttn-v3": {
    each: "$.uplink_message.rx_metadata[*]",
    signal: "{$$.end_device_ids.device_id}/{$.gateway_ids.gateway_id}",
    strength: "$.rssi",
    at: "$$.received_at",
  },
  /** https://www.chirpstack.io/docs/chirpstack/integrations/events.html : event `up`; others have no `rxInfo`. */
  "chirpstack-v4": {
    each: "$.rxInfo[*]",
    signal: "{$$.deviceInfo.devEui}/{$.gatewayId}",
    strength: "$.rssi",
    at: "$$.time",
  },
};

export type CompileOutcome =
  | { readonly ok: true; readonly mapping: CompiledMapping }
  | { readonly ok: false; readonly message: string };

/** Makes a source's mapping ready, or says what is wrong with it. */
export const compileMapping = (mapping: Mapping): CompileOutcome => {
  if ("preset" in mapping) {
    const compiled = mapping.preset === "default" ? defaultMapping : compilePaths(PRESETS[mapping.preset]);
    return { ok: true, mapping: compiled };
  }
  try {
    return { ok: true, mapping: compilePaths(mapping) };
  } catch (error) {
    if (error instanceof PathError) return { ok: false, message: error.message };
    if (error instanceof ZodError) {
      return { ok: false, message: error.issues.map((issue) => `labels: ${issue.message}`).join("; ") };
    }
    throw error;
  }
};
