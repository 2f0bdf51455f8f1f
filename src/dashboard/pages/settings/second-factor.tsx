import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { lookWho } from "../../app/look-who.ts";
import { withProof } from "../../app/proof.ts";
import { say } from "../../app/toasts.tsx";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { FormProblem, Problem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { Secret } from "../../parts/secret.tsx";
import { TextField } from "../../parts/text-field.tsx";
import style from "./forms.module.css";

const FEW_CODES = 3;

const Codes = ({ codes, done }: { codes: readonly string[]; done: () => void }) => (
  <Secret text={codes.join("\n")} what="recovery codes" isMany done={done}>
    <p>Each works once, in place of a code of your app.</p>
    <ul className={style.codes} aria-label="Recovery codes">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
  </Secret>
);

/** An image whose source is the picture itself: nothing of it is run. */
const QrCode = ({ svg }: { svg: string }) => (
  <img
    className={style.qr}
    alt="QR code for the authenticator app"
    src={`data:image/svg+xml,${encodeURIComponent(svg)}`}
  />
);

const SetUp = ({ done }: { done: (codes: readonly string[] | null) => void }) => {
  const [code, setCode] = useState("");
  const propose = useMutation({ mutationFn: () => withProof(() => api.put("/v1/me/second-factor")) });
  const confirm = useMutation({
    mutationFn: () => api.put("/v1/me/second-factor/confirmation", { body: { code } }),
    onSuccess: (made) => done(made?.recoveryCodes ?? null),
  });
  const problems = problemsByPath(confirm.error);
  const cancel = () => {
    setCode("");
    confirm.reset();
    propose.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirm.mutate();
  };
  if (propose.data === undefined)
    return (
      <>
        {propose.error !== null && <Problem error={propose.error} />}
        <div className={style.buttons}>
          <Button kind="main" disabled={propose.isPending} onClick={() => propose.mutate()}>
            Set it up
          </Button>
        </div>
      </>
    );
  const { qrCode, secret } = propose.data;
  return (
    <form className={style.form} onSubmit={submit} noValidate>
      <QrCode svg={qrCode} />
      <p>
        Read it with your app, or type <code>{secret}</code> <CopyButton text={secret} what="the secret" />
      </p>
      <TextField
        label="The code that it shows"
        problem={problems.get("code")}
        autoComplete="one-time-code"
        inputMode="numeric"
        value={code}
        change={setCode}
      />
      <FormProblem error={confirm.error} fields={["code"]} />
      <div className={style.buttons}>
        <Button kind="main" type="submit" disabled={confirm.isPending}>
          Turn it on
        </Button>
        <Button onClick={cancel}>Cancel</Button>
      </div>
    </form>
  );
};

/** Codes of an app beside the password. */
export const SecondFactor = ({ isOn, codesLeft }: { isOn: boolean; codesLeft: number }) => {
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [isAsked, setAsked] = useState(false);
  const queries = useQueryClient();
  const seen = () =>
    void queries
      .invalidateQueries({ queryKey: ["me"] })
      .then(lookWho)
      .catch(() => undefined);
  const renew = useMutation({
    mutationFn: () => withProof(() => api.put("/v1/me/recovery-codes")),
    onSuccess: (made) => setCodes(made?.recoveryCodes ?? null),
  });
  const remove = useMutation({
    mutationFn: () => withProof(() => api.delete("/v1/me/second-factor")),
    onSuccess: () => {
      setAsked(false);
      say("The second factor is off.");
      seen();
    },
  });
  return (
    <section aria-label="Second factor">
      <h2>Second factor</h2>
      {codes !== null && (
        <Codes
          codes={codes}
          done={() => {
            setCodes(null);
            seen();
          }}
        />
      )}
      {codes === null && !isOn && (
        <>
          <p>Signing in takes your password alone.</p>
          <SetUp done={setCodes} />
        </>
      )}
      {codes === null && isOn && (
        <>
          <p>
            Signing in takes a code of your app, too. {codesLeft < FEW_CODES && "▲ "}
            {codesLeft} recovery {codesLeft === 1 ? "code is" : "codes are"} left.
          </p>
          <div className={style.buttons}>
            <Button disabled={renew.isPending} onClick={() => renew.mutate()}>
              New recovery codes
            </Button>
            <Button kind="danger" onClick={() => setAsked(true)}>
              Turn it off
            </Button>
          </div>
          {renew.error !== null && <Problem error={renew.error} />}
          <Ask
            isOpen={isAsked}
            title="Turn the second factor off?"
            does="Turn it off"
            isDangerous
            isBusy={remove.isPending}
            error={remove.error}
            act={() => remove.mutate()}
            close={() => setAsked(false)}
          >
            <p>Whoever knows your password could sign in as you.</p>
          </Ask>
        </>
      )}
    </section>
  );
};
