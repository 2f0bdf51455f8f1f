import {
  AssignerProtocol,
  type GroupMember,
  type GroupMemberAssignment,
  type PartitionAssigner,
} from "kafkajs";
import { z } from "zod";
import { type Sharer, share } from "./sharing.ts";

const NAME = "signal-cooperative";
const VERSION = 1;
const { MemberAssignment, MemberMetadata } = AssignerProtocol;

/** What a member says of itself when it joins: which partitions it still has, under which id it was given them. */
const Claim = z.object({ memberId: z.string(), owned: z.array(z.int()) });
export type Claim = z.infer<typeof Claim>;

/** A claim counts for the life that it was made in: whoever was thrown out has a new id, and owns nothing. */
const ownedBy = (memberId: string, userData: Buffer): readonly number[] => {
  try {
    const claim = Claim.parse(JSON.parse(userData.toString()));
    return claim.memberId === memberId ? claim.owned : [];
  } catch {
    return [];
  }
};

const sharersByTopic = (members: readonly GroupMember[]): ReadonlyMap<string, Sharer[]> => {
  const byTopic = new Map<string, Sharer[]>();
  for (const { memberId, memberMetadata } of members) {
    const said = MemberMetadata.decode(memberMetadata);
    // Each of our members reads one topic; those of a group may read different ones.
    for (const topic of said?.topics ?? []) {
      const sharers = byTopic.get(topic) ?? [];
      sharers.push({ memberId, owned: ownedBy(memberId, said?.userData ?? Buffer.alloc(0)) });
      byTopic.set(topic, sharers);
    }
  }
  return byTopic;
};

/** Shares the partitions of each topic among the members that read it; `count`: how many a topic has. */
export const assign = (
  members: readonly GroupMember[],
  count: (topic: string) => number,
): GroupMemberAssignment[] => {
  const assignments = new Map<string, Record<string, number[]>>(
    members.map(({ memberId }) => [memberId, {}]),
  );
  for (const [topic, sharers] of sharersByTopic(members))
    for (const [memberId, partitions] of share(sharers, count(topic))) {
      const assignment = assignments.get(memberId);
      if (assignment !== undefined) assignment[topic] = partitions;
    }
  return [...assignments].map(([memberId, assignment]) => ({
    memberId,
    memberAssignment: MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) }),
  }));
};

/** See `share`. `claim` is asked at each joining. */
export const cooperative =
  (claim: () => Claim, count: (topic: string) => number): PartitionAssigner =>
  () => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => {
      const userData = Buffer.from(JSON.stringify(claim()));
      return { name: NAME, metadata: MemberMetadata.encode({ version: VERSION, topics, userData }) };
    },
    assign: async ({ members }) => assign(members, count),
  });
