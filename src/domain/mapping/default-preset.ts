import type { JSONValue } from "json-p3";
import { SIGNAL_NAMES, STRENGTH_NAMES } from "./default-names.ts";
import { isObject } from "./json.ts";
import { PlainMessage } from "./plain-message.ts";
import { timeOf } from "./time.ts";
import { numberOf, textOf } from "./value.ts";
import type { CompiledMapping, MappingVisitor } from "./visitor.ts";

const NO_SIGNAL = `none of ${SIGNAL_NAMES.join(", ")}`;
const NO_STRENGTH = `none of ${STRENGTH_NAMES.join(", ")}`;

type Element = { [key: string]: JSONValue };

/** The way of what is not a plain reading: finds the name for what is wrong with it. */
const refuse = (element: Element, signal: JSONValue, strength: JSONValue, visitor: MappingVisitor) => {
  const named = SIGNAL_NAMES.some((name) => Object.hasOwn(element, name));
  const measured = STRENGTH_NAMES.some((name) => Object.hasOwn(element, name));
  if (!named && !measured) visitor.skipped();
  else if (signal === undefined || signal === null) visitor.rejected("no_signal", NO_SIGNAL);
  else if (strength === undefined || strength === null) visitor.rejected("no_strength", NO_STRENGTH);
  else if (textOf(signal) === null)
    visitor.rejected(
      "signal_name_invalid",
      "the signal is neither a text nor a number that keeps its digits",
    );
  else if (Number.isNaN(numberOf(strength)))
    visitor.rejected("strength_not_a_number", "the strength is no number");
  else visitor.rejected("bad_time", "the time is neither RFC 3339 nor an epoch");
};

/** Written out by hand: this is the hot path of feeds that speak our own form. No name here is one that objects inherit. */
const mapElement = (element: JSONValue, arrivalMs: number, visitor: MappingVisitor): void => {
  if (!isObject(element)) {
    visitor.rejected("no_signal", "no object");
    return;
  }
  const signal = element.signalId ?? element.externalId ?? element.signal ?? element.id ?? element.deviceId;
  const raw = element.strength ?? element.rssi ?? element.dbm;
  const at = element.at ?? element.ts ?? element.time ?? element.timestamp;
  const name = typeof signal === "string" ? signal : textOf(signal);
  const strength = typeof raw === "number" ? raw : numberOf(raw);
  const atMs = at === undefined || at === null ? arrivalMs : timeOf(at);
  if (name === null || Number.isNaN(strength) || Number.isNaN(atMs)) refuse(element, signal, raw, visitor);
  else visitor.reading(name, atMs, strength, element);
};

const plain = new PlainMessage();

/** Preset `default`: `{signalId|externalId|signal|id|deviceId, strength|rssi|dbm, at|ts|time|timestamp}`, or an array of them. */
export const defaultMapping: CompiledMapping = {
  map: (message, arrivalMs, visitor) => {
    if (!Array.isArray(message)) mapElement(message, arrivalMs, visitor);
    else if (message.length === 0) visitor.skipped();
    else for (let i = 0; i < message.length; i++) mapElement(message[i], arrivalMs, visitor);
  },
  readPlain: (bytes, arrivalMs) => (plain.read(bytes, arrivalMs) ? plain : null),
  labels: () => ({}),
};
