/** The blocks of one partition that a part holds, by its directory's name. */
export interface PartBlocks {
  readonly partition: string;
  readonly first: number;
  readonly last: number;
}

/** `<partition>_<first block>_<last block>_<level>[_<mutation>]` (ClickHouse, src/Storages/MergeTree/MergeTreePartInfo.cpp). */
const PART_NAME = /^([A-Za-z0-9-]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/;

/** Null for what is no committed part: `detached`, `tmp_insert_…`, `deduplication_logs`. */
export const parsePartName = (name: string): PartBlocks | null => {
  const [, partition, first, last] = PART_NAME.exec(name) ?? [];
  if (partition === undefined) return null;
  return { partition, first: Number(first), last: Number(last) };
};

/** Whether a part is there, itself or what merges and mutations made of it. */
export type IsPresent = (part: PartBlocks) => boolean;

/** Looks among the parts that a table's directory names. */
export const presenceIn = (directoryNames: readonly string[]): IsPresent => {
  const parts = directoryNames.map(parsePartName).filter((part) => part !== null);
  const byPartition = Map.groupBy(parts, ({ partition }) => partition);
  return ({ partition, first, last }) =>
    byPartition.get(partition)?.some((part) => part.first <= first && last <= part.last) ?? false;
};
