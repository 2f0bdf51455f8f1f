import type { SourceTried } from "../../api/types.ts";
import { visible } from "../../app/visible.ts";
import style from "./source.module.css";

/** More than these may have come. */
const SHOWN_MAX = 20;
const cameText = (count: number): string => {
  if (count >= SHOWN_MAX) return `; its first ${count} messages are below`;
  return `, ${count} ${count === 1 ? "message" : "messages"}`;
};

/** How connecting went: each step of the handshake, and why it ended. */
export const Tried = ({ tried }: { tried: SourceTried }) => {
  const { connected, reason, durationMs, handshake, messages } = tried;
  return (
    <div role="status">
      <p>
        <strong>{connected ? "● Connected" : "✕ Not connected"}</strong> after {Math.round(durationMs)} ms
        {cameText(messages.length)}.
      </p>
      {reason !== null && (
        <p>
          <bdi>{visible(reason)}</bdi>
        </p>
      )}
      {handshake.length > 0 && (
        <ol className={style.steps}>
          {handshake.map(({ step, expect, ok, came }) => (
            <li key={step}>
              {ok ? "●" : "✕"} Step {step}: {expect === null ? "sent" : `waits for ${expect}`}
              {came !== null && !reason?.includes(came) && (
                <>
                  {" "}
                  – came <code>{visible(came)}</code>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
};
