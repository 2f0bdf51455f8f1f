import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { serverClock } from "../../api/server-clock.ts";
import { accessRequests } from "../../api/settings-queries.ts";
import type { AccessRequest, Role } from "../../api/types.ts";
import { withProof } from "../../app/proof.ts";
import { ROLES } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { ageText } from "../../app/words.ts";
import { Age } from "../../parts/age.tsx";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { TextArea } from "../../parts/text-field.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";

const Due = ({ request: { state, dueAt, overdue, decidedAt } }: { request: AccessRequest }) => {
  if (state !== "pending")
    return (
      <>
        {state} {decidedAt !== null && <Time at={Date.parse(decidedAt)} />}
      </>
    );
  if (overdue)
    return (
      <>
        ▲ overdue since <Age at={Date.parse(dueAt)} />
      </>
    );
  return `to be answered within ${ageText(serverClock.now(), Date.parse(dueAt))}`;
};

const useDecision = (done: () => void) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (act: () => Promise<unknown>) => withProof(act),
    onSuccess: async () => {
      done();
      await Promise.all([
        queries.invalidateQueries({ queryKey: ["access-requests"] }),
        queries.invalidateQueries({ queryKey: ["team"] }),
      ]);
    },
  });
};

const RequestItem = ({ request }: { request: AccessRequest }) => {
  const { id, email, useCase, state, note } = request;
  const [asked, setAsked] = useState<"approve" | "reject" | null>(null);
  const [role, setRole] = useState<Role>("viewer");
  const [text, setText] = useState("");
  const decide = useDecision(() => {
    say(asked === "approve" ? `${email} is invited.` : `${email} is told.`);
    setAsked(null);
  });
  const params = { path: { id } };
  const told = text.trim() === "" ? null : text.trim();
  const act = () =>
    decide.mutate(() =>
      asked === "approve"
        ? api.post("/v1/access-requests/{id}/approve", { params, body: { role, note: told } })
        : api.post("/v1/access-requests/{id}/reject", { params, body: { note: told } }),
    );
  return (
    <Item
      title={email}
      under={
        <>
          <bdi>{useCase}</bdi>
          <br />
          <Due request={request} />
          {note !== null && ` · ${note}`}
        </>
      }
    >
      {state === "pending" && (
        <>
          <Button kind="main" onClick={() => setAsked("approve")}>
            Approve
          </Button>
          <Button onClick={() => setAsked("reject")}>Reject</Button>
        </>
      )}
      <Ask
        isOpen={asked !== null}
        title={asked === "approve" ? `Let ${email} in?` : `Reject ${email}?`}
        does={asked === "approve" ? "Invite them" : "Reject"}
        isDangerous={asked === "reject"}
        isBusy={decide.isPending}
        error={decide.error}
        act={act}
        close={() => setAsked(null)}
      >
        {asked === "approve" && (
          <Choice legend="Role" name={`role-${id}`} values={ROLES} chosen={role} choose={setRole} />
        )}
        <TextArea
          label="Note"
          hint={asked === "approve" ? "For the reviewers alone." : "They read it in the e-mail."}
          rows={3}
          maxLength={2_000}
          value={text}
          change={setText}
        />
      </Ask>
    </Item>
  );
};

export const AccessRequests = () => {
  const { data, error, refetch } = useQuery(accessRequests);
  return (
    <Page title="Access requests">
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data?.length === 0 && (
        <Empty action={<a href="/request-access">The page on which people ask</a>}>
          Nobody has asked for access.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <List label="Access requests">
          {data.map((request) => (
            <RequestItem key={request.id} request={request} />
          ))}
        </List>
      )}
    </Page>
  );
};
