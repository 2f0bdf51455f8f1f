import { me } from "../api/queries.ts";
import { queryClient } from "./query-client.ts";
import { standing } from "./standing.ts";

/** Asks who is signed in, and what they may do by now; throws where nobody is, or somebody else. */
export const lookWho = async (): Promise<void> => {
  const { mustSetUpSecondFactor } = await queryClient.fetchQuery({ ...me, staleTime: 0 });
  standing.set(mustSetUpSecondFactor ? "no-second-factor" : "in");
};
