/** Who may call a route: what `config.access` says, else what its method means. */
export type Access = "public" | "local" | "person" | "keys" | "read" | "write" | "admin";

/** What the document says of it. */
export const SCOPES: Readonly<Record<Access, string>> = {
  public: "Needs no key.",
  local: "Needs no key from the machine itself, else one with the scope `admin`.",
  person: "Needs a session of somebody who is signed in: no key and no token may do it.",
  keys: "Needs a key or token with the scope `admin`, or a session: people keep keys of their own, within their role.",
  read: "Needs a key or token with the scope `read`.",
  write: "Needs a key or token with the scope `write`.",
  admin: "Needs a key or token with the scope `admin`.",
};

/** How somebody is let in: by a key, by a token of OAuth with a scope, or by the session of a browser. */
export const securityOf = (access: Access): Record<string, string[]>[] => {
  if (access === "public") return [];
  if (access === "person") return [{ session: [] }];
  const scope = access === "keys" || access === "local" ? "admin" : access;
  return [{ apiKey: [] }, { oauth: [scope] }, { session: [] }];
};
