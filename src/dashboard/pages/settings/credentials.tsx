import { type FormEvent, type ReactNode, useState } from "react";
import { api } from "../../api/client.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { say } from "../../app/toasts.tsx";
import { Button } from "../../parts/button.tsx";
import { rowClass } from "../../parts/field.tsx";
import { FormProblem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { TextField } from "../../parts/text-field.tsx";
import { useOwn } from "./own-change.ts";

interface OwnFormProps {
  readonly title: string;
  /** As it is now. */
  readonly now?: ReactNode;
  /** What is done, as the button has it. */
  readonly does: string;
  /** Whether something is typed that is not sent. */
  readonly isDirty: boolean;
  readonly change: ReturnType<typeof useOwn<unknown>>;
  /** The paths of the fields. */
  readonly fields: readonly string[];
  /** The fields, with what the service says is wrong with them. */
  readonly children: (problems: ReadonlyMap<string, string>) => ReactNode;
}

const OwnForm = ({ title, now, does, isDirty, change, fields, children }: OwnFormProps) => {
  const problems = problemsByPath(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <section aria-label={title}>
      <LeaveGuard isDirty={isDirty} />
      <h2>{title}</h2>
      {now}
      <form className={rowClass} onSubmit={submit} noValidate>
        {children(problems)}
        <Button type="submit" disabled={change.isPending}>
          {does}
        </Button>
      </form>
      <FormProblem error={change.error} fields={fields} />
    </section>
  );
};

/** Changes the password, which ends all other sessions. */
export const Password = () => {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useOwn(
    () => api.put("/v1/me/password", { body: { current, next } }),
    () => {
      say("The password is changed; your other sessions have ended.");
      setCurrent("");
      setNext("");
    },
  );
  return (
    // The present one a browser may have filled in by itself.
    <OwnForm
      title="Password"
      does="Change the password"
      isDirty={next !== ""}
      change={change}
      fields={["current", "next"]}
    >
      {(problems) => (
        <>
          <TextField
            label="Present password"
            problem={problems.get("current")}
            type="password"
            autoComplete="current-password"
            value={current}
            change={setCurrent}
          />
          <TextField
            label="New password"
            hint="12 to 128 characters."
            problem={problems.get("next")}
            type="password"
            autoComplete="new-password"
            value={next}
            change={setNext}
          />
        </>
      )}
    </OwnForm>
  );
};

/** Changes the address that somebody signs in with. */
export const EmailAddress = ({ email }: { email: string }) => {
  const [next, setNext] = useState("");
  const change = useOwn(
    () => api.put("/v1/me/email", { body: { email: next } }),
    () => {
      say("Follow the links in both mailboxes: the old one and the new.");
      setNext("");
    },
  );
  return (
    <OwnForm
      title="E-mail address"
      now={<p>{email}</p>}
      does="Change the address"
      isDirty={next !== ""}
      change={change}
      fields={["email"]}
    >
      {(problems) => (
        <TextField
          label="New address"
          hint="Both ends have to say yes."
          problem={problems.get("email")}
          type="email"
          value={next}
          change={setNext}
        />
      )}
    </OwnForm>
  );
};
