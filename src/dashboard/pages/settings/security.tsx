import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { grants, identities, me, securityLog, sessions } from "../../api/queries.ts";
import { withProof } from "../../app/proof.ts";
import { say } from "../../app/toasts.tsx";
import { ageText, timeText } from "../../app/words.ts";
import { Button, buttonClass } from "../../parts/button.tsx";
import { rowClass } from "../../parts/field.tsx";
import { Item, List, More } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { TextField } from "../../parts/text-field.tsx";
import style from "./forms.module.css";
import { SecondFactor } from "./second-factor.tsx";

const useOwn = <Input,>(act: (input: Input) => Promise<unknown>, done: () => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => withProof(() => act(input)),
    onSuccess: async () => {
      done();
      await queries.invalidateQueries({ queryKey: ["me"] });
    },
  });
};

const Password = () => {
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
  const problems = problemsByPath(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <section aria-label="Password">
      <h2>Password</h2>
      <form className={rowClass} onSubmit={submit} noValidate>
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
        <Button type="submit" disabled={change.isPending}>
          Change the password
        </Button>
      </form>
      {change.error !== null && problems.size === 0 && <Problem error={change.error} />}
    </section>
  );
};

const EmailAddress = ({ email }: { email: string }) => {
  const [next, setNext] = useState("");
  const change = useOwn(
    () => api.put("/v1/me/email", { body: { email: next } }),
    () => {
      say("Follow the links in both mailboxes: the old one and the new.");
      setNext("");
    },
  );
  const problems = problemsByPath(change.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(undefined);
  };
  return (
    <section aria-label="E-mail address">
      <h2>E-mail address</h2>
      <p>{email}</p>
      <form className={rowClass} onSubmit={submit} noValidate>
        <TextField
          label="New address"
          hint="Both ends have to say yes."
          problem={problems.get("email")}
          type="email"
          value={next}
          change={setNext}
        />
        <Button type="submit" disabled={change.isPending}>
          Change the address
        </Button>
      </form>
      {change.error !== null && problems.size === 0 && <Problem error={change.error} />}
    </section>
  );
};

const Sessions = () => {
  const { data } = useQuery(sessions);
  const end = useOwn(
    (id: string) => api.delete("/v1/me/sessions/{id}", { params: { path: { id } } }),
    () => say("The session has ended."),
  );
  return (
    <section aria-label="Sessions">
      <h2>Where you are signed in</h2>
      <List label="Sessions">
        {data?.map(({ id, current, userAgent, address, createdAt, lastSeenAt }) => (
          <Item
            key={id}
            title={
              <>
                <bdi>{userAgent === "" ? "unknown" : userAgent}</bdi> {current && <strong>(here)</strong>}
              </>
            }
            under={`${address} · since ${timeText(Date.parse(createdAt))} · seen ${ageText(Date.parse(lastSeenAt))} ago`}
          >
            {!current && (
              <Button disabled={end.isPending} onClick={() => end.mutate(id)}>
                End it
              </Button>
            )}
          </Item>
        ))}
      </List>
      {end.error !== null && <Problem error={end.error} />}
    </section>
  );
};

const Programs = () => {
  const { data } = useQuery(grants);
  const end = useOwn(
    (id: string) => api.delete("/v1/me/grants/{id}", { params: { path: { id } } }),
    () => say("It may act for you no more."),
  );
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-label="Programs">
      <h2>Programs that act for you</h2>
      <List label="Programs">
        {data.map(({ id, client, scopes, createdAt, lastUsedAt }) => (
          <Item
            key={id}
            title={<bdi>{client.name}</bdi>}
            under={`${scopes.join(", ")} · since ${timeText(Date.parse(createdAt))} · ${lastUsedAt === null ? "never used" : `used ${ageText(Date.parse(lastUsedAt))} ago`}`}
          >
            <Button disabled={end.isPending} onClick={() => end.mutate(id)}>
              Let it no more
            </Button>
          </Item>
        ))}
      </List>
      {end.error !== null && <Problem error={end.error} />}
    </section>
  );
};

const Elsewhere = () => {
  const { data } = useQuery(identities);
  const remove = useOwn(
    (id: string) => api.delete("/v1/me/identities/{id}", { params: { path: { id } } }),
    () => say("You sign in with it no more."),
  );
  if (data === undefined || (data.providers.length === 0 && data.identities.length === 0)) return null;
  return (
    <section aria-label="Accounts elsewhere">
      <h2>Accounts elsewhere</h2>
      {data.identities.length > 0 && (
        <List label="Accounts elsewhere">
          {data.identities.map(({ id, provider, issuer, subject, linkedAt }) => (
            <Item
              key={id}
              title={provider ?? issuer}
              under={`${subject} · since ${timeText(Date.parse(linkedAt))}`}
            >
              <Button disabled={remove.isPending} onClick={() => remove.mutate(id)}>
                Unlink
              </Button>
            </Item>
          ))}
        </List>
      )}
      <div className={style.buttons}>
        {data.providers.map(({ id, name, linkPath }) => (
          <a key={id} className={buttonClass("second")} href={linkPath}>
            Connect {name}
          </a>
        ))}
      </div>
      {remove.error !== null && <Problem error={remove.error} />}
    </section>
  );
};

const Happened = () => {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(securityLog);
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <section aria-label="What happened">
      <h2>What happened to your sign-in</h2>
      <List label="What happened">
        {entries.map(({ id, at, action, from }) => (
          <Item
            key={id}
            title={<code>{action}</code>}
            under={`${timeText(Date.parse(at))} · ${from.address ?? ""}`}
          />
        ))}
      </List>
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </section>
  );
};

/** How somebody signs in, where they are in, and what happened to it. */
export const Security = () => {
  const { data } = useQuery(me);
  if (data === undefined) return null;
  return (
    <Page title="Security">
      <div className={style.blocks}>
        <SecondFactor isOn={data.secondFactor} codesLeft={data.recoveryCodesLeft} />
        <Sessions />
        <Programs />
        <Elsewhere />
        <Password />
        <EmailAddress email={data.email} />
        <Happened />
      </div>
    </Page>
  );
};
