/** What a sender sends: readings of so many signals, in turn, so many in a frame. */
export interface Feed {
  readonly signals: number;
  readonly readingsPerFrame: number;
  /** `default`: an array of `{"id","rssi"}` or, one a frame, the object alone; `ttn-v3`: an uplink, heard by so many gateways. */
  readonly shape: "default" | "ttn-v3";
}

/** So many readings are made, in rounds over all signals, each of other values. */
const READINGS_MADE = 20_000;
/** Of many signals, too: one strength for ever would be compressed to nothing. */
const ROUNDS_MIN = 4;
const BAD = -95;

/** From −40.0 to −48.9 dBm: above the limits of every rule that a bench makes. */
const goodStrength = (signal: number, round: number): number => -40 - ((signal * 7 + round * 13) % 90) / 10;

const padded = (number: number, digits: number) => String(number).padStart(digits, "0");
/** A signal's external id, as the service makes it of a frame. */
export const externalIdOf = (signal: number, { shape, readingsPerFrame }: Feed): string =>
  shape === "default"
    ? `bench-${padded(signal, 6)}`
    : `bench-${padded(Math.floor(signal / readingsPerFrame), 6)}/gateway-${padded(signal % readingsPerFrame, 2)}`;

interface Reading {
  readonly signal: number;
  readonly strength: number;
}

/** An uplink with all that The Things Stack sends along: of one gateway about 1.6 KB, as in captures of its traffic. */
const uplink = (readings: readonly Reading[], feed: Feed, at: string) => {
  const device = externalIdOf(readings[0]?.signal ?? 0, feed).split("/")[0];
  const lora = { bandwidth: 125_000, spreading_factor: 7, coding_rate: "4/5" };
  return {
    end_device_ids: {
      device_id: device,
      application_ids: { application_id: "bench-application" },
      dev_eui: "008000000000AB75",
      join_eui: "4BDAE911AF3174ED",
      dev_addr: "260CDFC0",
    },
    correlation_ids: [
      "as:up:01GJTMD8185V9TCMX47K1YJ0JN",
      "gs:conn:01GJH5DKJDAA2N5AASTGDJMFS8",
      "gs:up:host:01GJH5DKPTBVCMP115W6BTB3YR",
      "gs:uplink:01GJTMD7TVK7F7H6FTS6WR5AF3",
      "ns:uplink:01GJTMD7TWPYZ1QHAE2XYPDTJG",
      "rpc:/ttn.lorawan.v3.GsNs/HandleUplink:01GJTMD7TW60SWZ59Z1Y9PNVBC",
      "rpc:/ttn.lorawan.v3.NsAs/HandleUplink:01GJTMD817822X3S91BSWWB8KZ",
    ],
    received_at: at,
    uplink_message: {
      session_key_id: "AYS1RMybQFc4HhqbO8639A==",
      f_port: 1,
      f_cnt: 4711,
      frm_payload: "AQIDBAUGBwg=",
      rx_metadata: readings.map(({ signal, strength }) => ({
        gateway_ids: { gateway_id: externalIdOf(signal, feed).split("/")[1], eui: "008000000000B027" },
        time: at,
        timestamp: 4_176_866_020,
        rssi: strength,
        channel_rssi: strength,
        snr: 7.5,
        location: { latitude: -21.778841, longitude: -43.373362, altitude: 932, source: "SOURCE_REGISTRY" },
        uplink_token: "ChUKEwoHdWZqZi1ndxIIAIAAAAAAsCcQ5NXXxw8aCwjnv4mcBhDPn9B7IKCV9oTInkg=",
        channel_index: 6,
        received_at: at,
      })),
      settings: { data_rate: { lora }, frequency: "868100000", timestamp: 4_176_866_020, time: at },
      received_at: at,
      confirmed: true,
      consumed_airtime: "1.155072s",
      version_ids: {
        brand_id: "multi-tech",
        model_id: "multi-tech-xdot",
        hardware_version: "_unknown_hw_version_",
        firmware_version: "3.5.5",
        band_id: "EU_863_870",
      },
      network_ids: {
        net_id: "000013",
        tenant_id: "ttn",
        cluster_id: "eu1",
        cluster_address: "eu1.cloud.thethings.network",
      },
    },
  };
};

const textOf = (readings: readonly Reading[], feed: Feed): string => {
  if (feed.shape === "ttn-v3") return JSON.stringify(uplink(readings, feed, new Date().toISOString()));
  const simple = readings.map(({ signal, strength }) => ({
    id: externalIdOf(signal, feed),
    rssi: strength,
  }));
  return JSON.stringify(feed.readingsPerFrame === 1 ? simple[0] : simple);
};

/** A text frame as a server sends it, unmasked and whole (RFC 6455, section 5.2). */
const encoded = (text: string): Buffer => {
  const payload = Buffer.from(text);
  const length = payload.length;
  if (length < 126) return Buffer.concat([Uint8Array.of(0x81, length), payload]);
  if (length < 65_536) return Buffer.concat([Uint8Array.of(0x81, 126, length >> 8, length & 255), payload]);
  const header = Buffer.alloc(10);
  header.writeUInt16BE(0x817f);
  header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
};

/** The frame of some signals in a row from `first` on; of `bad`, a strength that fails it. */
export const frameOf = (feed: Feed, first: number, round: number, bad: number | null = null): Buffer => {
  const readings = Array.from({ length: feed.readingsPerFrame }, (_, i) => {
    const signal = first + i;
    return { signal, strength: signal === bad ? BAD : goodStrength(signal, round) };
  });
  return encoded(textOf(readings, feed));
};

/** Frames on end, and where each begins; the last of `starts` is the end. */
export interface MadeFrames {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
  /** How many make one round over all signals. */
  readonly perRound: number;
}

/** The frames of `signals` signals from `first` on, made before anything is measured. */
export const makeFrames = (feed: Feed, first: number, signals: number): MadeFrames => {
  const perRound = Math.floor(signals / feed.readingsPerFrame);
  const rounds = Math.max(ROUNDS_MIN, Math.floor(READINGS_MADE / signals));
  const frames = Array.from({ length: perRound * rounds }, (_, at) =>
    frameOf(feed, first + (at % perRound) * feed.readingsPerFrame, Math.floor(at / perRound)),
  );
  const starts = [0];
  for (const frame of frames) starts.push((starts.at(-1) ?? 0) + frame.length);
  return { bytes: Buffer.concat(frames), starts, perRound };
};
