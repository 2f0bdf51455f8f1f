// The direction of imports: domain <- ports <- adapters <- compose <- workers. One rule per arrow.
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from },
  to: { path: "^(src|workers|schemas|bench|test)/", pathNot: allowed },
});
const worker = (folder, ...shared) =>
  only(
    `${folder}-sees-domain-and-ports`,
    `^src/${folder}/`,
    [`^src/${folder}/`, "^src/domain/", "^src/ports/", "^schemas/", ...shared],
    "A worker folder knows its own files, the domain, the ports and the schemas; never an adapter or another worker.",
  );
// What two workers do alike lives in a folder of its own, as pure of adapters as they are.
const SHARED = ["^src/intake/", "^src/sources/", "^src/outgoing/"];
// What serve does for people, apart from how a browser asks for it.
const ACCESS = "^src/access/";

module.exports = {
  forbidden: [
    {
      name: "no-circular",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-unresolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "not-to-dev-dependencies",
      comment: "What runs in production must be in dependencies.",
      severity: "error",
      // Examples are for other people's programs.
      from: { path: "^(src|workers|schemas)/", pathNot: "^src/(receiver/examples|dashboard)/" },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg"] },
    },
    only(
      "schemas-see-nothing",
      "^schemas/",
      ["^schemas/"],
      "Schemas are the words; they import only each other.",
    ),
    only("domain-sees-schemas", "^src/domain/", ["^src/domain/", "^schemas/"], "The domain is pure."),
    {
      name: "domain-is-pure",
      comment: "No I/O in the domain: the only Node module it may use is crypto (hashes).",
      severity: "error",
      from: { path: "^src/domain/" },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
    },
    only(
      "ports-see-domain",
      "^src/ports/",
      ["^src/ports/", "^src/domain/", "^schemas/"],
      "Ports are promises.",
    ),
    only(
      "adapters-see-ports",
      "^src/adapters/",
      ["^src/adapters/", "^src/ports/", "^src/domain/", "^schemas/"],
      "Adapters keep the promises of ports.",
    ),
    only(
      "telemetry-sees-ports",
      "^src/telemetry/",
      ["^src/telemetry/", "^src/ports/", "^src/domain/"],
      "Telemetry is an adapter.",
    ),
    only(
      "declared-sees-schemas",
      "^src/declared/",
      ["^src/declared/", "^src/domain/(field-problems|webhooks/settings-problem)\\.ts$", "^schemas/"],
      "What a configuration file wants and what it takes, for the command line and the start alike: neither API nor store.",
    ),
    only(
      "config-sees-schemas",
      "^src/config/",
      ["^src/config/", "^src/declared/", "^src/domain/", "^src/outgoing/webhook-address\\.ts$", "^schemas/"],
      "Configuration is parsed once, CONFIG_FILE with it: its webhooks' addresses are judged as the API does.",
    ),
    ...["evaluate", "record"].map((folder) => worker(folder)),
    worker("deliver", "^src/outgoing/"),
    worker("ingest", ...SHARED),
    worker("serve", ...SHARED, ACCESS),
    worker("access"),
    only(
      "intake-sees-domain-and-ports",
      "^src/intake/",
      ["^src/intake/", "^src/domain/", "^src/ports/", "^schemas/"],
      "From a message to a durable block, whoever received it.",
    ),
    only(
      "sources-see-domain-and-ports",
      "^src/sources/",
      ["^src/sources/", "^src/outgoing/", "^src/domain/", "^src/ports/", "^schemas/"],
      "How each kind of source is connected to, whoever takes what it sends.",
    ),
    only(
      "outgoing-sees-domain-and-ports",
      "^src/outgoing/",
      ["^src/outgoing/", "^src/domain/", "^src/ports/", "^schemas/"],
      "Calls that leave this process, whoever makes them, and the addresses that they may go to.",
    ),
    only(
      "client-sees-schemas",
      "^src/client/",
      ["^src/client/", "^schemas/", "^src/domain/(backoff|retry-after)\\.ts$", "^src/ports/clock\\.ts$"],
      "The client knows only the contract, and how this service waits.",
    ),
    only(
      "cli-sees-client",
      "^src/cli/",
      ["^src/cli/", "^src/client/", "^src/declared/", "^schemas/"],
      "A thin user of the client, and of what a configuration file says.",
    ),
    only(
      "dashboard-sees-client",
      "^src/dashboard/",
      [
        "^src/dashboard/",
        "^src/client/",
        "^src/domain/mapping/",
        "^src/domain/evaluation/selector\\.ts$",
        "^src/domain/webhooks/(event-body|match|plain-headers)\\.ts$",
        "^schemas/",
      ],
      "A user of the client; what a source's messages come to, which rules look at a signal, and what webhooks are sent, it shows by the very code that does it.",
    ),
    only("receiver-sees-domain", "^src/receiver/", ["^src/receiver/", "^src/domain/"], "Given to users."),
    only("compose-sees-src", "^src/compose/", ["^src/", "^schemas/"], "Compose wires."),
    only(
      "workers-see-compose",
      "^workers/",
      ["^workers/", "^src/compose/", "^src/config/"],
      "Entry points are a few lines.",
    ),
    {
      name: "nobody-imports-entry-points",
      severity: "error",
      from: { path: "^(src|schemas)/" },
      to: { path: "^(workers|bench|test)/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/dashboard/dist(-new)?/" },
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    parser: "swc",
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js", ".mjs", ".cjs", ".json"],
      conditionNames: ["import", "node", "default"],
      exportsFields: ["exports"],
    },
  },
};
