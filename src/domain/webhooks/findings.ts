import { type Match, WAYS } from "./signature-search.ts";

/** One thing that is wrong, or right, and what to do about it. */
export interface Finding {
  readonly code: string;
  readonly message: string;
}
export const finding = (code: string, message: string): Finding => ({ code, message });

const TOLERANCE_SECONDS = 300;
const AROUND = { before: 10, after: 20 };

/** Whether a webhook-timestamp is one, right or wrong. */
export const isTime = (timestamp: string): boolean => /^\d{1,12}$/.test(timestamp);

export const ofTime = (timestamp: string | null, nowMs: number): Finding[] => {
  if (timestamp === null) return [finding("timestamp_missing", "The header webhook-timestamp is missing.")];
  if (!isTime(timestamp))
    return [finding("timestamp_invalid", "webhook-timestamp must be a number of seconds since 1970.")];
  const ageSeconds = Math.round(nowMs / 1000 - Number(timestamp));
  if (Math.abs(ageSeconds) <= TOLERANCE_SECONDS) return [];
  const message =
    ageSeconds > 0
      ? `It was signed ${ageSeconds} s ago, and receivers refuse what is older than ${TOLERANCE_SECONDS} s. If it has only just come, the receiver's clock or queue is to be looked at.`
      : `It was signed ${-ageSeconds} s in the future by the service's clock: webhook-timestamp was changed.`;
  return [finding("clock_off", message)];
};

export const ofBody = (sent: string, received: string): Finding => {
  let at = 0;
  while (at < sent.length && sent[at] === received[at]) at++;
  const around = (text: string) =>
    JSON.stringify(text.slice(Math.max(0, at - AROUND.before), at + AROUND.after));
  return finding(
    "body_differs",
    `The body is not the one that was sent: ${sent.length} characters were sent, ${received.length} are here. They part after ${at}: ${around(sent)} was sent, ${around(received)} is here.`,
  );
};

/** The value is the right bytes, but not written as it is sent. */
const ofForm = (given: string, { value }: Match): Finding[] => {
  if (given === value) return [];
  const prefix = value.startsWith("v1,") ? "v1," : "sha256=";
  const isBare = !given.trim().toLowerCase().startsWith(prefix);
  return [
    isBare
      ? finding(
          "prefix_missing",
          `The header's value begins with ${prefix}, which is compared along: ${value}`,
        )
      : finding("form", `The header's value is ${value} to the letter, not ${given}.`),
  ];
};

/** How a signature that was recognised differs from what it should be: by its secret, its body, its key or its form. */
export const ofMatch = (given: string, match: Match, previousIsValid: boolean): Finding[] => {
  const { key, variant, way } = match;
  const mistake = WAYS[way];
  const findings: Finding[] = [];
  if (key.name === "previous") {
    const since = previousIsValid ? "which is valid for a while yet" : "which is no longer valid";
    findings.push(
      finding(
        "old_secret",
        `It is made with the secret before the last rotation, ${since}: take the new one.`,
      ),
    );
  }
  if (variant.name !== "as_is")
    findings.push(
      finding(
        "body_reencoded",
        `It fits the body ${variant.explanation}: the body was changed on its way. Verify the bytes as they came, before any parser.`,
      ),
    );
  if (mistake !== null) findings.push(finding("wrong_key", mistake));
  return [...findings, ...ofForm(given, match)];
};
