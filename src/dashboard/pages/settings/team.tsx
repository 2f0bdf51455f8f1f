import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { api } from "../../api/client.ts";
import { me } from "../../api/queries.ts";
import { account, invitations, members } from "../../api/settings-queries.ts";
import type { Invitation, Member, Role } from "../../api/types.ts";
import { LeaveGuard } from "../../app/leave-guard.tsx";
import { withProof } from "../../app/proof.ts";
import { ROLES } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { Ago } from "../../parts/age.tsx";
import { AskFirst } from "../../parts/ask-first.tsx";
import { Button } from "../../parts/button.tsx";
import { Check } from "../../parts/check.tsx";
import { Field, Fields, inputClass, rowClass } from "../../parts/field.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { FormProblem, Problem } from "../../parts/problem.tsx";
import { problemsByPath } from "../../parts/problems-by-path.ts";
import { TextField } from "../../parts/text-field.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import style from "./forms.module.css";

const ROLE_WORDS = {
  viewer: "viewer: looks",
  editor: "editor: changes",
  owner: "owner: everything",
} as const;
const isRole = (text: string): text is Role => ROLES.some((role) => role === text);

interface SelectProps {
  readonly role: Role;
  readonly choose: (role: Role) => void;
  readonly label: string;
  readonly isDisabled?: boolean;
}

const RoleSelect = ({ role, choose, label, isDisabled = false }: SelectProps) => (
  <select
    aria-label={label}
    disabled={isDisabled}
    className={inputClass}
    value={role}
    onChange={({ target }) => isRole(target.value) && choose(target.value)}
  >
    {ROLES.map((one) => (
      <option key={one} value={one}>
        {ROLE_WORDS[one]}
      </option>
    ))}
  </select>
);

const useTeamChange = <Input,>(act: (input: Input) => Promise<unknown>, done?: (input: Input) => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => withProof(() => act(input)),
    onSuccess: async (_, input) => {
      done?.(input);
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["team"] }),
        // Whoever changes what they themselves may do.
        queries.invalidateQueries({ queryKey: me.queryKey }),
      ]);
    },
  });
};

/** What somebody may do here: chosen first, and changed then. */
const useRole = ({ id, role }: Member) => {
  const [chosen, choose] = useState<Role | null>(null);
  const next = chosen ?? role;
  const change = useTeamChange(
    () => api.patch("/v1/members/{id}", { params: { path: { id } }, body: { role: next } }),
    () => choose(null),
  );
  return { next, choose, change, isSame: next === role };
};

interface RoleProps extends ReturnType<typeof useRole> {
  readonly email: string;
  readonly isSelf: boolean;
}

const RoleOf = ({ next, choose, change, isSame, email, isSelf }: RoleProps) => {
  const words = "Change the role";
  const label = `${words} of ${email}`;
  return (
    <>
      <RoleSelect role={next} label={`Role of ${email}`} choose={choose} isDisabled={change.isPending} />
      {isSelf ? (
        <AskFirst
          button={words}
          label={label}
          disabled={isSame}
          title="Change your own role?"
          does={words}
          doing={change}
        >
          <p>You will be no owner any more: only another owner can change that back.</p>
        </AskFirst>
      ) : (
        <Button
          aria-label={label}
          disabled={change.isPending || isSame}
          onClick={() => change.mutate(undefined)}
        >
          {words}
        </Button>
      )}
    </>
  );
};

const MemberItem = ({ member, isSelf }: { member: Member; isSelf: boolean }) => {
  const { id, email, secondFactor, suspendedAt, joinedAt } = member;
  const params = { path: { id } };
  const role = useRole(member);
  const suspend = useTeamChange((suspended: boolean) =>
    api.patch("/v1/members/{id}", { params, body: { suspended } }),
  );
  const remove = useTeamChange(
    () => api.delete("/v1/members/{id}", { params }),
    () => say(`${email} is out.`),
  );
  return (
    <Item
      title={
        <>
          {email} {isSelf && "(you)"}
        </>
      }
      under={
        <>
          since <Time at={Date.parse(joinedAt)} /> · {secondFactor ? "second factor" : "no second factor"}
          {suspendedAt !== null && (
            <>
              {" "}
              · suspended <Ago at={Date.parse(suspendedAt)} />
            </>
          )}
          {!isSelf && role.change.error !== null && <Problem error={role.change.error} />}
          {suspend.error !== null && <Problem error={suspend.error} />}
        </>
      }
    >
      <RoleOf {...role} email={email} isSelf={isSelf} />
      {!isSelf && (
        <>
          <Button disabled={suspend.isPending} onClick={() => suspend.mutate(suspendedAt === null)}>
            {suspendedAt === null ? "Suspend" : "Let in again"}
          </Button>
          <AskFirst
            button="Remove"
            label={`Remove ${email}`}
            title={`Remove ${email}?`}
            does="Remove them"
            doing={remove}
          >
            <p>Their sessions, keys and programs here end at once.</p>
          </AskFirst>
        </>
      )}
    </Item>
  );
};

const Invite = () => {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const invite = useTeamChange(
    () => api.post("/v1/invitations", { body: { email, role } }),
    () => {
      say(`${email} is invited.`);
      setEmail("");
    },
  );
  const problems = problemsByPath(invite.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate(undefined);
  };
  return (
    <form className={style.form} onSubmit={submit} noValidate>
      <LeaveGuard isDirty={email !== ""} />
      <Fields legend="Invite somebody">
        <div className={rowClass}>
          <TextField
            label="E-mail address"
            problem={problems.get("email")}
            type="email"
            value={email}
            change={setEmail}
          />
          <Field label="Role">{() => <RoleSelect role={role} label="Role" choose={setRole} />}</Field>
        </div>
        <FormProblem error={invite.error} fields={["email"]} />
        <div>
          <Button kind="main" type="submit" disabled={invite.isPending}>
            Invite
          </Button>
        </div>
      </Fields>
    </form>
  );
};

const OPEN_STATES: readonly Invitation["state"][] = ["approved", "invited", "verified", "expired"];
const STATE_WORDS: Readonly<Record<Invitation["state"], string>> = {
  approved: "the e-mail is on its way",
  invited: "the e-mail was taken by their mail server",
  verified: "the address is proved; a password is to come",
  active: "is in",
  expired: "the link has expired",
  revoked: "revoked",
};

const InvitationItem = ({ invitation }: { invitation: Invitation }) => {
  const { id, email, role, state, expiresAt } = invitation;
  const params = { path: { id } };
  const resend = useTeamChange(
    () => api.post("/v1/invitations/{id}/resend", { params }),
    () => say(`${email} gets another link; the older one works no more.`),
  );
  const revoke = useTeamChange(() => api.delete("/v1/invitations/{id}", { params }));
  const error = resend.error ?? revoke.error;
  return (
    <Item
      title={email}
      under={
        <>
          {role} · {STATE_WORDS[state]} · until <Time at={Date.parse(expiresAt)} />
          {error !== null && <Problem error={error} />}
        </>
      }
    >
      <Button disabled={resend.isPending} onClick={() => resend.mutate(undefined)}>
        Send again
      </Button>
      <Button kind="danger" disabled={revoke.isPending} onClick={() => revoke.mutate(undefined)}>
        Revoke
      </Button>
    </Item>
  );
};

const AccountSettings = () => {
  const { data } = useQuery(account);
  const who = useQuery(me);
  const change = useTeamChange((body: { name?: string | null; secondFactorRequired?: boolean }) =>
    api.patch("/v1/account", { body }),
  );
  const [name, setName] = useState<string | null>(null);
  if (data === undefined) return null;
  const shown = name ?? data.name ?? "";
  // Whoever has none could not even turn it off again.
  const isLocking = who.data?.secondFactor === false && !data.secondFactorRequired;
  const isRenamed = shown.trim() !== (data.name ?? "");
  return (
    <section aria-label="The account">
      <LeaveGuard isDirty={isRenamed} />
      <h2>The account</h2>
      <div className={style.filter}>
        <TextField label="Name" maxLength={200} value={shown} change={setName} />
        <Button
          disabled={change.isPending || !isRenamed}
          onClick={() => change.mutate({ name: shown.trim() === "" ? null : shown.trim() })}
        >
          Rename
        </Button>
      </div>
      <Check
        checked={data.secondFactorRequired}
        disabled={change.isPending || isLocking}
        change={(secondFactorRequired) => change.mutate({ secondFactorRequired })}
      >
        Everybody needs a second factor here
      </Check>
      {isLocking && (
        <p>
          You have none yourself: <Link to="/settings/security">set one up</Link> first.
        </p>
      )}
      {change.error !== null && <Problem error={change.error} />}
    </section>
  );
};

export const Team = () => {
  const { data, error, refetch } = useQuery(members);
  const who = useQuery(me);
  const open = useQuery(invitations);
  const waiting = open.data?.filter(({ state }) => OPEN_STATES.includes(state)) ?? [];
  return (
    <Page title="Team">
      <Invite />
      <div className={style.blocks}>
        <Waiting lines={4} of={{ data, error, refetch }} />
        {data !== undefined && (
          <section aria-label="People">
            <h2>People</h2>
            <List label="People">
              {data.map((member) => (
                <MemberItem key={member.id} member={member} isSelf={member.id === who.data?.id} />
              ))}
            </List>
          </section>
        )}
        {waiting.length > 0 && (
          <section aria-label="Invitations">
            <h2>Invitations</h2>
            <List label="Invitations">
              {waiting.map((invitation) => (
                <InvitationItem key={invitation.id} invitation={invitation} />
              ))}
            </List>
          </section>
        )}
        <AccountSettings />
      </div>
    </Page>
  );
};
