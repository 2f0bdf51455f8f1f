import { Problem } from "./problem.tsx";
import { Soon } from "./soon.tsx";

interface Asked {
  readonly data: unknown;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
}

/** In place of what is asked for, until it is there: that it comes, or why it does not. Beside it, why it is not renewed. */
export const Waiting = ({ of: { data, error, refetch }, lines }: { of: Asked; lines: number }) => {
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  return data === undefined ? <Soon lines={lines} /> : null;
};
