/** Who may call a route: what `config.access` says, else what its method means. */
export type Access = "public" | "local" | "person" | "keys" | "read" | "write" | "admin";

/** What the document says of it. */
export const SCOPES: Readonly<Record<Access, string>> = {
  public: "Needs no key.",
  local: "Needs no key from the machine itself, else one with the scope `admin`.",
  person: "Needs a session of somebody who is signed in: no key may do it.",
  keys: "Needs a key with the scope `admin`, or a session: people keep keys of their own, within their role.",
  read: "Needs a key with the scope `read`.",
  write: "Needs a key with the scope `write`.",
  admin: "Needs a key with the scope `admin`.",
};
