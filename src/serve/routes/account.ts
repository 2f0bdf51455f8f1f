import type { FastifyReply } from "fastify";
import { Account, AccountPatch } from "../../../schemas/account.ts";
import type { StoredAccount } from "../../ports/control-store.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { requireProof } from "../people/proof.ts";
import { notFound, ProblemError } from "../problem.ts";
import { made } from "../settle.ts";

const WHAT = "account";

const shown = ({ id, name, isSecondFactorRequired, createdAt }: StoredAccount): Account => ({
  id,
  name,
  secondFactorRequired: isSecondFactorRequired,
  createdAt: timestamp(createdAt),
});
const answered = (reply: FastifyReply, account: StoredAccount) =>
  reply.header("ETag", etagOf(account.revision)).send(shown(account));

/** The account that a caller is in. */
export const accountRoutes = (app: App, { control, by, clock }: Parts): void => {
  app.get("/v1/account", { schema: { response: answers({ 200: Account }) } }, async (request, reply) => {
    const account = await control.accounts.get(callerOf(request).accountId);
    if (account === null) throw notFound(WHAT);
    return answered(reply, account);
  });

  app.patch(
    "/v1/account",
    { config: { access: "admin" }, schema: { body: AccountPatch, response: answers({ 200: Account }) } },
    async (request, reply) => {
      const caller = callerOf(request);
      requireProof(caller, clock);
      const { name, secondFactorRequired } = request.body;
      if (secondFactorRequired === true && caller.session?.hasSecondFactor === false)
        throw new ProblemError(
          "conflict",
          "you have no second factor yourself, and could do nothing here any more: set one up in your security settings first",
        );
      const patch = {
        ...(name === undefined ? {} : { name }),
        ...(secondFactorRequired === undefined ? {} : { isSecondFactorRequired: secondFactorRequired }),
      };
      const changed = await by(request).accounts.update(caller.accountId, patch, expectedOf(request));
      return answered(reply, made(WHAT, changed).value);
    },
  );
};
