import { Empty } from "./empty.tsx";

export const NoSignals = () => <Empty>There are no signals yet: they come with their first reading.</Empty>;
