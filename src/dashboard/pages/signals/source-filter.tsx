import { useQuery } from "@tanstack/react-query";
import { source } from "../../api/settings-queries.ts";
import { Button } from "../../parts/button.tsx";

/** The source whose signals are shown; it may be gone. */
export const SourceFilter = ({ id, remove }: { id: string; remove: () => void }) => {
  const { data } = useQuery({ ...source(id), throwOnError: false });
  const name = data?.source.name ?? id;
  return (
    <Button aria-label={`Do not filter by source ${name}`} onClick={remove}>
      Source: <bdi>{name}</bdi> <span aria-hidden="true">✕</span>
    </Button>
  );
};
