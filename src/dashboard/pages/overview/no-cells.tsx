import { useQuery } from "@tanstack/react-query";
import { signalsFound } from "../../api/queries.ts";
import { Empty } from "../../parts/empty.tsx";
import { NoSignals } from "../../parts/no-signals.tsx";
import { Soon } from "../../parts/soon.tsx";

/** In place of a wall without a cell: why there is none. */
export const NoCells = () => {
  const { data } = useQuery(signalsFound(""));
  if (data === undefined) return <Soon />;
  return data.signals.length === 0 ? <NoSignals /> : <Empty>Nothing is known of any signal yet.</Empty>;
};
