import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../../client/failures.ts";
import { SomebodyElse } from "../api/whose.ts";
import { isSignedOut } from "./signed-out.ts";
import { standing } from "./standing.ts";

const noticed = (error: unknown): void => {
  if (error instanceof SomebodyElse) standing.set("out");
  if (!(error instanceof ApiError)) return;
  if (isSignedOut(error)) standing.set("out");
  else if (error.code === "second_factor_required" && standing.get() === "in")
    standing.set("no-second-factor");
};

/** The client sends again what may be sent again: nothing here does so once more. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticed }),
  mutationCache: new MutationCache({ onError: noticed }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnReconnect: true },
    mutations: { retry: false },
  },
});
