/** What each version brought, the newest first; a test holds it to be the one of package.json. */
export const CHANGES: readonly { readonly version: string; readonly brought: readonly string[] }[] = [
  {
    version: "0.1.0",
    brought: [
      "Readings of WebSocket and HTTP feeds, LoRaWAN, pushes and simulators, each accepted once it is durable.",
      "Rules on strength, quality, change and silence, with levels, schedules, backtests and silences.",
      "Events on a live stream, by signed webhooks and by e-mail; each exactly once in the history.",
      "Signals analysed, with recommendations that can be tried first.",
      "People, second factors, teams, API keys, OAuth and an audit log.",
      "This dashboard.",
    ],
  },
];
