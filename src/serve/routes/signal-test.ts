import { SignalTestAnswer, SignalTestRequest } from "../../../schemas/signal.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";

const roundToMicroseconds = (ms: number): number => Math.round(ms * 1_000) / 1_000;

export const signalTestRoute = (app: App, { probes }: Parts): void => {
  app.post(
    "/v1/signals/test",
    {
      config: { access: "read" },
      schema: { body: SignalTestRequest, response: answers({ 200: SignalTestAnswer }) },
    },
    async (request) => {
      const { signalId, strength } = request.body;
      const { accountId } = callerOf(request);
      const { answer, latencyMs } = await probes.ask({ accountId, signalId, strength });
      return { status: "connected" as const, latency: roundToMicroseconds(latencyMs), signalId, ...answer };
    },
  );
};
