import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes 20 s and more, the longest first; the size of a file, by which Vitest goes, says little of it. */
const LONGEST = [
  "e2e/webhooks-kill-distributed",
  "e2e/kill",
  "e2e/start",
  "conformance/control-store.postgres",
  "e2e/moving",
  "e2e/distributed",
  "e2e/threads-distributed",
  "e2e/moving-distributed",
  "e2e/command-line",
  "conformance/time-series.chdb",
  "e2e/walk",
  "e2e/new-log",
  "e2e/webhooks-kill",
  "adapters/kafka/faults",
  "conformance/time-series.server",
  "adapters/kafka/outages",
  "conformance/control-store.sqlite",
  "e2e/groups-kill",
  "deliver/two-dispatchers",
  "adapters/postgres/faults",
  "adapters/kafka/members",
  "deploy/containerfile",
  "conformance/event-log.kafka",
  "deliver/trouble",
  "client/follow",
  "adapters/chdb/supervisor",
  "ingest/back-pressure",
  "domain/evaluation/reference-properties",
  "deliver/endpoints",
  "ingest/http-poll",
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
