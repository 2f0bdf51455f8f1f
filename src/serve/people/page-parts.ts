import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "ghtml";
import { z } from "zod";
import type { AccessParts, Visitor } from "../../access/parts.ts";
import { PASSWORD_MAX, USER_AGENT_MAX } from "../../domain/access/limits.ts";
import type { OpenSession } from "../../ports/access.ts";
import type { Logger } from "../../ports/telemetry.ts";
import { ProblemError, validationFailed } from "../problem.ts";
import { fieldProblemsOf } from "../validation.ts";
import type { TokenCookies } from "./cookies.ts";
import { networkOf } from "./network.ts";

/** What pages for people work with. */
export interface PageParts {
  readonly access: AccessParts;
  /** The same, for what a request changes. */
  readonly by: (request: FastifyRequest) => AccessParts;
  readonly cookies: TokenCookies;
  readonly log: Logger;
  /** Gives a session another token, in the answer. */
  readonly renew: (token: string, reply: FastifyReply) => Promise<void>;
  /** Runs what an answer must not wait for; begun when it resolves, which takes a while only where much else runs. */
  readonly background: (work: () => Promise<unknown>) => Promise<void>;
}

/** Of a field that is looked at further before it is believed. */
export const FIELD_MAX = 500;

/** Of routes that anybody may ask for, and that are no part of the API. */
export const PUBLIC = { config: { access: "public" }, schema: { hide: true } } as const;
/** The same for routes that a link leads to. */
export const BY_LINK = {
  ...PUBLIC,
  schema: { hide: true, params: z.object({ token: z.string().max(FIELD_MAX) }) },
} as const;
/** The same for routes that lead to an outside provider. */
export const BY_PROVIDER = {
  ...PUBLIC,
  schema: { hide: true, params: z.object({ provider: z.string().max(FIELD_MAX) }) },
} as const;
/** Where to go afterwards, as an address says it; still to be checked. */
export const NextQuery = z.object({ next: z.string().max(1_000).optional().catch(undefined) });
/** A password as it was typed. Longer ones are nobody's, and are found wrong like any other. */
export const TypedPassword = z.string().max(PASSWORD_MAX * 4);

export const visitorOf = (request: FastifyRequest): Visitor & { readonly network: string } => ({
  address: request.ip,
  network: networkOf(request.ip),
  userAgent: (request.headers["user-agent"] ?? "").slice(0, USER_AGENT_MAX),
});

/** The fields of a form. One that stands twice is a list, which no field is. */
export const formOf = <Form extends z.ZodType>(form: Form, request: FastifyRequest): z.infer<Form> => {
  const read = form.safeParse(request.body ?? {});
  if (read.success) return read.data;
  throw validationFailed(fieldProblemsOf(read.error));
};

export const sessionOf = async (
  { access, cookies }: PageParts,
  request: FastifyRequest,
): Promise<OpenSession | null> => {
  const token = cookies.read(request, "session");
  return token === null ? null : access.control.access.sessions.find(token);
};

/** As `sessionOf`, of somebody who may do something about themselves: a member, and not suspended. */
export const memberIn = async (parts: PageParts, request: FastifyRequest): Promise<OpenSession | null> => {
  const session = await sessionOf(parts, request);
  if (session === null || session.role !== null) return session;
  throw new ProblemError("forbidden", "you are in no account, or suspended in this one");
};

/** To another page, asked for anew (RFC 9110, section 15.4.4): going back sends nothing twice. */
export const goTo = (reply: FastifyReply, path: string) =>
  reply.header("Cache-Control", "no-store").redirect(path, 303);

/** What went wrong, above a form. */
export const problemHtml = (problem: string | null): string =>
  problem === null ? "" : html`<p class="problem" role="alert">${problem}</p>`;
