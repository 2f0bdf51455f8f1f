import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { SessionId } from "../../schemas/common.ts";
import { OUTSIDE_MS } from "../domain/access/limits.ts";
import { isToken } from "../domain/access/secret-token.ts";
import type { OutsideAnswer, OutsideCheck } from "../ports/outside-providers.ts";
import { type AccessParts, newToken } from "./parts.ts";
import { failuresFrom } from "./proof.ts";

/** What somebody wants of a provider: to sign in, or to have what they are invited to, link or prove done. */
const Intent = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("sign-in") }),
  z.strictObject({ kind: z.literal("accept"), token: z.string() }),
  z.strictObject({ kind: z.literal("link"), session: SessionId }),
  z.strictObject({ kind: z.literal("prove"), session: SessionId }),
]);
export type Intent = z.infer<typeof Intent>;

/** A way to a provider and back, as the browser that goes it keeps it. */
const Attempt = z.strictObject({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  startedAt: z.number(),
  /** A path here. */
  next: z.string(),
  intent: Intent,
});
export type Attempt = z.infer<typeof Attempt>;

const PURPOSE = "outside sign-in";

const checkOf = (
  { publicUrl }: AccessParts,
  { provider, state, nonce, verifier }: Attempt,
): OutsideCheck => ({
  state,
  nonce,
  verifier,
  // One for each provider: what one answers is never taken for another's (RFC 9700, section 4.4.2).
  redirectUri: `${publicUrl}/sign-in/with/${provider}/callback`,
});

/** Where the browser goes, and what it keeps until it is back; null: the provider is unavailable. */
export const beginOutside = async (
  parts: AccessParts,
  asked: Pick<Attempt, "provider" | "next" | "intent">,
): Promise<{ readonly address: string; readonly sealed: string } | null> => {
  const attempt: Attempt = {
    ...asked,
    state: newToken(parts),
    nonce: newToken(parts),
    verifier: newToken(parts),
    startedAt: parts.clock.now(),
  };
  const isFresh = asked.intent.kind === "prove";
  const address = await parts.outside.addressOf(asked.provider, checkOf(parts, attempt), isFresh);
  if (address === null) return null;
  return { address, sealed: parts.control.access.seals.seal(PURPOSE, JSON.stringify(attempt)) };
};

/** `over`: it was another browser's, another provider's, too long ago, or done before. `attempt`: whose it was. */
export type Returned =
  | { readonly state: "over" }
  | (OutsideAnswer & { readonly attempt: Attempt })
  | { readonly state: "locked"; readonly attempt: Attempt };

const stateIn = (query: string): string | null => {
  const [state, ...others] = new URLSearchParams(query).getAll("state");
  return state !== undefined && others.length === 0 && isToken(state) ? state : null;
};

/** What the browser kept, if it is the one that the answer is for. */
const attemptOf = (
  { control, clock }: AccessParts,
  { provider, query, sealed }: { provider: string; query: string; sealed: string | null },
): Attempt | null => {
  const text = sealed === null ? null : control.access.seals.open(PURPOSE, sealed);
  const state = stateIn(query);
  if (text === null || state === null) return null;
  // What an older version sealed may be of another form.
  const attempt = Attempt.safeParse(JSON.parse(text)).data;
  if (attempt === undefined) return null;
  const age = clock.now() - attempt.startedAt;
  if (attempt.provider !== provider || age < 0 || age >= OUTSIDE_MS) return null;
  return timingSafeEqual(Buffer.from(state), Buffer.from(attempt.state)) ? attempt : null;
};

/**
 * A browser is back from a provider, with a query and with what it kept. Each way counts once, in all processes together,
 * whatever comes of it. Failures count as those of passwords do.
 */
export const returnFromOutside = async (
  parts: AccessParts,
  back: { readonly provider: string; readonly query: string; readonly sealed: string | null },
  network: string,
): Promise<Returned> => {
  const { links, attempts } = parts.control.access;
  const attempt = attemptOf(parts, back);
  if (attempt === null) return { state: "over" };
  const failures = failuresFrom(network);
  if ((await attempts.count(failures)) !== null) return { state: "locked", attempt };
  const { provider, state, startedAt, intent } = attempt;
  const once = { purpose: "outside-sign-in", subject: provider, expiresAt: startedAt + OUTSIDE_MS } as const;
  if (!(await links.firstUse(state, once))) return { state: "over" };
  const since = intent.kind === "prove" ? startedAt : null;
  const answer = await parts.outside.answer(provider, back.query, checkOf(parts, attempt), since);
  if (answer.state !== "refused") await attempts.uncount(failures);
  return { ...answer, attempt };
};
