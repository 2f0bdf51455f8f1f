/**
 * Bodies as LoRaWAN network servers push them, made after their documentation: the uplink of one device as two gateways
 * heard it, and messages that carry no signal at all.
 */

/** https://www.thethingsindustries.com/docs/integrations/data-formats/ */
export const thingsStackUplink = {
  end_device_ids: {
    device_id: "water-meter-17",
    application_ids: { application_id: "meters" },
    dev_eui: "70B3D57ED0061234",
    join_eui: "0000000000000000",
    dev_addr: "260B5678",
  },
  correlation_ids: ["as:up:01HZZZZZZZZZZZZZZZZZZZZZZZ", "gs:uplink:01HZZZZZZZZZZZZZZZZZZZZZZY"],
  received_at: "2026-01-31T09:30:00.123456789Z",
  uplink_message: {
    session_key_id: "AX8yKk8n3Q==",
    f_port: 2,
    f_cnt: 4711,
    frm_payload: "AQIDBA==",
    decoded_payload: { litres: 1234.5 },
    rx_metadata: [
      {
        gateway_ids: { gateway_id: "town-hall", eui: "A84041FFFF000001" },
        time: "2026-01-31T09:29:59.9Z",
        timestamp: 2463457000,
        rssi: -97,
        channel_rssi: -97,
        snr: 4.2,
        location: { latitude: 47, longitude: 8, altitude: 430, source: "SOURCE_REGISTRY" },
        uplink_token: "CiIKIAoU",
        channel_index: 3,
        received_at: "2026-01-31T09:29:59.95Z",
      },
      {
        gateway_ids: { gateway_id: "water-tower", eui: "A84041FFFF000002" },
        timestamp: 1463457000,
        rssi: -113,
        channel_rssi: -113,
        snr: -6.5,
        uplink_token: "CiIKIAoV",
        received_at: "2026-01-31T09:29:59.96Z",
      },
    ],
    settings: {
      data_rate: { lora: { bandwidth: 125000, spreading_factor: 9, coding_rate: "4/5" } },
      frequency: "868300000",
      timestamp: 2463457000,
    },
    received_at: "2026-01-31T09:29:59.98Z",
    consumed_airtime: "0.205824s",
    network_ids: { net_id: "000013", tenant_id: "ttn", cluster_id: "eu1" },
  },
};

export const thingsStackJoin = {
  end_device_ids: thingsStackUplink.end_device_ids,
  correlation_ids: ["as:up:01HZZZZZZZZZZZZZZZZZZZZZZX"],
  received_at: "2026-01-31T09:20:00Z",
  join_accept: { session_key_id: "AX8yKk8n3Q==", received_at: "2026-01-31T09:19:59Z" },
};

/** A walk as one device might have taken it, a message a second: a join, and uplinks that one gateway heard, or both. */
export const madeWalk = (uplinks: number): object[] => {
  const [near, far] = thingsStackUplink.uplink_message.rx_metadata;
  const uplink = (n: number) => {
    const heard = [
      { ...near, rssi: -60 - (n % 60) },
      ...(n % 3 === 0 ? [{ ...far, rssi: -90 - (n % 35) }] : []),
    ];
    return {
      ...thingsStackUplink,
      received_at: new Date(Date.UTC(2026, 0, 31, 10, 0, n)).toISOString().replace("Z", "123456Z"),
      uplink_message: { ...thingsStackUplink.uplink_message, f_cnt: n, rx_metadata: heard },
    };
  };
  return [thingsStackJoin, ...Array.from({ length: uplinks }, (_, n) => uplink(n))];
};

const deviceInfo = {
  tenantId: "0b2f1c4e-0000-4000-8000-000000000001",
  tenantName: "Works",
  applicationId: "0b2f1c4e-0000-4000-8000-000000000002",
  applicationName: "Meters",
  deviceProfileId: "0b2f1c4e-0000-4000-8000-000000000003",
  deviceProfileName: "Class A",
  deviceName: "meter 17",
  devEui: "70b3d57ed0061234",
  tags: { site: "north" },
};

/** https://www.chirpstack.io/docs/chirpstack/integrations/events.html, sent as `POST …?event=up` */
export const chirpStackUplink = {
  deduplicationId: "0b2f1c4e-0000-4000-8000-00000000000a",
  time: "2026-01-31T09:30:01.250+00:00",
  deviceInfo,
  devAddr: "01ab23cd",
  adr: true,
  dr: 3,
  fCnt: 4711,
  fPort: 2,
  confirmed: false,
  data: "AQIDBA==",
  object: { litres: 1234.5 },
  rxInfo: [
    {
      gatewayId: "0016c001f0000001",
      uplinkId: 2907412345,
      nsTime: "2026-01-31T09:30:01.2+00:00",
      rssi: -97,
      snr: 4.2,
      channel: 3,
      location: { latitude: 47, longitude: 8 },
      context: "EjRWeA==",
      metadata: { region_config_id: "eu868", region_common_name: "EU868" },
      crcStatus: "CRC_OK",
    },
    { gatewayId: "0016c001f0000002", uplinkId: 1907412345, rssi: -113, snr: -6.5, context: "EjRWeQ==" },
  ],
  txInfo: {
    frequency: 868300000,
    modulation: { lora: { bandwidth: 125000, spreadingFactor: 9, codeRate: "CR_4_5" } },
  },
};

/** `POST …?event=status` */
export const chirpStackStatus = {
  deduplicationId: "0b2f1c4e-0000-4000-8000-00000000000b",
  time: "2026-01-31T09:31:00+00:00",
  deviceInfo,
  margin: 12,
  externalPowerSource: false,
  batteryLevelUnavailable: false,
  batteryLevel: 75.6,
};
