import { z } from "zod";
import { AccountId, IdentityId, PersonId, SessionId, Timestamp } from "./common.ts";
import { Email } from "./email.ts";
import { Role } from "./role.ts";

const Password = z.string().max(512);

/** Whoever is signed in, and where. */
export const Me = z.strictObject({
  id: PersonId,
  email: z.string(),
  accountId: AccountId,
  role: Role,
  secondFactor: z.boolean(),
  mustSetUpSecondFactor: z
    .boolean()
    .describe("The account asks for one that this session has not: until it has, it may do nothing else."),
  recoveryCodesLeft: z.number().int(),
  sessionId: SessionId,
  provenAt: Timestamp.describe(
    "When you last said who you are: for ten minutes you may do what is dangerous.",
  ),
  accounts: z.array(z.strictObject({ id: AccountId, role: Role })),
});
export type Me = z.infer<typeof Me>;

export const EnterAccount = z.strictObject({ accountId: AccountId });
export const PasswordChange = z.strictObject({ current: Password, next: Password });
export const EmailChangeRequest = z.strictObject({ email: Email });
export const EmailChangeAsked = z.strictObject({ status: z.literal("sent") });
/** The password, and a code where there is a second factor. */
export const Proof = z.strictObject({ password: Password, code: z.string().max(64).optional() });
export const Code = z.strictObject({ code: z.string().max(64) });

/** Where somebody is signed in. */
export const SessionShown = z.strictObject({
  id: SessionId,
  current: z.boolean(),
  userAgent: z.string(),
  address: z.string(),
  createdAt: Timestamp,
  lastSeenAt: Timestamp.describe("To the minute."),
});
export type SessionShown = z.infer<typeof SessionShown>;
export const SessionsAnswer = z.strictObject({ sessions: z.array(SessionShown) });

/** For an authenticator app: shown once, and counts when a code of it came back. */
export const SecondFactorProposal = z.strictObject({
  secret: z.string().describe("Base 32, to be typed where no QR code can be read."),
  uri: z.string().describe("As the QR code has it."),
  qrCode: z.string().describe("The QR code as SVG."),
});
export const RecoveryCodes = z.strictObject({
  recoveryCodes: z
    .array(z.string())
    .describe("Each works once, in place of a code. Shown only now: keep them."),
});

/** An account elsewhere that somebody signs in with. */
export const IdentityShown = z.strictObject({
  id: IdentityId,
  provider: z.string().nullable().describe("As people know it; null: it is offered no more."),
  issuer: z.string(),
  subject: z.string().describe("How the provider calls the account."),
  linkedAt: Timestamp,
});
/** How somebody can sign in, and how else they could. */
export const IdentitiesAnswer = z.strictObject({
  password: z.boolean().describe("Whether there is a password, too."),
  identities: z.array(IdentityShown),
  providers: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      linkPath: z
        .string()
        .describe("Where the browser is to go to link an account there, from a page of ours."),
    }),
  ),
});
