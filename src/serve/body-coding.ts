import type { App } from "./app.ts";
import { ProblemError } from "./problem.ts";

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;

const refused = (detail: string): ProblemError => new ProblemError("unsupported_media_type", detail);

/** Bodies come as they are and in UTF-8: what says otherwise is refused before it is read. */
export const refuseCodings = (app: App): void => {
  app.addHook("preParsing", async ({ headers }) => {
    const coding = headers["content-encoding"] ?? "identity";
    if (coding.toLowerCase() !== "identity")
      throw refused("send the body as it is, without Content-Encoding");
    const charset = CHARSET.exec(headers["content-type"] ?? "")?.[1]?.toLowerCase() ?? "utf-8";
    if (charset !== "utf-8" && charset !== "utf8") throw refused("send the body in UTF-8");
  });
};
