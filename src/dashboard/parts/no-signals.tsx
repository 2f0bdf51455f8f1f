import type { ReactNode } from "react";
import { Empty } from "./empty.tsx";

export const NoSignals = ({ action }: { action?: ReactNode }) => (
  <Empty action={action}>There are no signals yet: they come with their first reading.</Empty>
);
