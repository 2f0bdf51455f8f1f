/** A process that keeps an embedded engine on the directory of its argument, and says the pid of the child. */
import { openChdb } from "./chdb.ts";

const { chdb } = await openChdb(process.argv[2] ?? "");
process.stdout.write(`${chdb.pid()}\n`);
