import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useCallback, useRef } from "react";
import { signalsOf } from "../../api/settings-queries.ts";
import type { Signal } from "../../api/types.ts";
import { live, useLive } from "../../app/live.ts";
import { dbmText, qualityText } from "../../app/words.ts";
import { NEVER_MS } from "../../live/messages.ts";
import { Item, List } from "../../parts/list.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { Waiting } from "../../parts/waiting.tsx";

/** The newest value of a signal, which follows what comes, past React. */
const Newest = ({ signal: { id, strength, quality } }: { signal: Signal }) => {
  const element = useRef<HTMLSpanElement>(null);
  const draw = useCallback(() => {
    const place = live.placeOf(id);
    const { view } = live;
    const has = place !== null && view.at[place] !== NEVER_MS;
    const [dbm, share] = has ? [view.strength[place], view.quality[place]] : [strength, quality];
    const text = `${dbmText(dbm ?? null)} · ${qualityText(share ?? null)}`;
    if (element.current !== null && element.current.textContent !== text) element.current.textContent = text;
  }, [id, strength, quality]);
  useLive(draw);
  return <span ref={element} />;
};

/** What a source measures, live: the newest of the signals that it has made. */
export const SourceSignals = ({ sourceId }: { sourceId: string }) => {
  const { data, error, refetch } = useQuery(signalsOf(sourceId));
  return (
    <section aria-label="Its signals">
      <h2>Its signals</h2>
      <Waiting lines={3} of={{ data, error, refetch }} />
      {data?.signals.length === 0 && <p>It has made no signal yet: they come with their first reading.</p>}
      {data !== undefined && data.signals.length > 0 && (
        <List label="Its signals">
          {data.signals.map((signal) => (
            <Item
              key={signal.id}
              mark={<StatusMark status={signal.status} />}
              title={
                <Link to="/signals/$id" params={{ id: signal.id }}>
                  <bdi>{signal.name}</bdi>
                </Link>
              }
            >
              <Newest signal={signal} />
            </Item>
          ))}
        </List>
      )}
      {data?.hasMore && (
        <p>
          These are the newest.{" "}
          <Link to="/signals" search={{ source: sourceId }}>
            See all of its signals
          </Link>
        </p>
      )}
    </section>
  );
};
