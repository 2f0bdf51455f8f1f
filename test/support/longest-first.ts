import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes 20 s and more, the longest first; the size of a file, by which Vitest goes, says little of it. */
const LONGEST = [
  "e2e/dashboard/access",
  "e2e/dashboard/signals",
  "e2e/kill",
  "e2e/dashboard/flows",
  "conformance/time-series.chdb",
  "e2e/moving",
  "e2e/dashboard/settings",
  "e2e/dashboard/crawl",
  "e2e/webhooks-kill-distributed",
  "e2e/moving-distributed",
  "e2e/start",
  "e2e/dashboard/live",
  "e2e/alert-mails",
  "e2e/command-line",
  "conformance/control-store.sqlite",
  "conformance/control-store.postgres",
  "conformance/time-series.server",
  "deploy/containerfile",
  "e2e/dashboard/overview",
  "e2e/dashboard/keys",
  "adapters/kafka/cluster",
  "e2e/broken-threads",
  "e2e/new-log",
  "deliver/mails",
  "e2e/distributed",
  "e2e/alerts",
  "e2e/webhooks-kill",
  "serve/fuzz",
  "receiver/examples",
  "e2e/push",
  "e2e/threads-distributed",
  "e2e/groups-kill",
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
