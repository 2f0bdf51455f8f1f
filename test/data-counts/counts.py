"""Counts how often some alert rules fire on a real capture, and writes counts.json beside this file.

Run as `python3 test/data-counts/counts.py` (with `--print`: only prints it); Python 3 and its standard library only. It
shares nothing with the service: the rules are worded here once more, as the loops below. Only the counts are kept in the repository, never
the capture (its licence is non-commercial); see ../shared/data/README.md.
"""

import datetime
import json
import pathlib
import struct
import sys
import zoneinfo

HERE = pathlib.Path(__file__).resolve().parent
CAPTURE = HERE.parent.parent.parent / "shared" / "data" / "ttn-v3-walk.ndjson"
HIGHEST, LOWEST = 50.0, -200.0
HARDNESS = {None: -1, "info": 0, "warning": 1, "critical": 2}


def single(value):
    """As ClickHouse stores it: a 32-bit float."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def milliseconds(text):
    """Of an RFC 3339 time in UTC; what is finer is cut off."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole + "+00:00").timestamp()
    return int(seconds) * 1000 + int((fraction + "000")[:3])


def readings(path):
    """[(time in ms, dBm)] of every uplink, as the gateway that is named first heard it."""
    found = []
    for line in path.read_text().splitlines():
        message = json.loads(line)
        heard = message.get("uplink_message", {}).get("rx_metadata")
        if heard:
            found.append((milliseconds(message["received_at"]), heard[0]["rssi"]))
    return found


def below(limit, hysteresis=3.0):
    clear = min(limit + hysteresis, HIGHEST)
    return lambda x: (single(x) < single(limit), single(x) >= single(clear))


def above(limit, hysteresis=3.0):
    clear = max(limit - hysteresis, LOWEST)
    return lambda x: (single(x) > single(limit), single(x) <= single(clear))


def outside(low, high, hysteresis):
    under, over = below(low, hysteresis), above(high, hysteresis)

    def judge(x):
        return (under(x)[0] or over(x)[0], under(x)[1] and over(x)[1])

    return judge


def strengths(series):
    return [x for _, x in series]


def qualities(floor, ceiling):
    return lambda series: [min(1.0, max(0.0, (x - floor) / (ceiling - floor))) for _, x in series]


def movements(over_seconds, direction):
    """How far each reading is from the lowest and the highest of its own and the twelve steps before."""
    step = -(-over_seconds * 1000 // 12)

    def values(series):
        moved = []
        for i, (at, x) in enumerate(series):
            window = [y for t, y in series[: i + 1] if at // step - t // step <= 12]
            rise, fall = x - min(window), max(window) - x
            moved.append({"rise": rise, "fall": fall, "either": max(rise, fall)}[direction])
        return moved

    return values


def states(series, values, judge, for_ms, keep_ms, is_open):
    """For each reading, the states that the level takes: one after its time has passed, one after its value."""
    state, since, taken = "idle", None, []
    for (at, _), x in zip(series, values):
        if state == "pending" and at - since >= for_ms:
            state = "firing"
        elif state == "clearing" and at - since >= keep_ms:
            state = "idle"
        passed = state
        fires, clears = judge(x)
        if not is_open(at):
            state = "idle"
        elif state == "idle" and fires:
            state, since = ("pending", at) if for_ms else ("firing", None)
        elif state == "pending" and not fires:
            state = "idle"
        elif state == "firing" and clears:
            state, since = ("clearing", at) if keep_ms else ("idle", None)
        elif state == "clearing" and not clears:
            state = "firing"
        taken.append((passed, state))
    return taken


def count(series, levels, values=strengths, for_seconds=0, keep_seconds=0, is_open=lambda at: True):
    """levels: [(severity, judge)], mildest first."""
    taken = values(series)
    tracks = [
        (severity, states(series, taken, judge, for_seconds * 1000, keep_seconds * 1000, is_open))
        for severity, judge in levels
    ]
    now, firings, resolved, up, down = None, 0, 0, 0, 0
    for i in range(len(series)):
        for moment in (0, 1):
            held = [severity for severity, track in tracks if track[i][moment] in ("firing", "clearing")]
            before, now = now, (held[-1] if held else None)
            firings += before is None and now is not None
            resolved += before is not None and now is None
            up += before is not None and HARDNESS[now] > HARDNESS[before]
            down += now is not None and HARDNESS[now] < HARDNESS[before]
    return {"firings": firings, "resolved": resolved, "stepsUp": up, "stepsDown": down}


def hours(zone, begin, end):
    """Open between two times of day, the second not included."""
    clock = zoneinfo.ZoneInfo(zone)

    def is_open(at):
        shown = datetime.datetime.fromtimestamp(at / 1000, clock).strftime("%H:%M")
        return begin <= shown < end

    return is_open


def main():
    series = readings(CAPTURE)
    if series != sorted(series, key=lambda one: one[0]):
        sys.exit("the capture is not in order of its times: nothing here is for late readings")
    one = "warning"
    ladder = [("info", below(-95)), ("warning", below(-105)), ("critical", below(-115))]
    counts = {
        "below -100": count(series, [(one, below(-100))]),
        "above -90": count(series, [(one, above(-90))]),
        "outside -115 to -85, hysteresis 2": count(series, [(one, outside(-115, -85, 2.0))]),
        "change of 15 dB over 60 s": count(series, [(one, above(15, 3.0))], movements(60, "either")),
        "fall of 20 dB over 120 s, hysteresis 5": count(
            series, [(one, above(20, 5.0))], movements(120, "fall")
        ),
        "quality below 0.25 from -120 to -60": count(
            series, [(one, lambda x: (single(x) < single(0.25), single(x) >= single(0.3)))], qualities(-120, -60)
        ),
        "levels below -95, -105, -115": count(series, ladder),
        "levels with waits of 6 s and 9 s": count(series, ladder, for_seconds=6, keep_seconds=9),
        "below -100 for 5 s, kept for 15 s": count(
            series, [(one, below(-100))], for_seconds=5, keep_seconds=15
        ),
        "below the label's -105.5": count(series, [(one, below(-105.5))]),
        "below -100 from 16:00 to 16:20 in Sao Paulo": count(
            series, [(one, below(-100))], is_open=hours("America/Sao_Paulo", "16:00", "16:20")
        ),
    }
    answer = {
        "capture": CAPTURE.name,
        "readings": len(series),
        "firstAt": series[0][0],
        "lastAt": series[-1][0],
        "counts": counts,
    }
    text = json.dumps(answer, indent=2)
    if "--print" in sys.argv:
        print(text)
    else:
        (HERE / "counts.json").write_text(text + "\n")


main()
