/** What preset `default` calls the parts of a reading, the first that an element has counts. */
export const SIGNAL_NAMES = ["signalId", "externalId", "signal", "id", "deviceId"];
export const STRENGTH_NAMES = ["strength", "rssi", "dbm"];
export const TIME_NAMES = ["at", "ts", "time", "timestamp"];
