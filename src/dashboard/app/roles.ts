import { useQuery } from "@tanstack/react-query";
import { me } from "../api/queries.ts";
import type { Role } from "../api/types.ts";

export const ROLES: readonly Role[] = ["viewer", "editor", "owner"];

/** Viewers look; whoever else is in may change what is measured and told. */
export const useMayChange = (): boolean => {
  const { data } = useQuery(me);
  return data !== undefined && data.role !== "viewer";
};
/** Owners say who is in. */
export const useIsOwner = (): boolean => useQuery(me).data?.role === "owner";
