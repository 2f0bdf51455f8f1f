import { Problem } from "./problem.tsx";

export const Unreachable = ({ error, retry }: { error: unknown; retry: () => void }) => (
  <main style={{ maxWidth: "40rem", margin: "10vh auto", padding: "0 1rem" }}>
    <h1>The service does not answer</h1>
    <Problem error={error} retry={retry} />
  </main>
);
