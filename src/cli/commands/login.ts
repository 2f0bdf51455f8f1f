import { type Command, Option } from "commander";
import { Scope } from "../../../schemas/api-key.ts";
import { tokensOf } from "../../client/tokens.ts";
import { serviceUrl } from "../connection.ts";
import { type Context, EXIT, type Exit, type Run, UsageError } from "../context.ts";
import { Credentials } from "../credentials.ts";
import { shown } from "../terminal.ts";

interface LoginOptions {
  readonly scope: readonly Scope[];
}

const scopeOption = new Option("--scope <scopes...>", "what it may do")
  .choices(Scope.options)
  .default(["read", "write"]);

const login = async (context: Context, { scope }: LoginOptions): Promise<Exit> => {
  const { terminal, environment, stop } = context;
  const url = serviceUrl(environment);
  const credentials = new Credentials(environment);
  const tokens = tokensOf(url);
  const device = await tokens.beginLogin(scope.join(" "), stop);
  terminal.note(`Open ${shown(device.address)} in a browser, and type the code`);
  terminal.note("");
  terminal.note(`  ${terminal.paint("bold", shown(device.userCode))}`);
  terminal.note("");
  terminal.note(`or open ${shown(device.completeAddress)}`);
  const granted = await tokens.finishLogin(device, stop);
  await credentials.change(url, async () => granted);
  await terminal.print(`Signed in to ${url}: ${shown(granted.scope)}`);
  if (environment.SIGNALS_API_KEY)
    terminal.note("SIGNALS_API_KEY is set, and is used instead as long as it is.");
  return EXIT.ok;
};

const logout = async ({ terminal, environment }: Context): Promise<Exit> => {
  const url = serviceUrl(environment);
  const credentials = new Credentials(environment);
  let wasIn = false;
  await credentials.change(url, async (before) => {
    if (before !== null) await tokensOf(url).revoke(before.refreshToken);
    wasIn = before !== null;
    return null;
  });
  if (!wasIn) throw new UsageError(`nobody is signed in to ${url}`, "There is nothing to do.");
  await terminal.print(`Signed out of ${url}`);
  return EXIT.ok;
};

export const addLogin = (program: Command, run: Run): void => {
  program
    .command("login")
    .description("sign in by a browser, here or elsewhere, in place of an API key")
    .addOption(scopeOption)
    .action((options: LoginOptions) => run((context) => login(context, options)));
  program
    .command("logout")
    .description("end what login began")
    .action(() => run(logout));
};
