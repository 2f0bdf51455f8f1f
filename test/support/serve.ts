import { afterAll, beforeAll } from "vitest";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "./serve-worker.ts";

export { openTestEngines, startTestServe, type TestEngines, type TestServe };

/** Engines and a serve worker for the tests of a file; ask for them only inside tests. */
export const sharedServe = (): { readonly engines: TestEngines; readonly serve: TestServe } => {
  let engines: TestEngines;
  let serve: TestServe;
  beforeAll(async () => {
    engines = await openTestEngines();
    serve = await startTestServe(engines);
  });
  afterAll(async () => {
    await serve.stop();
    await engines.close();
  });
  return {
    get engines() {
      return engines;
    },
    get serve() {
      return serve;
    },
  };
};
