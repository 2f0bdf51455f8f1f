import type { Rule } from "../../src/dashboard/api/types.ts";

/** A rule as the API shows one, but for what is given. */
export const shownRule = (of: Partial<Rule> = {}): Rule => ({
  id: "rul_1",
  name: "weak",
  enabled: true,
  severity: "warning",
  select: {},
  condition: { metric: "strength", operator: "below", value: -80 },
  levels: null,
  forSeconds: 0,
  keepFiringForSeconds: 0,
  failsSignal: true,
  schedule: null,
  notify: null,
  flapDetection: true,
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  ...of,
});
