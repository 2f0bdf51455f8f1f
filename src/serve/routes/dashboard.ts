import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import { html } from "ghtml";
import type { App } from "../app.ts";
import { sendPage } from "../pages/page.ts";
import type { Parts } from "../parts.ts";

/** Nothing from elsewhere, no script but files of ours, and none made of text. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dashboard",
].join("; ");

const HEADERS = {
  "Content-Security-Policy": POLICY,
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  // A new version is there with the next page.
  "Cache-Control": "no-cache",
} as const;
const ASSETS = "/dashboard/";
/** What the dashboard itself knows what to show for. */
const PAGES = ["/signals", "/signals/*", "/alerts", "/alerts/*", "/settings", "/settings/*"];
const YEAR_S = 31_536_000;

/** The page that every address of the dashboard shows; null: it was not built. */
export const dashboardPage = async (directory: string): Promise<string | null> => {
  try {
    return await readFile(join(directory, "index.html"), "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
};

/** The dashboard's page; or, where it was not built, how that is done. */
export const sendDashboard = (reply: Parameters<typeof sendPage>[0], page: string | null) =>
  page === null
    ? sendPage(
        reply,
        {
          title: "The dashboard is not built",
          body: html`<p>Run <code>npm run build</code> once, and start the service again. The API is there as ever.</p>`,
        },
        503,
      )
    : reply.headers(HEADERS).type("text/html; charset=utf-8").send(page);

/** The dashboard's files, whose names say what is in them, and its page at each of its addresses. */
export const dashboardRoutes = async (
  app: App,
  { settings }: Pick<Parts, "settings">,
  page: string | null,
): Promise<void> => {
  const hidden = { config: { access: "public" }, schema: { hide: true } } as const;
  for (const url of PAGES) app.get(url, hidden, async (_request, reply) => sendDashboard(reply, page));
  if (page === null || settings.dashboard === undefined) return;
  const root = join(settings.dashboard, "dashboard");
  await app.register((files: App, _options, done) => {
    files.addHook("onRoute", (route) => {
      route.config = { ...route.config, access: "public" };
    });
    files.register(fastifyStatic, {
      root,
      prefix: ASSETS,
      index: false,
      preCompressed: true,
      maxAge: YEAR_S * 1_000,
      immutable: true,
      decorateReply: false,
      schemaHide: true,
      setHeaders: (reply) => {
        reply.header("X-Content-Type-Options", "nosniff");
      },
    });
    done();
  });
};
