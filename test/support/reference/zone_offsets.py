"""Writes zone-offsets.json: by how much the clocks of some zones are ahead of UTC, and since when.

Run as `python3 test/support/reference/zone_offsets.py`, then `npm run fix`; standard library only. It asks Python's own zoneinfo, which
reads the compiled zone files of the system, so that the reference shares neither code nor data with what the service
asks (Intl of Node, in the end).
"""

import datetime
import json
import pathlib
import zoneinfo

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
]
FROM = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
TO = datetime.datetime(2032, 1, 1, tzinfo=datetime.timezone.utc)
MINUTE = datetime.timedelta(minutes=1)
HOUR = datetime.timedelta(hours=1)


def minutes_ahead(zone, moment):
    return int(moment.astimezone(zone).utcoffset().total_seconds()) // 60


def change_between(zone, early, late):
    """The first minute after `early` with another offset; `late` has one."""
    before = minutes_ahead(zone, early)
    while minutes_ahead(zone, early) == before and early < late:
        early += MINUTE
    return early


def offsets(name):
    zone = zoneinfo.ZoneInfo(name)
    found = [[int(FROM.timestamp() * 1000), minutes_ahead(zone, FROM)]]
    hour = FROM
    while hour < TO:
        if minutes_ahead(zone, hour + HOUR) != found[-1][1]:
            change = change_between(zone, hour, hour + HOUR)
            found.append([int(change.timestamp() * 1000), minutes_ahead(zone, change)])
        hour += HOUR
    return found


def main():
    lines = [f'  "{name}": {json.dumps(offsets(name))}' for name in ZONES]
    path = pathlib.Path(__file__).with_name("zone-offsets.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
