/** What a sender sends: readings of so many signals, in turn, so many in a frame. */
export interface Feed {
  readonly signals: number;
  readonly readingsPerFrame: number;
  /** `default`: an array of `{"id","rssi"}` or, one a frame, the object alone; `ttn-v3`: an uplink, heard by so many gateways. */
  readonly shape: "default" | "ttn-v3";
}

/** So many rounds over all signals are made, each of other values, unless they are many. */
const READINGS_MADE = 20_000;
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

/** As an application of The Things Stack sends it, without what no reading is made of but the radio's own fields. */
const uplink = (readings: readonly Reading[], feed: Feed, at: string) => ({
  end_device_ids: { device_id: externalIdOf(readings[0]?.signal ?? 0, feed).split("/")[0] },
  received_at: at,
  uplink_message: {
    f_port: 1,
    f_cnt: 4711,
    frm_payload: "AQIDBAUGBwg=",
    rx_metadata: readings.map(({ signal, strength }) => ({
      gateway_ids: { gateway_id: externalIdOf(signal, feed).split("/")[1] },
      rssi: strength,
      channel_rssi: strength,
      snr: 7.5,
    })),
    settings: { data_rate: { lora: { bandwidth: 125_000, spreading_factor: 7 } }, frequency: "868100000" },
  },
});

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
  const rounds = Math.max(1, Math.floor(READINGS_MADE / signals));
  const frames = Array.from({ length: perRound * rounds }, (_, at) =>
    frameOf(feed, first + (at % perRound) * feed.readingsPerFrame, Math.floor(at / perRound)),
  );
  const starts = [0];
  for (const frame of frames) starts.push((starts.at(-1) ?? 0) + frame.length);
  return { bytes: Buffer.concat(frames), starts, perRound };
};
