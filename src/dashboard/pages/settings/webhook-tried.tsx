import type { WebhookTried } from "../../api/types.ts";
import { Raw } from "../../parts/raw.tsx";
import formStyle from "./forms.module.css";

/** What was sent to an endpoint, and what it answered. */
export const WebhookAnswered = ({ tried }: { tried: WebhookTried }) => {
  const { delivered, detail, durationMs, responseStatus, responseBody, request } = tried;
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div role="status" className={formStyle.form}>
      <p>
        <strong>{delivered ? "● Delivered" : "✕ Not delivered"}</strong> in {Math.round(durationMs)} ms
        {responseStatus !== null && `, status ${responseStatus}`}. {detail}
      </p>
      {responseBody !== null && responseBody !== "" && (
        <details>
          <summary>What it answered</summary>
          <Raw what="What it answered" text={responseBody} />
        </details>
      )}
      <details>
        <summary>What was sent</summary>
        <Raw what="What was sent" text={`${headers.join("\n")}\n\n${request.body}`} />
      </details>
    </div>
  );
};
