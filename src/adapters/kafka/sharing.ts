/** A member of a group, with the partitions that it has not let go of yet. */
export interface Sharer {
  readonly memberId: string;
  readonly owned: readonly number[];
}

/** Who may keep how much: as even as can be, and those who have most keep the odd ones. */
const quotas = (sharers: readonly Sharer[], partitions: number): Map<string, number> => {
  const each = Math.floor(partitions / sharers.length);
  const odd = partitions % sharers.length;
  const byOwned = sharers.toSorted(
    (a, b) => b.owned.length - a.owned.length || (a.memberId < b.memberId ? -1 : 1),
  );
  return new Map(byOwned.map(({ memberId }, i) => [memberId, each + (i < odd ? 1 : 0)]));
};

/** Partitions that belong to one member only, in the order of the members: the first to claim one has it. */
const claims = (sharers: readonly Sharer[], partitions: number): Map<number, string> => {
  const owner = new Map<number, string>();
  for (const { memberId, owned } of sharers)
    for (const partition of owned)
      if (partition >= 0 && partition < partitions && !owner.has(partition)) owner.set(partition, memberId);
  return owner;
};

/**
 * Shares partitions among members in two steps, so that nobody loses what it may keep and no partition has two owners
 * (the cooperative protocol of Kafka, KIP-429): a partition that has to move is given to nobody as long as its owner
 * has not let go of it. Once it has, it joins again, and the partition is free. Gives each member's partitions.
 */
export const share = (sharers: readonly Sharer[], partitions: number): ReadonlyMap<string, number[]> => {
  const shares = new Map<string, number[]>(sharers.map(({ memberId }) => [memberId, []]));
  if (sharers.length === 0) return shares;
  const quota = quotas(sharers, partitions);
  const left = (memberId: string) => (quota.get(memberId) ?? 0) - (shares.get(memberId)?.length ?? 0);
  const owner = claims(sharers, partitions);
  for (const [partition, memberId] of owner) if (left(memberId) > 0) shares.get(memberId)?.push(partition);
  for (let partition = 0; partition < partitions; partition++) {
    if (owner.has(partition)) continue;
    const needy = sharers.toSorted((a, b) => left(b.memberId) - left(a.memberId))[0];
    if (needy !== undefined) shares.get(needy.memberId)?.push(partition);
  }
  return shares;
};
