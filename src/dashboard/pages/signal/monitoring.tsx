import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { signal } from "../../api/queries.ts";
import type { Signal } from "../../api/types.ts";
import { renewOwn } from "../../app/own-change.ts";
import { say } from "../../app/toasts.tsx";
import { Button } from "../../parts/button.tsx";
import { Problem } from "../../parts/problem.tsx";

type Watched = "active" | "paused";

/** Whether a signal is watched, for everybody of the account: no alert of it fires while it is not. */
export const Monitoring = ({ of: { id, name, status } }: { of: Pick<Signal, "id" | "name" | "status"> }) => {
  const queries = useQueryClient();
  const isPaused = status === "paused";
  const set = async (next: Watched) => {
    await api.patch("/v1/signals/{id}", { params: { path: { id } }, body: { status: next } });
    await renewOwn(queries, ["signals"], signal(id).queryKey);
  };
  const change = useMutation({
    mutationFn: set,
    onSuccess: (_, next) =>
      next === "paused"
        ? say(`“${name}” is paused for everybody: it fires no alert.`, () => set("active"))
        : say(`“${name}” is monitored again.`, () => set("paused")),
  });
  return (
    <>
      <Button disabled={change.isPending} onClick={() => change.mutate(isPaused ? "active" : "paused")}>
        {isPaused ? "Resume monitoring" : "Pause monitoring"}
      </Button>
      {change.error !== null && <Problem error={change.error} />}
    </>
  );
};
