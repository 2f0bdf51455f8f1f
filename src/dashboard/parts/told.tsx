import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { rule, signalNames, sources, webhooks } from "../api/queries.ts";
import { Time } from "./time.tsx";
import { type IdKind, type ToldPart, toldParts } from "./told-text.ts";

interface Named {
  readonly id: string;
}

/** What is called so no more, or not yet, is its id. */
const Name = ({ children = "" }: { children: string | undefined }) => <bdi>{children}</bdi>;

const SignalName = ({ id }: Named) => (
  <Link to="/signals/$id" params={{ id }}>
    <Name>{useQuery(signalNames([id])).data?.get(id) ?? id}</Name>
  </Link>
);
const SourceName = ({ id }: Named) => (
  <Link to="/settings/integrations/$id" params={{ id }}>
    <Name>{useQuery(sources).data?.find((one) => one.id === id)?.name ?? id}</Name>
  </Link>
);
const RuleName = ({ id }: Named) => (
  <Link to="/alerts/rules/$id" params={{ id }}>
    <Name>{useQuery(rule(id)).data?.name ?? id}</Name>
  </Link>
);
const WebhookName = ({ id }: Named) => {
  const found = useQuery(webhooks).data?.find((one) => one.id === id);
  return (
    <Link to="/settings/webhooks/$id" params={{ id }}>
      <Name>{found?.name ?? found?.url ?? id}</Name>
    </Link>
  );
};
/** Its reason, which is all that it is called, is told beside it. */
const SilenceName = () => <Link to="/alerts/silences">a silence</Link>;

const NAMES: Readonly<Record<IdKind, (named: Named) => ReactNode>> = {
  signal: SignalName,
  source: SourceName,
  rule: RuleName,
  webhook: WebhookName,
  silence: SilenceName,
};

const Part = ({ part }: { part: ToldPart }) => {
  if (part.kind === "text") return part.text;
  if (part.kind === "moment") return <Time at={part.atMs} />;
  const Of = NAMES[part.kind];
  return <Of id={part.id} />;
};

/** What the service says, with moments by the reader's clock, and what it names by id by its name. */
export const Told = ({ text }: { text: string }) => {
  const parts = useMemo(() => toldParts(text), [text]);
  // biome-ignore lint/suspicious/noArrayIndexKey: a part has no name but its place in the sentence
  return parts.map((part, at) => <Part key={at} part={part} />);
};
