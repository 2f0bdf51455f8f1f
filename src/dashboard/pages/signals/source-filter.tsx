import { useQuery } from "@tanstack/react-query";
import { source } from "../../api/settings-queries.ts";
import { Chip } from "../../parts/chip.tsx";

/** The source whose signals are shown; it may be gone. */
export const SourceFilter = ({ id, remove }: { id: string; remove: () => void }) => {
  const { data } = useQuery({ ...source(id), throwOnError: false });
  const name = data?.source.name ?? id;
  return <Chip does={`Do not filter by source ${name}`} kind="Source" text={name} remove={remove} />;
};
