import type { Operations } from "./operation.ts";

const RULE_BODY = {
  name: "weak",
  select: { labels: { site: "north" } },
  condition: { operator: "below", value: -75, hysteresis: 3 },
  forSeconds: 30,
  notify: { emails: ["jane@example.org"] },
};
export const RULE = {
  id: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "weak",
  enabled: true,
  severity: "warning",
  select: { labels: { site: "north" } },
  condition: { metric: "strength", operator: "below", value: -75, hysteresis: 3 },
  levels: null,
  forSeconds: 30,
  keepFiringForSeconds: 0,
  failsSignal: true,
  schedule: null,
  notify: { emails: ["jane@example.org"] },
  flapDetection: true,
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};

export const ALERTS: Operations = {
  "POST /v1/alerts/rules": {
    id: "createRule",
    tag: "Alerts",
    summary: "Add a rule",
    description:
      "It watches from the next reading on. Without `select` it watches every signal. What is allowed and likely not meant, such as a selection that matches no signal as yet or an address whose reader has stopped these e-mails, stands in `warnings`. E-mails to `notify.emails` are told together and limited: 20 an hour to an address, 200 of an account; what happens beyond is in the next one. Beyond the installation's limit of rules (`MAX_RULES`, 1,000 for an account) it is refused with 409.",
    body: RULE_BODY,
    answer: {
      201: {
        ...RULE,
        warnings: [
          { path: "select", message: "matches no signal as yet" },
          { path: "notify.emails.0", message: "jane@example.org has stopped these e-mails" },
        ],
      },
    },
    errors: ["conflict"],
  },
  "GET /v1/alerts/rules": {
    id: "listRules",
    tag: "Alerts",
    summary: "List rules",
    description: "In the order in which they were made.",
    answer: { 200: { rules: [RULE], nextCursor: null } },
  },
  "GET /v1/alerts/rules/:id": {
    id: "getRule",
    tag: "Alerts",
    summary: "Get a rule",
    description: "As it stands now.",
    answer: { 200: RULE },
  },
  "PATCH /v1/alerts/rules/:id": {
    id: "updateRule",
    tag: "Alerts",
    summary: "Change a rule",
    description:
      "What is not named stays as it is; `condition`, `select` and the like are replaced as a whole. Alerts of a rule that judges otherwise from now on are resolved, with the reason `ruleChanged`.",
    body: { forSeconds: 60 },
    answer: { 200: { ...RULE, forSeconds: 60, warnings: [] } },
  },
  "DELETE /v1/alerts/rules/:id": {
    id: "deleteRule",
    tag: "Alerts",
    summary: "Delete a rule",
    description: "Its alerts are resolved, with the reason `ruleDeleted`.",
  },
};
