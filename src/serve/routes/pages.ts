import type { App } from "../app.ts";
import { STYLE_PATH } from "../pages/page.ts";
import { STYLE } from "../pages/style.ts";

/** What every page made here refers to. */
export const pagesRoute = (app: App): void => {
  app.get(STYLE_PATH, { config: { access: "public" }, schema: { hide: true } }, async (_request, reply) =>
    reply.type("text/css; charset=utf-8").header("Cache-Control", "public, max-age=3600").send(STYLE),
  );
};
