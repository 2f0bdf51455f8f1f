import { api } from "../../api/client.ts";
import type { Source } from "../../api/types.ts";

/** More than it has. */
const DEMO_MAX = 200;
const PREFIX = "demo-";

/** As the first start makes them: see src/declared/demo.ts. */
const RULE_NAME = "Demo: below −50 dBm";
export const isDemo = ({ type, name }: Source): boolean => type === "simulator" && name === "Demo";

/** All that the demo has made, but for its source: other rules that watch it are somebody's own. */
const removeWhatIsOf = async (sourceId: string): Promise<void> => {
  const { signals } = await api.get("/v1/signals", { params: { query: { q: PREFIX, limit: DEMO_MAX } } });
  const { rules } = await api.get("/v1/alerts/rules", { params: { query: { limit: DEMO_MAX } } });
  const gone = [
    ...rules
      .filter(({ name, select }) => name === RULE_NAME && select.sourceId === sourceId)
      .map(({ id }) => api.delete("/v1/alerts/rules/{id}", { params: { path: { id } } })),
    ...signals
      .filter((signal) => signal.sourceId === sourceId)
      .map(({ id }) => api.delete("/v1/signals/{id}", { params: { path: { id } } })),
  ];
  await Promise.all(gone);
};

/**
 * Takes the demo away. Its source is turned off at first, or its signals would come anew, and goes last: what fails on the
 * way can be done again.
 */
export const removeDemo = async ({ id }: Source): Promise<void> => {
  const params = { path: { id } };
  await api.patch("/v1/integrations/sources/{id}", { params, body: { enabled: false } });
  await removeWhatIsOf(id);
  await api.delete("/v1/integrations/sources/{id}", { params });
};
