import { linesOf, pairsOf } from "../../parts/pairs.ts";

/** How a source is reached, while it is typed. */
export interface SourceDraft {
  readonly type: "websocket" | "http-poll" | "http-stream" | "push";
  readonly url: string;
  /** `Name: value`, a line each. */
  readonly headers: string;
  /** What is sent once the connection is there, a line each. */
  readonly sends: string;
  readonly intervalSeconds: string;
}
export const NEW_SOURCE: SourceDraft = {
  type: "websocket",
  url: "",
  headers: "",
  sends: "",
  intervalSeconds: "10",
};

/** As the API takes it, but for its name and its mapping. */
export const connectionOf = (draft: SourceDraft) => {
  const { url, type } = draft;
  const headers = pairsOf(draft.headers, ":");
  switch (type) {
    case "websocket":
      return { type, url, headers, handshake: linesOf(draft.sends).map((send) => ({ send })) };
    case "http-poll":
      return { type, url, headers, intervalSeconds: Number(draft.intervalSeconds) };
    case "http-stream":
      return { type, url, headers };
    case "push":
      return { type };
  }
};
