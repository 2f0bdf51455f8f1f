import type { App } from "./app.ts";

const pattern = (url: string): RegExp => {
  const escaped = url.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${escaped.replaceAll(/:[^/]+/g, "[^/]+")}$`);
};

/** Listens to routes as they are added; the function returned tells which methods a requested URL knows. */
export const methodsByPath = (app: App): ((url: string) => string[]) => {
  const routes = new Map<string, { path: RegExp; methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const route = routes.get(url) ?? { path: pattern(url), methods: new Set<string>() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  return (url) => {
    const path = url.split("?", 1)[0] ?? "";
    const known = [...routes.values()].find((route) => route.path.test(path));
    return known === undefined ? [] : [...known.methods].sort();
  };
};
