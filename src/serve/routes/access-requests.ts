import { z } from "zod";
import {
  type AccessRequest,
  AccessRequestApprove,
  AccessRequestApproved,
  AccessRequestCreate,
  AccessRequestList,
  AccessRequestReject,
  AccessRequest as AccessRequestShown,
  AccessRequestsAnswer,
  AccessRequestTaken,
} from "../../../schemas/access-request.ts";
import { AccessRequestId } from "../../../schemas/common.ts";
import { approveRequest, isOverdue, rejectRequest, requestAccess } from "../../access/requests.ts";
import { REVIEW_MS } from "../../domain/access/limits.ts";
import type { AccessRequest as StoredRequest } from "../../ports/access.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { networkOf } from "../people/network.ts";
import { requireProof } from "../people/proof.ts";
import { notFound, ProblemError, tooMany } from "../problem.ts";
import { SENT } from "./members.ts";

const BASE = "/v1/access-requests";
const ADMIN = { access: "admin" } as const;
const RequestPath = z.strictObject({ id: AccessRequestId });

/** Who may come in: anybody asks, and owners of the installation's first account review. */
export const accessRequestRoutes = (app: App, { access, people, clock, onceBeside }: Parts): void => {
  const { requests } = access.control.access;

  const shown = (request: StoredRequest): AccessRequest => ({
    id: request.id,
    email: request.email,
    useCase: request.useCase,
    state: request.state,
    note: request.note,
    createdAt: timestamp(request.createdAt),
    dueAt: timestamp(request.createdAt + REVIEW_MS),
    overdue: isOverdue(request, clock.now()),
    decidedAt: request.decidedAt === null ? null : timestamp(request.decidedAt),
  });

  /** Throws for an account that does not review: for it there are no requests. */
  const reviewer = (request: Parameters<typeof callerOf>[0]) => {
    const { accountId } = callerOf(request);
    if (accountId !== access.reviewers) throw notFound("access request that this account reviews");
    return accountId;
  };

  const refusal = async (id: AccessRequestId): Promise<ProblemError> => {
    const found = await requests.get(id);
    if (found === null) return notFound("access request of this id");
    return new ProblemError("conflict", `the access request was ${found.state} before`);
  };

  app.post(
    BASE,
    {
      config: { access: "public" },
      schema: { body: AccessRequestCreate, response: answers({ 202: AccessRequestTaken }) },
    },
    async (request, reply) => {
      const refused = await requestAccess(people.by(request), request.body, networkOf(request.ip));
      if (refused !== null)
        throw tooMany("access requests came from here, or for this address", refused.waitMs);
      return reply.code(202).send({ status: "received" });
    },
  );

  app.get(
    BASE,
    {
      config: ADMIN,
      schema: { querystring: AccessRequestList, response: answers({ 200: AccessRequestsAnswer }) },
    },
    async (request) => {
      if (callerOf(request).accountId !== access.reviewers) return { accessRequests: [], nextCursor: null };
      const page = await requests.list(request.query);
      return { accessRequests: page.items.map(shown), nextCursor: page.next };
    },
  );

  app.post(
    `${BASE}/:id/approve`,
    {
      config: ADMIN,
      schema: {
        params: RequestPath,
        body: AccessRequestApprove,
        response: answers({ 200: AccessRequestApproved }),
      },
    },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { id } = request.params;
        const into = { accountId: reviewer(request), ...request.body };
        requireProof(callerOf(request), clock);
        const approved = await approveRequest(people.by(request), id, into);
        if (approved === null) throw await refusal(id);
        if (approved === "member")
          throw new ProblemError("conflict", "whoever asked is a member already: reject the request");
        if ("waitMs" in approved) throw tooMany(SENT, approved.waitMs);
        const body = { accessRequest: shown(approved.request), invitationId: approved.invitation.id };
        return { status: 200, body };
      }),
  );

  app.post(
    `${BASE}/:id/reject`,
    {
      config: ADMIN,
      schema: {
        params: RequestPath,
        body: AccessRequestReject,
        response: answers({ 200: AccessRequestShown }),
      },
    },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        reviewer(request);
        const { id } = request.params;
        const rejected = await rejectRequest(people.by(request), id, request.body.note);
        if (rejected === null) throw await refusal(id);
        return { status: 200, body: shown(rejected) };
      }),
  );
};
