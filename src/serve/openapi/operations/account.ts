import type { Operations } from "./operation.ts";

const ACCOUNT = {
  id: "acc_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "Mountain rescue",
  secondFactorRequired: true,
  createdAt: "2026-01-30T08:00:00.000Z",
};
const CHANGED = {
  id: "aud_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  at: "2026-01-30T10:00:00.000Z",
  action: "rule.updated",
  actor: { kind: "person", id: "usr_01JDA2V3Q8R5T7W9Y1B3D5F7H9", name: "jane@example.org" },
  target: { id: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9", name: "Weak for five minutes" },
  from: { address: "192.0.2.1", userAgent: "curl/8.17.0", requestId: "req_01JDA2V3Q8R5T7W9Y1B3D5F7H9" },
  before: { forSeconds: 60 },
  after: { forSeconds: 300 },
};
const KEPT = "Kept for 180 days, unless `AUDIT_DAYS` says otherwise.";

export const ACCOUNT_OPERATIONS: Operations = {
  "GET /v1/account": {
    id: "getAccount",
    tag: "Account",
    summary: "The account",
    description: "That the key or the session is of.",
    answer: { 200: ACCOUNT },
    errors: ["not_found"],
  },
  "PATCH /v1/account": {
    id: "updateAccount",
    tag: "Account",
    summary: "Change the account",
    description:
      "Its name, and whether it asks for a second factor: sessions without one may then only set one up, and none of them may ask for it.",
    body: { secondFactorRequired: true },
    answer: { 200: ACCOUNT },
    errors: ["proof_required", "conflict"],
  },
  "GET /v1/audit-log": {
    id: "listAuditLog",
    tag: "Account",
    summary: "Who changed what",
    description: `Every change of the account's configuration and of who has access: by whom, from where, what was and what is. The newest first. ${KEPT}`,
    answer: { 200: { entries: [CHANGED], nextCursor: null } },
  },
  "GET /v1/audit-log.csv": {
    id: "exportAuditLog",
    tag: "Account",
    summary: "The audit log as CSV",
    description: `As many entries as there are, with a heading, the newest first; \`before\` and \`after\` are JSON. ${KEPT}`,
    gives: "text/csv",
    answer: {
      200: 'at,action,actorKind,actorId,actorName,targetId,targetName,before,after,address,userAgent,requestId,id\r\n2026-01-30T10:00:00.000Z,rule.updated,person,usr_01JDA2V3Q8R5T7W9Y1B3D5F7H9,jane@example.org,rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9,Weak for five minutes,"{""forSeconds"":60}","{""forSeconds"":300}",192.0.2.1,curl/8.17.0,req_01JDA2V3Q8R5T7W9Y1B3D5F7H9,aud_01JDA2V3Q8R5T7W9Y1B3D5F7H9\r\n',
    },
  },
};
