import type { SourceTried } from "../../api/types.ts";
import style from "./source.module.css";

/** How connecting went: each step of the handshake, and why it ended. */
export const Tried = ({ tried }: { tried: SourceTried }) => {
  const { connected, reason, durationMs, handshake, messages } = tried;
  return (
    <div role="status">
      <p>
        <strong>{connected ? "● Connected" : "✕ Not connected"}</strong> after {Math.round(durationMs)} ms,{" "}
        {messages.length} {messages.length === 1 ? "message" : "messages"}.
      </p>
      {reason !== null && (
        <p>
          <bdi>{reason}</bdi>
        </p>
      )}
      {handshake.length > 0 && (
        <ol className={style.steps}>
          {handshake.map(({ step, expect, ok, came }) => (
            <li key={step}>
              {ok ? "●" : "✕"} Step {step}: {expect === null ? "sent" : `waits for ${expect}`}
              {came !== null && (
                <>
                  {" "}
                  – came <code>{came}</code>
                </>
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
};
