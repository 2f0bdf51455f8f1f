import { BacktestAnswer, BacktestRequest } from "../../../schemas/backtest.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { whenGone } from "../gone.ts";
import type { Parts } from "../parts.ts";

export const backtestRoute = (app: App, { backtests, onceBeside }: Parts): void => {
  app.post(
    "/v1/alerts/rules/backtest",
    {
      config: { access: "read" },
      schema: { body: BacktestRequest, response: answers({ 200: BacktestAnswer }) },
    },
    (request, reply) => {
      const gone = whenGone(reply);
      return onceBeside(request, reply, async () => ({
        status: 200,
        body: await backtests.run(callerOf(request).accountId, request.body, gone),
      }));
    },
  );
};
