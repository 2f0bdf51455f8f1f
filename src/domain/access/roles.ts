import type { Scope } from "../../../schemas/api-key.ts";
import type { Role } from "../../../schemas/role.ts";

const SCOPES: Readonly<Record<Role, readonly Scope[]>> = {
  owner: ["read", "write", "admin"],
  editor: ["read", "write"],
  viewer: ["read"],
};

/** What somebody of this role may do, and so may what they made: keys, and programs they let in. */
export const scopesOf = (role: Role): readonly Scope[] => SCOPES[role];

/** Of what was granted, what is within `most`, too; `admin` stands for all. */
export const scopesInBoth = (granted: readonly Scope[], most: readonly Scope[]): Scope[] => {
  const within = scopesWithin("owner", most);
  const asked = granted.every((scope) => within.includes(scope)) ? granted : scopesWithin("owner", granted);
  return asked.filter((scope) => within.includes(scope));
};

/** Of the scopes asked for, those that the role has; `admin` stands for all that it has. */
export const scopesWithin = (role: Role, asked: readonly Scope[]): Scope[] => {
  const wanted = asked.includes("admin") ? SCOPES.owner : asked;
  return SCOPES[role].filter((scope) => wanted.includes(scope));
};
