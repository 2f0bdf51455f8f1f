import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fetchFirstMs } from "../../chart/history.ts";
import { SPANS, type Span } from "../../chart/range.ts";
import { spanHolding, TRIED_USUAL } from "./tried-span.ts";

/**
 * How far back a rule is tried: until somebody chooses, as far as the history of one of its signals goes; null while that
 * is not known. `signalId`: null where there is no signal, undefined while that is not known.
 */
export const useTriedSpan = (signalId: string | null | undefined, toMs: number) => {
  const [span, setSpan] = useState<Span | null>(null);
  const first = useQuery({
    queryKey: ["signals", "first", signalId, toMs],
    queryFn: () => fetchFirstMs(signalId ?? "", { fromMs: toMs - SPANS[TRIED_USUAL], toMs }),
    enabled: span === null && typeof signalId === "string",
  });
  // Once: it does not change under somebody who goes on to choose other signals.
  const firstMs = signalId === null ? null : first.data;
  if (span === null && firstMs !== undefined) setSpan(spanHolding(firstMs, toMs));
  else if (span === null && first.error !== null) setSpan(TRIED_USUAL);
  return [span, setSpan] as const;
};
