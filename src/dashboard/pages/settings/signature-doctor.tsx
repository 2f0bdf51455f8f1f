import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { Button } from "../../parts/button.tsx";
import { pairsOf } from "../../parts/pairs.ts";
import { Problem } from "../../parts/problem.tsx";
import { TextArea } from "../../parts/text-field.tsx";
import formStyle from "./forms.module.css";

/** A request as a receiver got it, to be told why it does not verify. */
export const SignatureDoctor = ({ id }: { id: string }) => {
  const [headers, setHeaders] = useState("");
  const [body, setBody] = useState("");
  const ask = useMutation({
    mutationFn: (asked: { headers: string; body: string }) =>
      api.post("/v1/integrations/webhooks/{id}/diagnose", {
        params: { path: { id } },
        body: { headers: pairsOf(asked.headers, ":"), body: asked.body },
      }),
  });
  const isAnswered = ask.isSuccess && ask.variables.headers === headers && ask.variables.body === body;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate({ headers, body });
  };
  return (
    <section aria-label="Signature doctor">
      <LeaveGuard
        isDirty={(headers !== "" || body !== "") && !isAnswered}
        title="Leave without an answer?"
        text="What you pasted here is not kept."
      />
      <details>
        <summary>A request does not verify? Paste it here</summary>
        <form className={formStyle.form} onSubmit={submit} noValidate>
          <TextArea
            label="Headers"
            hint="Name: value, a line each."
            rows={4}
            spellCheck={false}
            value={headers}
            change={setHeaders}
          />
          <TextArea
            label="Body"
            hint="As it came, before any parser."
            rows={4}
            spellCheck={false}
            value={body}
            change={setBody}
          />
          <div>
            <Button type="submit" disabled={ask.isPending}>
              Why?
            </Button>
          </div>
          {ask.error !== null && <Problem error={ask.error} />}
          {ask.data !== undefined && (
            <div role="status">
              <p>
                <strong>{ask.data.verifies ? "● It verifies." : "✕ It does not verify."}</strong>
              </p>
              <ul>
                {ask.data.findings.map(({ code, message }) => (
                  <li key={`${code} ${message}`}>{message}</li>
                ))}
              </ul>
            </div>
          )}
        </form>
      </details>
    </section>
  );
};
