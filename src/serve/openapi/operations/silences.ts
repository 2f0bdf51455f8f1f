import type { Operations } from "./operation.ts";

const SILENCE_BODY = {
  select: { labels: { site: "north" } },
  schedule: { timeZone: "Europe/Berlin", windows: [{ days: ["sun"], from: "02:00", to: "04:00" }] },
  reason: "the mast is switched over",
};
const SILENCE = {
  id: "sil_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  ...SILENCE_BODY,
  ruleIds: null,
  from: "2026-01-31T09:30:00.000Z",
  until: null,
  untilResolved: false,
  state: "active",
  createdBy: "key_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  createdAt: "2026-01-31T09:30:00.000Z",
  updatedAt: "2026-01-31T09:30:00.000Z",
};

export const SILENCES: Operations = {
  "POST /v1/alerts/silences": {
    id: "createSilence",
    tag: "Alerts",
    summary: "Silence alerts",
    description:
      "What happens to the selected signals is kept as ever, in events that name the silence in `data.silencedBy`, and is delivered to no webhook. Until a time, or until what fires now has resolved, or again and again by a schedule. When it ends and an alert still fires that nobody has heard of, `alert.firing` follows, with `repeatOf`. An account has at most 1,000; ones that are over give way to new ones, by time or because what they held has resolved. Where none is, it is refused with 409 until one is deleted. What is allowed and likely not meant, such as a selection that matches no signal, stands in `warnings`.",
    body: SILENCE_BODY,
    answer: { 201: { ...SILENCE, warnings: [{ path: "select", message: "matches no signal as yet" }] } },
    errors: ["conflict"],
  },
  "GET /v1/alerts/silences": {
    id: "listSilences",
    tag: "Alerts",
    summary: "List silences",
    description: "In the order in which they were made, those that are over too.",
    answer: { 200: { silences: [SILENCE], nextCursor: null } },
  },
  "GET /v1/alerts/silences/:id": {
    id: "getSilence",
    tag: "Alerts",
    summary: "Get a silence",
    description: "As it stands now.",
    answer: { 200: SILENCE },
  },
  "PATCH /v1/alerts/silences/:id": {
    id: "updateSilence",
    tag: "Alerts",
    summary: "Change a silence",
    description:
      "What is not named stays as it is. With `until` at the present time it ends, and stays in the list. Whether it lasts until alerts resolve cannot be changed.",
    body: { until: "2026-01-31T14:00:00.000Z" },
    answer: { 200: { ...SILENCE, until: "2026-01-31T14:00:00.000Z", warnings: [] } },
  },
  "DELETE /v1/alerts/silences/:id": {
    id: "deleteSilence",
    tag: "Alerts",
    summary: "End a silence",
    description: "What it held back and still goes on is told now.",
  },
};
