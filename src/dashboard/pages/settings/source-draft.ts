import { pairsOf } from "../../parts/pairs.ts";

export const STEP_KINDS = ["send", "expect"] as const;

/** A step of what is said at first, while it is typed. */
export interface StepDraft {
  /** Tells it from the others, whatever is typed and wherever it is moved. */
  readonly key: number;
  readonly kind: (typeof STEP_KINDS)[number];
  readonly text: string;
  /** How long a message is waited for. Empty: as long as is usual. */
  readonly timeoutSeconds: string;
}

/** How a source is reached, while it is typed. */
export interface SourceDraft {
  readonly type: "websocket" | "http-poll" | "http-stream" | "push";
  readonly url: string;
  /** `Name: value`, a line each. */
  readonly headers: string;
  /** What is said once the connection is there, in its order. */
  readonly handshake: readonly StepDraft[];
  readonly intervalSeconds: string;
}
export const NEW_SOURCE: SourceDraft = {
  type: "websocket",
  url: "",
  headers: "",
  handshake: [],
  intervalSeconds: "10",
};

/** With one step more behind them. */
export const withStep = (steps: readonly StepDraft[], kind: StepDraft["kind"]): StepDraft[] => [
  ...steps,
  { key: Math.max(0, ...steps.map(({ key }) => key)) + 1, kind, text: "", timeoutSeconds: "" },
];

/** With a step one place further up. */
export const movedUp = (steps: readonly StepDraft[], key: number): StepDraft[] => {
  const from = steps.findIndex((step) => step.key === key);
  const step = steps[from];
  if (from < 1 || step === undefined) return [...steps];
  const others = steps.filter((one) => one !== step);
  return others.toSpliced(from - 1, 0, step);
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An object goes as one: each text in it is kept to ourselves where the far end says it back, such as a token. */
const messageOf = (text: string): string | Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
};

/** A step as the API takes it. */
export const stepOf = ({ kind, text, timeoutSeconds }: StepDraft) => {
  if (kind === "send") return { send: messageOf(text) };
  return {
    expect: text,
    ...(timeoutSeconds.trim() === "" ? {} : { timeoutSeconds: Number(timeoutSeconds) }),
  };
};

/** As the API takes it, but for its name and its mapping. */
export const connectionOf = (draft: SourceDraft) => {
  const { url, type } = draft;
  const headers = pairsOf(draft.headers, ":");
  switch (type) {
    case "websocket":
      return { type, url, headers, handshake: draft.handshake.map(stepOf) };
    case "http-poll":
      return { type, url, headers, intervalSeconds: Number(draft.intervalSeconds) };
    case "http-stream":
      return { type, url, headers };
    case "push":
      return { type };
  }
};

/** The host of the address, as soon as it is one; null: it is none yet, or of no address. */
export const hostOf = ({ type, url }: SourceDraft): string | null => {
  if (type === "push" || !URL.canParse(url)) return null;
  const { host } = new URL(url);
  return host === "" ? null : host;
};
