import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes 20 s and more, the longest first; the size of a file, by which Vitest goes, says little of it. */
const LONGEST = [
  "conformance/control-store.postgres",
  "e2e/kill",
  "e2e/dashboard/flows",
  "e2e/dashboard/live",
  "e2e/start",
  "e2e/dashboard/access",
  "e2e/dashboard/settings",
  "e2e/dashboard/signals",
  "e2e/dashboard/crawl",
  "e2e/alert-mails",
  "e2e/moving",
  "e2e/webhooks-kill-distributed",
  "conformance/time-series.chdb",
  "e2e/moving-distributed",
  "e2e/command-line",
  "e2e/distributed",
  "adapters/kafka/cluster",
  "deploy/containerfile",
  "conformance/time-series.server",
  "e2e/alerts",
  "deliver/mails",
  "e2e/broken-threads",
  "e2e/dashboard/keys",
  "e2e/dashboard/overview",
  "e2e/new-log",
  "conformance/control-store.sqlite",
  "e2e/webhooks-kill",
  "e2e/push",
  "e2e/threads-distributed",
  "e2e/groups-kill",
  "receiver/examples",
  "adapters/kafka/outages",
  "e2e/dashboard/alerts",
  "adapters/kafka/faults",
  "conformance/event-log.kafka",
  "deliver/alert-mails",
  "adapters/kafka/members",
  "e2e/log-limit",
  "deliver/trouble",
  "adapters/postgres/faults",
  "e2e/walk",
  "serve/fuzz",
  "access/sign-in",
  "serve/oauth-two",
  "e2e/dashboard/few-and-slow",
  "e2e/dashboard/zones",
  "ingest/back-pressure",
  "e2e/login",
  "e2e/config-file",
  "serve/oauth-tokens",
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
};

/** Begins with what takes longest, so that nothing long is left over when the other workers are done. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name);
    return [...projects.values()].flatMap((ofOne) => ofOne.toSorted((a, b) => placeOf(a) - placeOf(b)));
  }
}
