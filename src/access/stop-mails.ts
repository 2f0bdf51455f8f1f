import { isToken } from "../domain/access/secret-token.ts";
import { readStopLink, type StopLink, type StopScope } from "../domain/alert-mails/stop.ts";
import type { Note } from "../ports/audit.ts";
import type { Changing } from "../ports/control-store.ts";

/** What the reader of an alert e-mail may do needs no more than the link in it: no session, and nobody signed in. */
export interface StopParts {
  readonly control: Pick<Changing, "access" | "alertMails" | "rules" | "transaction">;
}

/** What a link is about, and what its reader has stopped of it. */
export interface MailChoice extends StopLink {
  /** Null: of several rules, or of one that is gone. */
  readonly ruleName: string | null;
  readonly stopped: StopScope | null;
}

const linkOf = async ({ control }: StopParts, token: string): Promise<StopLink | null> => {
  if (!isToken(token)) return null;
  // It is never used up: who stops e-mails may want them again.
  const link = await control.access.links.look(token, "stop-mails");
  return link === null ? null : readStopLink(link.content);
};

const choiceOf = async ({ control }: StopParts, link: StopLink): Promise<MailChoice> => {
  const { accountId, recipient, ruleId } = link;
  const rule = ruleId === null ? null : await control.rules.get(accountId, ruleId);
  const stops = (await control.alertMails.stops(accountId, [recipient])).get(recipient);
  const own = ruleId !== null && stops?.has(ruleId) ? ruleId : null;
  return { ...link, ruleName: rule?.rule.name ?? null, stopped: stops?.has("all") ? "all" : own };
};

/** Without changing anything: programs that read e-mails follow links, too. Null: the link works no more. */
export const lookAtMails = async (parts: StopParts, token: string): Promise<MailChoice | null> => {
  const link = await linkOf(parts, token);
  return link === null ? null : choiceOf(parts, link);
};

/** What a reader wants: those of the link's rule no more, none of the account, or all of them again. */
export type MailWish = "stop-rule" | "stop-all" | "resume";

/** What a wish is about: those of the link's rule, all, or both. */
const scopesOf = (wish: MailWish, { ruleId }: StopLink): readonly StopScope[] => {
  if (wish === "stop-all" || ruleId === null) return ["all"];
  return wish === "stop-rule" ? [ruleId] : [ruleId, "all"];
};

const noteOf = ({ accountId, recipient, ruleName }: MailChoice, wish: MailWish, scope: StopScope): Note => ({
  action: wish === "resume" ? "alert_mails.resumed" : "alert_mails.stopped",
  accountId,
  actor: { kind: "visitor", id: null, name: recipient },
  target:
    scope === "all"
      ? { id: accountId, name: "all alert e-mails" }
      : { id: scope, name: ruleName ?? "a rule that is gone" },
});

/** As often as it is asked for; it holds from the next e-mail on. */
export const chooseMails = async (
  parts: StopParts,
  token: string,
  wish: MailWish,
): Promise<MailChoice | null> => {
  const before = await lookAtMails(parts, token);
  if (before === null) return null;
  await parts.control.transaction(async ({ alertMails, audit }) => {
    const change = wish === "resume" ? alertMails.resume : alertMails.stop;
    for (const scope of scopesOf(wish, before))
      if (await change(before, scope)) await audit.add([noteOf(before, wish, scope)]);
  });
  return choiceOf(parts, before);
};
