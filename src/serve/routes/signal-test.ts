import { SignalTestAnswer, SignalTestRequest } from "../../../schemas/signal.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";

const roundToMicroseconds = (ms: number): number => Math.round(ms * 1_000) / 1_000;

export const signalTestRoute = (app: App, { probes, onceBeside }: Parts): void => {
  app.post(
    "/v1/signals/test",
    {
      config: { access: "read" },
      schema: { body: SignalTestRequest, response: answers({ 200: SignalTestAnswer }) },
    },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { signalId, strength } = request.body;
        const { accountId } = callerOf(request);
        const { answer, latencyMs } = await probes.ask({ accountId, signalId, strength });
        const latency = roundToMicroseconds(latencyMs);
        return { status: 200, body: { status: "connected" as const, latency, signalId, ...answer } };
      }),
  );
};
