import { fileText } from "./deploy.ts";

/** One line of a Containerfile, continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}
/** What stands between one FROM and the next. */
export interface Stage {
  readonly name: string | null;
  readonly image: string;
  readonly instructions: readonly Instruction[];
}

const instructionsOf = (path: string): Instruction[] =>
  fileText(path)
    .replaceAll(/^\s*#.*$/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", text = ""] = /^(\w+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { name, text };
    });

/** The stages of a Containerfile, with its global arguments put in. */
export const stagesOf = (path: string): Stage[] => {
  const defaults = new Map<string, string>();
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  for (const instruction of instructionsOf(path)) {
    const stage = stages.at(-1);
    if (instruction.name === "FROM") {
      const [, image = "", name = null] = /^(\S+)(?:\s+AS\s+(\S+))?$/.exec(instruction.text) ?? [];
      const given = image.replaceAll(/\$\{(\w+)\}/g, (_, argument: string) => defaults.get(argument) ?? "");
      stages.push({ name, image: given, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push(instruction);
    else {
      const [argument = "", value = ""] = instruction.text.split("=");
      defaults.set(argument, value);
    }
  }
  return stages;
};

/** Where COPY takes things from and where it puts them; `from` is the stage, or null for the build's own files. */
export const copiesOf = ({ instructions }: Stage) =>
  instructions
    .filter(({ name }) => name === "COPY")
    .map(({ text }) => {
      const words = text.split(/\s+/);
      const from = words[0]?.startsWith("--from=") ? words.shift()?.slice("--from=".length) : undefined;
      const target = words.pop() ?? "";
      return { from: from ?? null, sources: words, target };
    });
