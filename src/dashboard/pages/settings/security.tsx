import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { me } from "../../api/queries.ts";
import { grants, identities, securityLog, sessions } from "../../api/settings-queries.ts";
import { say } from "../../app/toasts.tsx";
import { Ago } from "../../parts/age.tsx";
import { Button, buttonClass } from "../../parts/button.tsx";
import { Item, List, More } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { EmailAddress, Password } from "./credentials.tsx";
import style from "./forms.module.css";
import { useOwn } from "./own-change.ts";
import { SecondFactor } from "./second-factor.tsx";

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
            under={
              <>
                {address} · since <Time at={Date.parse(createdAt)} /> · seen{" "}
                <Ago at={Date.parse(lastSeenAt)} />
              </>
            }
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
            under={
              <>
                {scopes.join(", ")} · since <Time at={Date.parse(createdAt)} /> ·{" "}
                {lastUsedAt === null ? (
                  "never used"
                ) : (
                  <>
                    used <Ago at={Date.parse(lastUsedAt)} />
                  </>
                )}
              </>
            }
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
              under={
                <>
                  {subject} · since <Time at={Date.parse(linkedAt)} />
                </>
              }
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
            under={
              <>
                <Time at={Date.parse(at)} /> · {from.address ?? ""}
              </>
            }
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
