import type { SignalFilter, SignalSort, SignalStatus } from "../../api/queries.ts";

const STATUSES: readonly SignalStatus[] = ["active", "failed", "paused"];
const SORTS: readonly SignalSort[] = ["name", "-name", "createdAt", "-createdAt"];
const TEXT_MAX = 200;
/** `key:value`. */
const LABEL = /^[^:]+:/;
const SOURCE = /^src_[0-9A-Z]{26}$/;

/** A label as it is asked for, of one that was typed with `:` or `=` between its name and its value; null: it is none. */
export const labelTyped = (typed: string): string | null => {
  const [, name, value] = /^\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*[:=](.*)$/.exec(typed) ?? [];
  return name === undefined || value === undefined ? null : `${name}:${value.trim()}`;
};

/** The filter without a part of it. */
export const without = (filter: SignalFilter, part: keyof SignalFilter): SignalFilter =>
  Object.fromEntries(Object.entries(filter).filter(([one]) => one !== part));

/** What the address says of which signals are shown; what it cannot mean is left out. */
export const signalFilter = (search: Record<string, unknown>): SignalFilter => {
  const { q, label, source } = search;
  const status = STATUSES.find((one) => one === search.status);
  const sort = SORTS.find((one) => one === search.sort);
  const labels = (Array.isArray(label) ? label : [label]).filter(
    (one) => typeof one === "string" && LABEL.test(one),
  );
  return {
    ...(typeof q === "string" && q !== "" ? { q: q.slice(0, TEXT_MAX) } : {}),
    ...(status === undefined ? {} : { status }),
    ...(sort === undefined ? {} : { sort }),
    ...(labels.length === 0 ? {} : { label: labels }),
    ...(typeof source === "string" && SOURCE.test(source) ? { source } : {}),
  };
};
