import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../api/client.ts";
import { Button } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
import { FormProblem } from "../parts/problem.tsx";
import { problemsByPath } from "../parts/problems-by-path.ts";
import { TextField } from "../parts/text-field.tsx";
import { proofAsked } from "./proof.ts";

/** Asks for the password, and the code where there is a second factor. */
const ProofDialog = ({ hasSecondFactor }: { hasSecondFactor: boolean }) => {
  const settled = proofAsked.get();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const settle = (isProven: boolean) => {
    proofAsked.set(null);
    settled?.(isProven);
  };
  const prove = useMutation({
    mutationFn: () => api.put("/v1/me/proof", { body: { password, ...(hasSecondFactor ? { code } : {}) } }),
    onSuccess: () => settle(true),
  });
  const problems = problemsByPath(prove.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove.mutate();
  };
  return (
    <Modal title="Say once more who you are" close={() => settle(false)}>
      <p>What you are about to do is worth it. For ten minutes you will not be asked again.</p>
      <form className={style.form} onSubmit={submit}>
        <TextField
          label="Password"
          problem={problems.get("password")}
          type="password"
          autoComplete="current-password"
          required
          value={password}
          change={setPassword}
        />
        {hasSecondFactor && (
          <TextField
            label="Code"
            hint="Of your app, or a recovery code."
            problem={problems.get("code")}
            autoComplete="one-time-code"
            required
            value={code}
            change={setCode}
          />
        )}
        <FormProblem error={prove.error} fields={hasSecondFactor ? ["password", "code"] : ["password"]} />
        <p>
          No password? <a href="/prove">Say it on a page of its own</a>.
        </p>
        <div className={style.buttons}>
          <Button kind="main" type="submit" disabled={prove.isPending}>
            Go on
          </Button>
          <Button onClick={() => settle(false)}>Cancel</Button>
        </div>
      </form>
    </Modal>
  );
};
export default ProofDialog;
