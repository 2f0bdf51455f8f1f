import { bodyVariants } from "./body-variants.ts";
import { type Finding, finding, ofBody, ofMatch, ofTime } from "./findings.ts";
import {
  SERVICE_SIGNATURE,
  SERVICE_SIGNATURE_NEXT,
  STANDARD_ID,
  STANDARD_SIGNATURE,
  STANDARD_TIMESTAMP,
} from "./signature.ts";
import { type Key, type Match, recognise } from "./signature-search.ts";

/** What a receiver got, and what it can say of its own reckoning. */
export interface Received {
  /** Names in any case. */
  readonly headers: Readonly<Record<string, string>>;
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
const MISSING = finding("signature_missing", "There is no signature among these headers.");
const OFF = finding("signing_off", "Signing is switched off for this webhook.");
const UNKNOWN = finding(
  "unknown_secret",
  "No signature here fits this body under this webhook's secrets: the request is another webhook's, or not the service's.",
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

interface Recognised {
  readonly given: string;
  readonly match: Match | null;
}

/** Of the signatures that came: those that are well made say nothing, else the first that can be recognised does. */
const ofSignatures = (all: readonly Recognised[], received: Received, known: Known): Finding[] => {
  if (all.length === 0) return [known.isSigning ? MISSING : OFF];
  const judged = all.flatMap(({ given, match }) =>
    match === null ? [] : [ofMatch(given, match, known.previousIsValid)],
  );
  // While two secrets are valid one signature is the old one's, as it should be.
  if (judged.some((findings) => findings.length === 0)) return [];
  const [first] = judged;
  if (first !== undefined) return first;
  const { sentBody } = known;
  return [sentBody === null || sentBody === received.body ? UNKNOWN : ofBody(sentBody, received.body)];
};

/** Why a signature does not verify, the likeliest reason first. */
export const diagnose = (received: Received, known: Known): Diagnosis => {
  const headers = new Map(
    Object.entries(received.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const get = (name: string): string => headers.get(name.toLowerCase()) ?? "";
  const timestamp = get(STANDARD_TIMESTAMP);
  const variants = bodyVariants(received.body);
  const recognised = (given: string): Recognised => ({
    given,
    match: recognise(given, keysOf(known), variants, { id: get(STANDARD_ID), timestamp }),
  });
  const signatures = [
    get(SERVICE_SIGNATURE),
    get(SERVICE_SIGNATURE_NEXT),
    ...get(STANDARD_SIGNATURE).split(" "),
  ];
  const given = signatures.filter((value) => value !== "").map(recognised);
  const wrong = [
    ...ofSignatures(given, received, known),
    ...ofTime(timestamp === "" ? null : timestamp, received.nowMs),
  ];
  const verifies = wrong.length === 0;
  if (received.computed === null) return { verifies, findings: verifies ? [VERIFIES] : wrong };
  const { match } = recognised(received.computed);
  if (match === null) return { verifies, findings: [...wrong, COMPUTED_UNKNOWN] };
  const mistakes = ofMatch(received.computed, match, known.previousIsValid);
  return { verifies, findings: [...wrong, ...(mistakes.length > 0 ? mistakes : [COMPUTED_RIGHT])] };
};
