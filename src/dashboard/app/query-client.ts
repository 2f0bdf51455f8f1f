import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../../client/failures.ts";
import { SomebodyElse } from "../api/whose.ts";
import { signedOut } from "./signed-out.ts";

const noticed = (error: unknown): void => {
  const isOut = error instanceof ApiError ? error.status === 401 : error instanceof SomebodyElse;
  if (isOut) signedOut.set(true);
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
