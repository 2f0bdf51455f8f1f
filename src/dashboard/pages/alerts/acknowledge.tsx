import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { alert } from "../../api/queries.ts";
import { renewOwn } from "../../app/own-change.ts";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { TextArea } from "../../parts/text-field.tsx";

const NOTE_MAX = 500;

/** Says that somebody has taken an alert on, and what the others should know. */
export const Acknowledge = ({ id }: { id: string }) => {
  const [isOpen, setOpen] = useState(false);
  const [note, setNote] = useState("");
  const queries = useQueryClient();
  const take = useMutation({
    mutationFn: () =>
      api.post("/v1/alerts/{id}/acknowledge", {
        params: { path: { id } },
        body: { note: note.trim() === "" ? null : note.trim() },
      }),
    onSuccess: async () => {
      setOpen(false);
      await renewOwn(queries, ["alerts"], alert(id).queryKey);
    },
  });
  return (
    <>
      <Button kind="main" onClick={() => setOpen(true)}>
        Take it on
      </Button>
      <Ask
        isOpen={isOpen}
        title="Take this alert on"
        does="Take it on"
        isBusy={take.isPending}
        error={take.error}
        act={() => take.mutate()}
        close={() => setOpen(false)}
      >
        <TextArea
          label="Note"
          hint="What the others should know; may be empty."
          rows={3}
          maxLength={NOTE_MAX}
          value={note}
          change={setNote}
        />
      </Ask>
    </>
  );
};
