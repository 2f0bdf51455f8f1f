import type { WebhookTried } from "../../api/types.ts";
import formStyle from "./forms.module.css";
import style from "./source.module.css";

/** What was sent to an endpoint, and what it answered. */
export const WebhookAnswered = ({ tried }: { tried: WebhookTried }) => {
  const { delivered, detail, durationMs, responseStatus, responseBody, request } = tried;
  return (
    <div role="status" className={formStyle.form}>
      <p>
        <strong>{delivered ? "● Delivered" : "✕ Not delivered"}</strong> in {Math.round(durationMs)} ms
        {responseStatus !== null && `, status ${responseStatus}`}. {detail}
      </p>
      {responseBody !== null && responseBody !== "" && (
        <details>
          <summary>What it answered</summary>
          <pre className={style.raw}>{responseBody}</pre>
        </details>
      )}
      <details>
        <summary>What was sent</summary>
        <pre className={style.raw}>
          {Object.entries(request.headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join("\n")}
          {"\n\n"}
          {request.body}
        </pre>
      </details>
    </div>
  );
};
