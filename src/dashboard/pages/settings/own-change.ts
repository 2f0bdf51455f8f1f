import { useMutation, useQueryClient } from "@tanstack/react-query";
import { withProof } from "../../app/proof.ts";

/** Changes something of who is signed in, once they have said who they are. */
export const useOwn = <Input>(act: (input: Input) => Promise<unknown>, done: () => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => withProof(() => act(input)),
    onSuccess: async () => {
      done();
      await queries.invalidateQueries({ queryKey: ["me"] });
    },
  });
};
