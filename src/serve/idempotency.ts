import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { PROBLEMS } from "../../schemas/problem.ts";
import type { ClaimId, ControlStore, Repositories } from "../ports/control-store.ts";
import { callerOf } from "./authentication.ts";
import { doerOf } from "./doer.ts";
import { Kept, keptText, RESULT_BYTES_MAX, replay } from "./kept-answer.ts";
import { ProblemError, validationFailed } from "./problem.ts";

const HEADER = "Idempotency-Key";
const KEY = /^[\x21-\x7e]{1,255}$/;
const RETRY_AFTER_S = "1";
type Reply = Pick<FastifyReply, "code" | "headers" | "serialize">;

/** What a POST has done, and what it answers. */
export interface Effect<Body> {
  readonly status: 200 | 201 | 202;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Body;
  /** The position that the log must reach before the answer is given. */
  readonly outbox?: number;
}

/**
 * `first` changes control data and nothing else, and is done once; `rest` reaches further, and is done by each repetition
 * until one succeeds. What was `prepare`d only reads.
 */
export interface Steps<Prepared, Step, Body> {
  readonly prepare: () => Promise<Prepared>;
  readonly first: (within: Repositories, prepared: Prepared) => Promise<Step>;
  /** What a repetition finds of the first step. */
  readonly textOf: (step: Step) => string;
  readonly stepOf: (text: string) => Step;
  readonly rest: (step: Step) => Promise<Effect<Body>>;
}

/** Under which the first step of a request is kept: no key of a sender has a space. */
const firstStepOf = (key: string): string => `first step of ${key}`;

/** A claim that another request took over: what was done is undone. */
class ClaimLostError extends Error {
  override readonly name = "ClaimLostError";
}

/** Of a person, too: what one of them was answered is not for another of the account. */
const fingerprintOf = (request: FastifyRequest): Uint8Array => {
  const { method, url, body } = request;
  const { personId } = callerOf(request);
  return createHash("sha256")
    .update(`${method} ${url}${personId === null ? "" : ` ${personId}`}\n`)
    .update(Buffer.isBuffer(body) ? body : body === undefined ? "" : JSON.stringify(body))
    .digest();
};

const keyOf = (request: FastifyRequest): string | null => {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key === "string" && KEY.test(key)) return key;
  throw validationFailed([{ path: HEADER, message: "must be 1 to 255 visible ASCII characters" }]);
};

const inFlight = () =>
  new ProblemError("idempotency_in_flight", "the first request with this key has not been answered yet", {
    headers: { "Retry-After": RETRY_AFTER_S },
  });

interface Parts {
  readonly control: Pick<ControlStore, "by" | "idempotency">;
  /** Waits until the log has a change. */
  readonly settled: (outbox: number) => Promise<void>;
}

/**
 * Does what a POST asks for; with an `Idempotency-Key`, once in 24 h, and each repetition gets the same answer
 * (draft-ietf-httpapi-idempotency-key-header). What was refused (4xx) is an answer, too; what failed (5xx) may be tried
 * again.
 */
export const idempotent = ({ control, settled }: Parts) => {
  const finish = async (repositories: Pick<Repositories, "idempotency">, claim: ClaimId, kept: Kept) => {
    if (!(await repositories.idempotency.finish(claim, JSON.stringify(kept)))) throw new ClaimLostError();
  };
  const keptOf = (reply: Reply, { status, headers = {}, body }: Effect<unknown>): Kept => ({
    status,
    headers: { ...headers },
    text: keptText(String(reply.code(status).serialize(body))),
  });
  const failed = async (claim: ClaimId, error: unknown): Promise<never> => {
    if (error instanceof ClaimLostError) throw inFlight();
    if (error instanceof ProblemError && PROBLEMS[error.code].status < 500) {
      const { code, detail, errors } = error;
      const isKept = errors !== undefined && Buffer.byteLength(JSON.stringify(errors)) <= RESULT_BYTES_MAX;
      await finish(control, claim, { code, detail, ...(isKept ? { errors: [...errors] } : {}) });
    } else await control.idempotency.release(claim);
    throw error;
  };
  const claimed = async (request: FastifyRequest, key: string): Promise<ClaimId> => {
    const { accountId } = callerOf(request);
    const found = await control.idempotency.claim(accountId, key, fingerprintOf(request));
    if (found.state === "claimed") return found.claim;
    if (found.state === "finished") return replay(Kept.parse(JSON.parse(found.result)));
    if (found.state === "running") throw inFlight();
    throw new ProblemError("idempotency_mismatch", `this ${HEADER} was sent with another request before`);
  };
  const answer = async <Body>(reply: Reply, effect: Effect<Body>): Promise<Body> => {
    if (effect.outbox !== undefined) await settled(effect.outbox);
    reply.code(effect.status).headers(effect.headers ?? {});
    return effect.body;
  };

  return {
    /** `work` changes control data and nothing else: its effect and its answer are kept together. */
    once: async <Body>(
      request: FastifyRequest,
      reply: Reply,
      work: (within: Repositories) => Promise<Effect<Body>>,
    ): Promise<Body> => {
      const key = keyOf(request);
      const changing = control.by(doerOf(request));
      if (key === null) return answer(reply, await work(changing));
      const claim = await claimed(request, key);
      const done = changing.transaction(async (repositories) => {
        const effect = await work(repositories);
        await finish(repositories, claim, keptOf(reply, effect));
        return effect;
      });
      return answer(reply, await done.catch((error: unknown) => failed(claim, error)));
    },
    /** As `Steps` says. */
    onceInSteps: async <Prepared, Step, Body>(
      request: FastifyRequest,
      reply: Reply,
      { prepare, first, textOf, stepOf, rest }: Steps<Prepared, Step, Body>,
    ): Promise<Body> => {
      const key = keyOf(request);
      const changing = control.by(doerOf(request));
      if (key === null) return answer(reply, await rest(await first(changing, await prepare())));
      const claim = await claimed(request, key);
      // Whatever fails from here on, what an earlier request has begun stays begun.
      const suspended = async (error: unknown): Promise<never> => {
        if (error instanceof ProblemError && PROBLEMS[error.code].status < 500) return failed(claim, error);
        await control.idempotency.suspend(claim);
        throw error instanceof ClaimLostError ? inFlight() : error;
      };
      const changed = async (prepared: Prepared): Promise<Step> =>
        changing.transaction(async (repositories) => {
          const { idempotency } = repositories;
          const found = await idempotency.claim(claim.accountId, firstStepOf(key), fingerprintOf(request));
          if (found.state === "finished") return stepOf(found.result);
          if (found.state !== "claimed") throw new ClaimLostError();
          const step = await first(repositories, prepared);
          if (!(await idempotency.finish(found.claim, textOf(step)))) throw new ClaimLostError();
          return step;
        });
      const effect = await prepare().then(changed).then(rest).catch(suspended);
      await control.idempotency.finish(claim, JSON.stringify(keptOf(reply, effect)));
      return answer(reply, effect);
    },
    /** `work` reaches further than control data, and may be done again by a request whose claim ran out. */
    onceBeside: async <Body>(
      request: FastifyRequest,
      reply: Reply,
      work: () => Promise<Effect<Body>>,
    ): Promise<Body> => {
      const key = keyOf(request);
      if (key === null) return answer(reply, await work());
      const claim = await claimed(request, key);
      const effect = await work().catch((error: unknown) => failed(claim, error));
      await control.idempotency.finish(claim, JSON.stringify(keptOf(reply, effect)));
      return answer(reply, effect);
    },
  };
};
export type Idempotent = ReturnType<typeof idempotent>;
