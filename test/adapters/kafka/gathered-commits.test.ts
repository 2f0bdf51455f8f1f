import { describe, expect, it } from "vitest";
import { GatheredCommits } from "../../../src/adapters/kafka/gathered-commits.ts";
import { until } from "../../support/until.ts";

/** Commits whose requests are answered by hand. */
const open = () => {
  const requests: { places: [number, number][]; answer: PromiseWithResolvers<void> }[] = [];
  const commits = new GatheredCommits((places) => {
    const answer = Promise.withResolvers<void>();
    requests.push({ places: [...places], answer });
    return answer.promise;
  });
  const nth = (n: number) => until("the request", () => requests[n]);
  return { commits, requests, nth };
};

describe("commits of a group member", () => {
  it("go out by one request for all partitions, and the next gathers while it is under way", async () => {
    const { commits, requests, nth } = open();
    const first = Promise.all([commits.commit(0, 5), commits.commit(1, 7), commits.commit(2, 1)]);
    const one = await nth(0);
    const second = Promise.all([commits.commit(1, 9), commits.commit(1, 8), commits.commit(3, 2)]);
    expect(requests).toHaveLength(1);
    one.answer.resolve();
    await first;
    const two = await nth(1);
    two.answer.resolve();
    await second;
    expect(requests.map(({ places }) => places)).toEqual([
      [
        [0, 5],
        [1, 7],
        [2, 1],
      ],
      [
        [1, 9],
        [3, 2],
      ],
    ]);
  });

  it("fail with their own request only", async () => {
    const { commits, nth } = open();
    const first = commits.commit(0, 1);
    const refused = expect(first).rejects.toThrow("away");
    const one = await nth(0);
    const second = commits.commit(0, 2);
    one.answer.reject(new Error("away"));
    await refused;
    (await nth(1)).answer.resolve();
    await second;
  });
});
