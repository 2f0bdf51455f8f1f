import { describe, expect, it } from "vitest";
import { createSealer } from "../../../src/adapters/control/sealed.ts";
import { openSettings } from "../../../src/adapters/control/source-secrets.ts";
import { systemEntropy } from "../../../src/adapters/system/clock.ts";
import { aSource } from "../../conformance/control-store/examples.ts";

const sealer = createSealer(systemEntropy.bytes(32), systemEntropy);

describe("settings of a source that were stored before", () => {
  it("keep the subprotocols and the heartbeat that stand among what is open", () => {
    const settings = aSource({
      url: "wss://feed.example/signals?key=1",
      headers: { A: "1" },
      subprotocols: ["v1", "token"],
      handshake: [{ send: "login" }],
      heartbeat: { send: "ping" },
    });
    const open = {
      ...settings,
      url: "wss://feed.example/signals",
      headers: { A: "" },
      handshake: [{ send: "" }],
    };
    const secrets = { query: "?key=1", headers: { A: "1" }, sends: { 0: "login" } };
    const row = { settings: JSON.stringify(open), secrets: sealer.seal("src_a", JSON.stringify(secrets)) };
    expect(openSettings(sealer, "src_a", row)).toEqual(settings);
  });

  it.each([
    ["https://feed.example/signals#top", "", "https://feed.example/signals"],
    ["https://feed.example/signals", "?key=1#top", "https://feed.example/signals?key=1"],
    ["https://feed.example/signals#top", "?key=1", "https://feed.example/signals"],
  ])(
    "lose the fragment of %s%s, which was never sent and would be refused at a change",
    (url, query, now) => {
      const settings = aSource({ type: "http-poll", url: now });
      const row = {
        settings: JSON.stringify({ ...settings, url }),
        secrets: sealer.seal("src_a", JSON.stringify({ query, headers: {}, sends: {} })),
      };
      expect(openSettings(sealer, "src_a", row)).toEqual(settings);
    },
  );
});
