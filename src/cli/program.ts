import { Command, CommanderError } from "commander";
import { addAlerts } from "./commands/alerts.ts";
import { addConfig } from "./commands/config.ts";
import { addList } from "./commands/list.ts";
import { addLogin } from "./commands/login.ts";
import { addRule } from "./commands/rule.ts";
import { addSilence } from "./commands/silence.ts";
import { addSource } from "./commands/source.ts";
import { addTail } from "./commands/tail.ts";
import { type Context, EXIT, type Run } from "./context.ts";
import { tellFailure } from "./failure.ts";
import type { Writable } from "./terminal.ts";

const ENVIRONMENT = `
Examples:
  signals list --status failed
  signals tail --label site:north --only events
  signals source test gateway.yaml
  signals config diff signals.yaml

Environment:
  SIGNALS_URL      where the service is; http://127.0.0.1:8080 unless set
  SIGNALS_API_KEY  an API key of it: the service shows one at its first start; without, "signals login" signs you in
  NO_COLOR         no colours, whatever it is set to

"signals <command> --help" says more, also of "source test", "config diff" and "config apply".

Exit codes: 0 done; 1 the answer is no (a difference, a source that does not work); 2 it could not be done.`;

interface Streams {
  readonly out: Writable;
  readonly err: Writable;
}

const programOf = (run: Run, { out, err }: Streams): Command => {
  const program = new Command("signals")
    .description("Look at a Signal Optimization Service, and set it up.")
    .addHelpText("after", ENVIRONMENT)
    .configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) })
    .showHelpAfterError("(--help says more)")
    .exitOverride();
  addTail(program, run);
  addList(program, run);
  addAlerts(program, run);
  addSilence(program, run);
  addSource(program, run);
  addRule(program, run);
  addConfig(program, run);
  addLogin(program, run);
  for (const command of program.commands)
    for (const one of [command, ...command.commands]) one.copyInheritedSettings(program);
  return program;
};

/** Does what the arguments ask for; gives the exit code. */
export const runProgram = async (
  words: readonly string[],
  context: Context,
  streams: Streams,
): Promise<number> => {
  let exit: number = EXIT.ok;
  const run: Run = async (work) => {
    exit = await work(context);
  };
  try {
    await programOf(run, streams).parseAsync(words, { from: "user" });
    return exit;
  } catch (error) {
    if (context.stop.aborted) return EXIT.ok;
    // Commander has said what was wrong with the words.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.trouble;
    tellFailure(context.terminal, error);
    return EXIT.trouble;
  }
};
