import { type Finding, finding, ofBody, ofMatch } from "./findings.ts";
import type { Match } from "./signature-search.ts";

const MISSING = finding("signature_missing", "There is no signature among these headers.");
const OFF = finding("signing_off", "Signing is switched off for this webhook.");
const UNKNOWN = finding(
  "unknown_secret",
  "No signature here fits this body under this webhook's secrets: the request is another webhook's, or not the service's.",
);
const EMPTY = finding(
  "body_empty",
  "The body is empty here: something read it before, such as a parser. Take its bytes first, and parse them once they are verified.",
);
const ID_MISSING = finding(
  "id_missing",
  "The header webhook-id is missing, which webhook-signature signs: something on the way takes it out.",
);
const STANDARD_MISMATCH = finding(
  "standard_mismatch",
  "X-Service-Signature fits, webhook-signature does not: it, webhook-id or webhook-timestamp was changed on its way.",
);
const SERVICE_MISMATCH = finding(
  "service_mismatch",
  "webhook-signature fits, X-Service-Signature does not: it was changed on its way.",
);

/** The values that came in the headers of one scheme, each with what it was recognised as. */
export type Recognised = readonly { readonly given: string; readonly match: Match | null }[];

/** Null: none came. */
type Verdict = "fits" | "unknown" | readonly Finding[] | null;

/** While two secrets are valid one signature is the old one's, as it should be: one that fits is enough. */
const verdictOn = (all: Recognised, previousIsValid: boolean): Verdict => {
  if (all.length === 0) return null;
  const judged = all.flatMap(({ given, match }) =>
    match === null ? [] : [ofMatch(given, match, previousIsValid)],
  );
  if (judged.some((findings) => findings.length === 0)) return "fits";
  return judged[0] ?? "unknown";
};

export interface Signatures {
  readonly service: Recognised;
  readonly standard: Recognised;
  readonly body: string;
  readonly hasId: boolean;
  /** Whether webhook-timestamp is one: if not, that is told apart. */
  readonly hasTime: boolean;
}
export interface Owner {
  readonly previousIsValid: boolean;
  readonly isSigning: boolean;
  readonly sentBody: string | null;
}

const unknown = (body: string, sentBody: string | null): Finding => {
  if (body === "") return EMPTY;
  return sentBody === null || sentBody === body ? UNKNOWN : ofBody(sentBody, body);
};

/** What is wrong with the signatures of both schemes: nothing, if those that came fit. */
export const ofSignatures = (signatures: Signatures, owner: Owner): readonly Finding[] => {
  const { hasId, hasTime, body } = signatures;
  const service = verdictOn(signatures.service, owner.previousIsValid);
  const standard = verdictOn(signatures.standard, owner.previousIsValid);
  if (service === null && standard === null) return [owner.isSigning ? MISSING : OFF];
  if (typeof service === "object" && service !== null) return service;
  if (typeof standard === "object" && standard !== null) return standard;
  if (service !== "fits" && standard !== "fits") return [unknown(body, owner.sentBody)];
  if (service === "unknown") return [SERVICE_MISMATCH];
  if (standard !== "unknown") return [];
  if (!hasId) return [ID_MISSING];
  return hasTime ? [STANDARD_MISMATCH] : [];
};
