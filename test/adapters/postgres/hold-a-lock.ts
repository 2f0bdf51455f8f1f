import { openTestControl } from "../../support/postgres.ts";

/** A process that holds a name, and says so; told by its parent when it was lost. */
const [url = "", name = ""] = process.argv.slice(2);
const { locks } = await openTestControl({ url });
const lock = await locks.tryLock(name);
lock?.lost.addEventListener("abort", () => process.stdout.write("lost\n"));
process.stdout.write(lock === null ? "refused\n" : "held\n");
