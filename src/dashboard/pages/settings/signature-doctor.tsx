import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { Button } from "../../parts/button.tsx";
import { Field, inputClass } from "../../parts/field.tsx";
import { pairsOf } from "../../parts/pairs.ts";
import { Problem } from "../../parts/problem.tsx";
import formStyle from "./forms.module.css";

/** A request as a receiver got it, to be told why it does not verify. */
export const SignatureDoctor = ({ id }: { id: string }) => {
  const [headers, setHeaders] = useState("");
  const [body, setBody] = useState("");
  const ask = useMutation({
    mutationFn: () =>
      api.post("/v1/integrations/webhooks/{id}/diagnose", {
        params: { path: { id } },
        body: { headers: pairsOf(headers, ":"), body },
      }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    ask.mutate();
  };
  return (
    <section aria-label="Signature doctor">
      <details>
        <summary>A request does not verify? Paste it here</summary>
        <form className={formStyle.form} onSubmit={submit} noValidate>
          <Field label="Headers" hint="Name: value, a line each.">
            {(input) => (
              <textarea
                {...input}
                rows={4}
                spellCheck={false}
                className={inputClass}
                value={headers}
                onChange={({ target }) => setHeaders(target.value)}
              />
            )}
          </Field>
          <Field label="Body" hint="As it came, before any parser.">
            {(input) => (
              <textarea
                {...input}
                rows={4}
                spellCheck={false}
                className={inputClass}
                value={body}
                onChange={({ target }) => setBody(target.value)}
              />
            )}
          </Field>
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
