import { describe, expect, it } from "vitest";
import { OWN_TOPICS } from "../../src/adapters/kafka/topic-names.ts";
import { settingsOf } from "../../src/adapters/kafka/topic-settings.ts";
import { VARIABLES } from "../../src/config/config.ts";
import { EVALUATE_DEFAULTS } from "../../src/evaluate/settings.ts";
import { INGEST_DEFAULTS } from "../../src/ingest/settings.ts";
import { RECORD_DEFAULTS } from "../../src/record/settings.ts";
import { fileText, variablesIn } from "../support/deploy.ts";

const GUIDE = fileText("deploy/README.md");
const MIB = 2 ** 20;

describe("the guide", () => {
  it("names only settings that the program knows, or that its own files have", () => {
    const ofCompose = variablesIn("deploy/compose/.env.example");
    const named = [...GUIDE.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(
      ([, name = ""]) => name,
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !VARIABLES.has(name) && !ofCompose.has(name))).toEqual([]);
  });

  it("has every setting that the program knows in the tables of all settings", () => {
    const [, tables = ""] = /## All settings\n(.*?)\n### /s.exec(GUIDE) ?? [];
    const rows = [...tables.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) => cell.match(/\w+/g) ?? []);
    const ofFiles = [...VARIABLES].filter((name) => VARIABLES.has(`${name}_FILE`));
    expect(
      [...VARIABLES].filter((name) => !rows.includes(name) && !ofFiles.includes(name.replace(/_FILE$/, ""))),
    ).toEqual([]);
    const [, secrets = ""] = /Every secret \((.*?)\)/.exec(tables) ?? [];
    expect(secrets.match(/\w+/g)?.toSorted()).toEqual(ofFiles.toSorted());
  });

  it("tells of every topic and of every setting that a topic must have", () => {
    for (const topic of OWN_TOPICS) {
      expect(GUIDE).toContain(`\`${topic}\``);
      // What is only a beginning, and the operator's to change, is not wanted of anybody.
      for (const { name, value, wanted } of settingsOf(topic))
        if (wanted !== "") expect(GUIDE).toContain(`${name}=${value}`);
    }
  });

  it("tells the bounds of what waits as they are set", () => {
    const { bufferBytes } = RECORD_DEFAULTS;
    expect(GUIDE).toContain(`| ingest | up to ${INGEST_DEFAULTS.inflightBytesMax / MIB} MiB`);
    expect(GUIDE).toContain(`| record | up to ${bufferBytes / MIB} MiB`);
    expect(GUIDE).toContain(`every ${EVALUATE_DEFAULTS.snapshotEveryMs / 1_000} s of load`);
  });
});
