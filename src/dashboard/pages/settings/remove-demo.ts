import { api } from "../../api/client.ts";
import type { Source } from "../../api/types.ts";

/** More than it has. */
const DEMO_MAX = 200;
const PREFIX = "demo-";

/** As the first start makes it: see src/declared/demo.ts. */
export const isDemo = ({ type, name }: Source): boolean => type === "simulator" && name === "Demo";

/** Takes the demo away: its source before its signals, which would come anew else, and the rule that watches them. */
export const removeDemo = async ({ id }: Source): Promise<void> => {
  const { signals } = await api.get("/v1/signals", { params: { query: { q: PREFIX, limit: DEMO_MAX } } });
  const { rules } = await api.get("/v1/alerts/rules", { params: { query: { limit: DEMO_MAX } } });
  await api.delete("/v1/integrations/sources/{id}", { params: { path: { id } } });
  const gone = [
    ...rules
      .filter(({ select }) => select.sourceId === id)
      .map((rule) => api.delete("/v1/alerts/rules/{id}", { params: { path: { id: rule.id } } })),
    ...signals
      .filter(({ sourceId }) => sourceId === id)
      .map((signal) => api.delete("/v1/signals/{id}", { params: { path: { id: signal.id } } })),
  ];
  await Promise.all(gone);
};
