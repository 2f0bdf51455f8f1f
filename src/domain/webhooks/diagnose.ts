import { bodyVariants } from "./body-variants.ts";
import { type Finding, finding, isTime, ofMatch, ofTime } from "./findings.ts";
import { STANDARD_ID, STANDARD_TIMESTAMP } from "./plain-headers.ts";
import { SERVICE_SIGNATURE, SERVICE_SIGNATURE_NEXT, STANDARD_SIGNATURE } from "./signature.ts";
import { type Key, recogniser } from "./signature-search.ts";
import { ofSignatures } from "./signature-verdict.ts";

/** Of a request, each by its name in any case, as CGI writes it (`HTTP_WEBHOOK_ID`), too. */
type GivenHeaders = Readonly<Record<string, string | readonly string[]>>;

/** By names in small letters. */
export const receivedHeaders = (headers: GivenHeaders): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(headers).map(([name, value]) => [
      name
        .toLowerCase()
        .replaceAll("_", "-")
        .replace(/^http-/, ""),
      typeof value === "string" ? value : value.join(" "),
    ]),
  );

/** What a receiver got, and what it can say of its own reckoning. */
export interface Received {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** The signature that the receiver's code came to; null where it was not told. */
  readonly computed: string | null;
  /** By the service's clock, Unix milliseconds. */
  readonly nowMs: number;
}

export interface Known {
  readonly secret: string;
  /** Kept after its time, so that it can be recognised; null for none. */
  readonly previous: string | null;
  readonly previousIsValid: boolean;
  readonly isSigning: boolean;
  /** Body of the delivery that `webhook-id` names; null where it is not known (any more). */
  readonly sentBody: string | null;
}

export interface Diagnosis {
  /** The headers fit the body and the time: nothing is wrong with what was received. */
  readonly verifies: boolean;
  /** The likeliest reason first. */
  readonly findings: readonly Finding[];
}

const VERIFIES = finding(
  "verifies",
  "These headers fit this body. If the receiver refuses it, it has another secret or verifies other bytes: send `computed`, what its code comes to, and ask again.",
);
const COMPUTED_UNKNOWN = finding(
  "computed_unknown",
  "What the receiver computes fits neither secret of this webhook, nor any usual form of this body: it has another secret.",
);
const COMPUTED_RIGHT = finding(
  "computed_right",
  "What the receiver computes is right: look at which header it compares with, and how.",
);

const keysOf = ({ secret, previous }: Known): Key[] => [
  { name: "current", secret },
  ...(previous === null ? [] : [{ name: "previous", secret: previous } as const]),
];

/** Why a signature does not verify, the likeliest reason first. */
export const diagnose = ({ headers, body, computed, nowMs }: Received, known: Known): Diagnosis => {
  const get = (name: string): string => headers.get(name.toLowerCase()) ?? "";
  const [id, timestamp] = [get(STANDARD_ID), get(STANDARD_TIMESTAMP)];
  const recognise = recogniser(keysOf(known), bodyVariants(body), { id, timestamp });
  const recognised = (values: readonly string[]) =>
    values.filter((value) => value !== "").map((given) => ({ given, match: recognise(given) }));
  const signatures = {
    service: recognised([get(SERVICE_SIGNATURE), get(SERVICE_SIGNATURE_NEXT)]),
    standard: recognised(get(STANDARD_SIGNATURE).split(" ")),
    body,
    hasId: id !== "",
    hasTime: isTime(timestamp),
  };
  const wrong = [...ofSignatures(signatures, known), ...ofTime(timestamp === "" ? null : timestamp, nowMs)];
  const verifies = wrong.length === 0;
  if (computed === null) return { verifies, findings: verifies ? [VERIFIES] : wrong };
  const match = recognise(computed);
  if (match === null) return { verifies, findings: [...wrong, COMPUTED_UNKNOWN] };
  const mistakes = ofMatch(computed, match, known.previousIsValid);
  return { verifies, findings: [...wrong, ...(mistakes.length > 0 ? mistakes : [COMPUTED_RIGHT])] };
};
