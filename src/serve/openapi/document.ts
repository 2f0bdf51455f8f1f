import swagger from "@fastify/swagger";
import swaggerPages from "@fastify/swagger-ui";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { App } from "../app.ts";
import type { Access } from "./access.ts";
import { describe, type OpenApiDocument } from "./describe.ts";
import { Described, OpenApi } from "./raw.ts";

const DESCRIPTION = `Monitors signal strengths from many sources, tells within milliseconds when a signal fails, and keeps the history.

Every call under \`/v1\` carries \`Authorization: Bearer <API_KEY>\`, or an access token of OAuth 2.1 in its place. Times are RFC 3339 in UTC; strengths are dBm. Lists answer \`nextCursor\`: send it as \`cursor\` for the next page. Errors are \`application/problem+json\` (RFC 9457) with a \`code\`.`;

const PAGES = "/docs";
/** Beyond what other pages allow: the reader's own styles and pictures. */
const PAGE_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** With each part in its own place: YAML would have those that are shared as aliases, more than its readers take. */
const copied = (document: object): OpenApiDocument => Described.parse(JSON.parse(JSON.stringify(document)));

/** Listens to the routes as they are added: call it before. The function returned gives the document once all are there. */
export const describeRoutes = async (app: App, version: string): Promise<() => OpenApiDocument> => {
  const access = new Map<string, Access>();
  app.addHook("onRoute", (route) => {
    if (route.url.startsWith(PAGES)) {
      route.config = { ...route.config, access: "public" };
      route.schema = { ...route.schema, hide: true };
    }
    const { method, url, config } = route;
    for (const one of [method].flat()) {
      const byMethod = one === "GET" || one === "HEAD" ? "read" : "write";
      access.set(`${one} ${url}`, config?.access ?? byMethod);
    }
  });
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Signal Optimization Service", version, description: DESCRIPTION },
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  let document: OpenApiDocument | null = null;
  return () => {
    document ??= copied(
      describe(OpenApi.parse(copied(app.swagger())), (route) => access.get(route) ?? "public"),
    );
    return document;
  };
};

/** The document to read, at /docs, with nothing from elsewhere. */
export const addPages = async (app: App, document: () => OpenApiDocument): Promise<void> => {
  app.get(
    "/v1/openapi.json",
    { config: { access: "public" }, schema: { description: "" } },
    async (_request, reply) => reply.type("application/json; charset=utf-8").send(JSON.stringify(document())),
  );
  await app.register(swaggerPages, {
    routePrefix: PAGES,
    // Its own /docs/json and /docs/yaml would tell of the routes as they are, without words.
    transformSpecification: document,
    transformSpecificationClone: false,
    uiConfig: { url: "/v1/openapi.json", deepLinking: true, docExpansion: "list", layout: "BaseLayout" },
    staticCSP: PAGE_POLICY,
  });
};
