import type { Operations } from "./operation.ts";

const ACCOUNT = "acc_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const SESSION = "ses_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const CODES = { recoveryCodes: ["7ZK3M-Q8W2P", "H4T9B-XC5ND"] };

const SIGNED_IN = {
  id: "aud_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  at: "2026-01-30T10:00:00.000Z",
  action: "session.started",
  actor: { kind: "person", id: "usr_01JDA2V3Q8R5T7W9Y1B3D5F7H9", name: "jane@example.org" },
  target: { id: SESSION, name: "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0" },
  from: {
    address: "192.0.2.1",
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0",
    requestId: "req_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  },
  before: null,
  after: { secondFactor: true },
};

export const ME: Operations = {
  "GET /v1/me": {
    id: "getMe",
    tag: "Me",
    summary: "Who is signed in",
    description: "And in which account.",
    answer: {
      200: {
        id: "usr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
        email: "jane@example.org",
        accountId: ACCOUNT,
        role: "editor",
        secondFactor: true,
        mustSetUpSecondFactor: false,
        recoveryCodesLeft: 10,
        sessionId: SESSION,
        provenAt: "2026-01-30T10:00:00.000Z",
        accounts: [{ id: ACCOUNT, role: "editor" }],
      },
    },
    errors: ["not_found"],
  },
  "PUT /v1/me/account": {
    id: "enterAccount",
    tag: "Me",
    summary: "Go to another account",
    description: "That you are in: the session works there from now on.",
    body: { accountId: ACCOUNT },
    errors: ["not_found"],
  },
  "PUT /v1/me/proof": {
    id: "proveWhoYouAre",
    tag: "Me",
    summary: "Say once more who you are",
    description: "For ten minutes from now on you may do what is dangerous.",
    body: { password: "rain on a copper antenna", code: "123456" },
  },
  "PUT /v1/me/password": {
    id: "changePassword",
    tag: "Me",
    summary: "Change the password",
    description: "You are signed out everywhere else, and told by e-mail.",
    body: { current: "rain on a copper antenna", next: "wind in a steel mast" },
  },
  "PUT /v1/me/email": {
    id: "changeEmail",
    tag: "Me",
    summary: "Change the e-mail address",
    description: "Both addresses get a link, and both have to confirm.",
    body: { email: "jane@example.com" },
    answer: { 202: { status: "sent" } },
    errors: ["proof_required"],
  },
  "GET /v1/me/security-log": {
    id: "listSecurityLog",
    tag: "Me",
    summary: "What happened to your sign-in",
    description:
      "The newest first: sign-ins and those that failed, changes of the password, the address and the second factor, and what owners changed of you. Look here when you wonder whether somebody else is you.",
    answer: { 200: { entries: [SIGNED_IN], nextCursor: null } },
  },
  "GET /v1/me/sessions": {
    id: "listSessions",
    tag: "Me",
    summary: "Where you are signed in",
    description: "Newest seen first.",
    answer: {
      200: {
        sessions: [
          {
            id: SESSION,
            current: true,
            userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            address: "203.0.113.9",
            createdAt: "2026-01-30T10:00:00.000Z",
            lastSeenAt: "2026-01-30T10:05:00.000Z",
          },
        ],
      },
    },
  },
  "DELETE /v1/me/sessions/:id": {
    id: "endSession",
    tag: "Me",
    summary: "Sign out somewhere",
    description: "It works no more within 5 seconds everywhere.",
  },
  "PUT /v1/me/second-factor": {
    id: "proposeSecondFactor",
    tag: "Me",
    summary: "Begin to set up a second factor",
    description: "It counts once a code of the app has come back.",
    answer: {
      200: {
        secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        uri: "otpauth://totp/Signal%20Optimization%20Service:jane%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
        qrCode: "<svg xmlns=…",
      },
    },
    errors: ["conflict", "proof_required"],
  },
  "PUT /v1/me/second-factor/confirmation": {
    id: "confirmSecondFactor",
    tag: "Me",
    summary: "Confirm the second factor",
    description:
      "With the code that the app shows; from now on signing in takes one. Gives the recovery codes.",
    body: { code: "123456" },
    answer: { 200: CODES },
  },
  "DELETE /v1/me/second-factor": {
    id: "removeSecondFactor",
    tag: "Me",
    summary: "Remove the second factor",
    description:
      "With its recovery codes. In an account that asks for one you can then do nothing but set up another.",
    errors: ["proof_required"],
  },
  "PUT /v1/me/recovery-codes": {
    id: "makeRecoveryCodes",
    tag: "Me",
    summary: "Make new recovery codes",
    description: "Those before work no more.",
    answer: { 200: CODES },
    errors: ["conflict", "proof_required"],
  },
  "GET /v1/me/identities": {
    id: "listIdentities",
    tag: "Me",
    summary: "Accounts elsewhere that you sign in with",
    description:
      "Oldest first, and the providers at which more can be linked: `linkPath` is for the browser, which the page `/link` leads there, too.",
    answer: {
      200: {
        password: true,
        identities: [
          {
            id: "idn_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
            provider: "Google",
            issuer: "https://accounts.google.com",
            subject: "110169484474386276334",
            linkedAt: "2026-01-30T10:00:00.000Z",
          },
        ],
        providers: [{ id: "google", name: "Google", linkPath: "/link/with/google" }],
      },
    },
  },
  "DELETE /v1/me/identities/:id": {
    id: "removeIdentity",
    tag: "Me",
    summary: "Sign in with an account elsewhere no more",
    description:
      "You are told by e-mail. The last one stays while there is no password: set one by `/forgot-password` first.",
    errors: ["conflict", "proof_required"],
  },
};
