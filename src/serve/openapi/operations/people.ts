import type { Operations } from "./operation.ts";

const REQUEST = {
  id: "acr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  email: "jane@example.org",
  useCase: "We watch the forty masts of a mountain rescue service.",
  state: "pending",
  note: null,
  createdAt: "2026-01-30T08:00:00.000Z",
  dueAt: "2026-01-31T08:00:00.000Z",
  overdue: false,
  decidedAt: null,
};
const INVITATION = {
  id: "inv_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  email: "jane@example.org",
  role: "editor",
  state: "invited",
  accessRequestId: REQUEST.id,
  createdAt: "2026-01-30T09:00:00.000Z",
  expiresAt: "2026-02-06T09:00:00.000Z",
};
const MEMBER = {
  id: "usr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  email: "jane@example.org",
  role: "editor",
  secondFactor: true,
  suspendedAt: null,
  joinedAt: "2026-01-30T10:00:00.000Z",
};
const DECIDED = { decidedAt: "2026-01-30T09:00:00.000Z" };

export const PEOPLE: Operations = {
  "POST /v1/access-requests": {
    id: "requestAccess",
    tag: "People",
    summary: "Ask for access",
    description: "Answered by e-mail within 24 hours. The same for everybody, whether they are known or not.",
    body: { email: "jane@example.org", useCase: REQUEST.useCase },
    answer: { 202: { status: "received" } },
    errors: ["rate_limited", "storage_unavailable"],
    plain: true,
  },
  "GET /v1/access-requests": {
    id: "listAccessRequests",
    tag: "People",
    summary: "List access requests",
    description:
      "Oldest first. Only the installation's first account reviews them; for others there are none.",
    answer: { 200: { accessRequests: [REQUEST], nextCursor: null } },
  },
  "POST /v1/access-requests/:id/approve": {
    id: "approveAccessRequest",
    tag: "People",
    summary: "Approve an access request",
    description:
      "Invites whoever asked into the account, by an e-mail with a link, as if they were invited otherwise: also no more than once a minute, and five times a day.",
    body: { role: "editor" },
    answer: {
      200: { accessRequest: { ...REQUEST, ...DECIDED, state: "approved" }, invitationId: INVITATION.id },
    },
    errors: ["conflict", "proof_required"],
  },
  "POST /v1/access-requests/:id/reject": {
    id: "rejectAccessRequest",
    tag: "People",
    summary: "Reject an access request",
    description: "Whoever asked is told by e-mail, with the note if there is one.",
    body: { note: "We only serve mountain rescue at this time." },
    answer: {
      200: { ...REQUEST, ...DECIDED, state: "rejected", note: "We only serve mountain rescue at this time." },
    },
    errors: ["conflict"],
  },
  "POST /v1/invitations": {
    id: "createInvitation",
    tag: "People",
    summary: "Invite somebody",
    description:
      "By an e-mail with a link that holds for seven days. An address has one open invitation: inviting it again (200) gives that one the role, and sends it once more.",
    body: { email: "jane@example.org", role: "editor" },
    answer: {
      200: { ...INVITATION, state: "approved", role: "editor" },
      201: { ...INVITATION, state: "approved", accessRequestId: null },
    },
    errors: ["conflict", "proof_required"],
  },
  "GET /v1/invitations": {
    id: "listInvitations",
    tag: "People",
    summary: "List invitations",
    description: "Newest first, with what became of them; for 180 days after they are over.",
    answer: { 200: { invitations: [INVITATION], nextCursor: null } },
  },
  "GET /v1/invitations/:id": {
    id: "getInvitation",
    tag: "People",
    summary: "Get an invitation",
    description: "With what became of it.",
    answer: { 200: INVITATION },
  },
  "POST /v1/invitations/:id/resend": {
    id: "resendInvitation",
    tag: "People",
    summary: "Send an invitation once more",
    description:
      "With a new link; the one before works no more. To an address invitations are sent once a minute, and five times a day.",
    answer: { 200: { ...INVITATION, state: "approved" } },
    errors: ["conflict"],
  },
  "DELETE /v1/invitations/:id": {
    id: "revokeInvitation",
    tag: "People",
    summary: "Revoke an invitation",
    description: "Its link works no more.",
    errors: ["conflict"],
  },
  "GET /v1/members": {
    id: "listMembers",
    tag: "People",
    summary: "List the people of the account",
    description: "With their roles.",
    answer: { 200: { members: [MEMBER], nextCursor: null } },
  },
  "GET /v1/members/:id": {
    id: "getMember",
    tag: "People",
    summary: "Get somebody of the account",
    description: "With their role.",
    answer: { 200: MEMBER },
  },
  "PATCH /v1/members/:id": {
    id: "updateMember",
    tag: "People",
    summary: "Change a role, or suspend somebody",
    description:
      "Holds within 5 seconds everywhere, for their keys, too. A suspension signs them out of the account and ends what they let programs do there; keys they made stop as long as it lasts. An account keeps at least one owner.",
    body: { role: "viewer" },
    answer: { 200: { ...MEMBER, role: "viewer" } },
    errors: ["conflict", "proof_required"],
  },
  "DELETE /v1/members/:id": {
    id: "removeMember",
    tag: "People",
    summary: "Remove somebody from the account",
    description:
      "Their sessions here, what they let programs do here, and the keys that they made end within 5 seconds.",
    errors: ["conflict", "proof_required"],
  },
};
