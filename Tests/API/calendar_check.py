"""Reads the calendar of a running server with the icalendar and vobject packages and compares it with the tasks and D-days.

    python Tests/API/calendar_check.py http://127.0.0.1:8080

The server must be empty and in open mode.
"""

import datetime
import itertools
import json
import sys
import urllib.parse
import urllib.request
import zoneinfo

import dateutil.rrule
import icalendar
import vobject

UTC = datetime.timezone.utc
SEOUL = zoneinfo.ZoneInfo("Asia/Seoul")
AWKWARD = [
    "회의, 장보기; 청소 \\ \"끝\"",
    "a:b;c=d,e\\n is no line end",
    "👨‍👩‍👧‍👦" * 25,
    "가" * 200,
    "é" * 90 + "e\u0301" * 50,
    " leading and trailing ",
    "BEGIN:VEVENT",
    "\u2028 a separator \u00a0 and \ufeff marks",
]
BODIES = ["", "one\ntwo\r\nthree\n\n", "tab\there", "x" * 1000, "\u0007bell"]


def call(address, method, path, body=None):
    request = urllib.request.Request(
        address + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def as_kept(text):
    """What of a text survives in a calendar: line ends are one kind, control characters are none."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(c for c in text if c in "\n\t" or not (ord(c) < 0x20 or ord(c) == 0x7F))


def read(text, component):
    """The components of this name by their UID, after both packages took the whole calendar without a complaint."""
    for line in text.split(b"\r\n"):
        assert len(line) <= 75 and b"\n" not in line and b"\r" not in line, line
        line.decode()
    calendar = icalendar.Calendar.from_ical(text)
    assert calendar["VERSION"] == "2.0" and calendar["PRODID"]
    assert not calendar.errors and all(not part.errors for part in calendar.walk())
    parts = {str(part["UID"]): part for part in calendar.walk(component)}

    other = vobject.readOne(text.decode())
    assert other.validate(raiseException=True)
    others = {part.uid.value: part for part in other.contents.get(component.lower(), [])}
    assert others.keys() == parts.keys()
    for key, part in parts.items():
        assert others[key].summary.value == str(part["SUMMARY"]), (others[key].summary.value, part["SUMMARY"])
        # vobject reads any date-time in UTC as one of its own zone.
        for name in {"DTSTART", "DTEND", "DUE"} & part.keys():
            assert others[key].contents[name.lower()][0].value == part[name].dt, (name, others[key], part)
    return parts


def due_and_alarm(task):
    if len(task["dueDate"]) == 10:
        due = datetime.date.fromisoformat(task["dueDate"])
        return due, None if due.year in (1, 9999) else datetime.datetime.combine(due, datetime.time(9), SEOUL)
    due = datetime.datetime.fromisoformat(task["dueDate"]).replace(microsecond=0)
    return due, due


def check_texts(part, title, body):
    assert str(part["SUMMARY"]) == title, (title, part["SUMMARY"])
    assert str(part.get("DESCRIPTION", "")) == body, (body, part["DESCRIPTION"])
    assert part["DTSTAMP"].dt.tzinfo is not None


def check_alarm(part, done, alarm):
    alarms = part.walk("VALARM")
    assert len(alarms) == (not done)
    if alarms and alarm:
        assert alarms[0]["TRIGGER"].dt == alarm.astimezone(UTC), (alarms[0]["TRIGGER"].dt, alarm)


# Each begins on a date of its rule: elsewhere RFC 5545 §3.8.5.3 leaves open what the dates are.
SERIES = [
    ("2026-12-01T23:30:00Z", "FREQ=DAILY", "America/New_York"),
    ("2026-12-04T00:30:00Z", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TH,SA;UNTIL=20280401", "America/New_York"),
    ("2027-01-30T21:00:00Z", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=30", "Pacific/Auckland"),
    ("2026-10-04T09:00:00Z", "FREQ=YEARLY;BYMONTH=3,10;BYDAY=1SU", "Europe/Berlin"),
    ("2026-12-07T00:00:00Z", "FREQ=WEEKLY;BYDAY=MO;UNTIL=20270301T000000Z", "Asia/Seoul"),
    ("2026-12-07T09:00:00Z", "FREQ=DAILY;COUNT=40", "UTC"),
    ("2026-12-07", "FREQ=WEEKLY;COUNT=12", "Asia/Seoul"),
    ("2026-12-07", "FREQ=DAILY;UNTIL=20261210T000000Z;SKIP=OMIT", "America/New_York"),
]


def check_series(address):
    """What a calendar makes of the rules is what the server makes of them, with the zones that the calendar describes."""
    tasks = {}
    for due, rule, zone in SERIES:
        task = json.loads(call(address, "POST", "/tasks", {
            "title": rule, "dueDate": due, "recurrence": {"rule": rule, "timeZone": zone}}))
        tasks[task["id"]] = (due, rule, zone)
    text = call(address, "GET", "/calendar.ics")
    calendar = icalendar.Calendar.from_ical(text)
    zones = {str(part["TZID"]): part.to_tz(lookup_tzid=False) for part in calendar.walk("VTIMEZONE")}
    assert zones.keys() == {zone for due, _, zone in SERIES if len(due) > 10} - {"UTC"}, zones
    for name, zone in zones.items():
        for day in range(0, 366 * 18):
            hour = datetime.datetime(2026, 12, 1, 12) + datetime.timedelta(days=day)
            assert hour.replace(tzinfo=zone).utcoffset() == zoneinfo.ZoneInfo(name).utcoffset(hour), (name, hour)
    events = read(text, "VEVENT")
    for key, (due, rule, zone) in tasks.items():
        start = events[key]["DTSTART"].dt
        is_day = not isinstance(start, datetime.datetime)
        # Relative, so that each occurrence rings: at nine in the morning of a day.
        rings = events[key].walk("VALARM")[0]["TRIGGER"].dt
        assert rings == datetime.timedelta(hours=9 if is_day else 0), (rule, rings)
        first = datetime.datetime.combine(start, datetime.time()) if is_day else start
        repeated = dateutil.rrule.rrulestr(events[key]["RRULE"].to_ical().decode(), dtstart=first)
        dates = [date.date().isoformat() if is_day else date.astimezone(UTC) for date in itertools.islice(repeated, 61)]
        wanted = json.loads(call(address, "GET", "/recurrence?" + urllib.parse.urlencode(
            {"rule": rule, "start": due, "timeZone": zone, "count": 60})))["items"]
        wanted = wanted if is_day else [datetime.datetime.fromisoformat(date) for date in wanted]
        # The first is the one that the task has.
        assert dates[1:] == wanted, (rule, dates, wanted)
    return len(tasks)


def main(address):
    call(address, "PATCH", "/settings", {"timeZone": "Asia/Seoul"})
    tasks, ddays = {}, {}
    for number, title in enumerate(AWKWARD * 3):
        due = ["2026-12-01", "2026-12-01T18:00:00.5+09:00", "0001-01-01", "9999-12-31"][number % 4]
        task = json.loads(call(address, "POST", "/tasks", {
            "title": title, "body": BODIES[number % len(BODIES)], "dueDate": due,
            "status": ["todo", "doing", "done"][number % 3], "categoryName": AWKWARD[number % 3][:50]}))
        tasks[task["id"]] = task
    call(address, "POST", "/tasks", {"title": "undated"})
    for title, date, repeats in [("생일, 🎂", "2000-02-29", "yearly"), ("once", "2026-11-23", "none")]:
        dday = json.loads(call(address, "POST", "/ddays", {"title": title, "date": date, "repeats": repeats}))
        ddays[dday["id"]] = dday

    events = read(call(address, "GET", "/calendar.ics"), "VEVENT")
    assert events.keys() == tasks.keys() | ddays.keys()
    for key, task in tasks.items():
        event, done = events[key], task["status"] == "done"
        check_texts(event, ("✓ " if done else "") + as_kept(task["title"]), as_kept(task["body"]))
        due, alarm = due_and_alarm(task)
        assert event["DTSTART"].dt == due, (event["DTSTART"].dt, due)
        if isinstance(due, datetime.datetime):
            assert event["DTEND"].dt - due == datetime.timedelta(minutes=30), event
        else:
            assert "DTEND" not in event and "DURATION" not in event, event
        assert str(event["TRANSP"]) == "TRANSPARENT" and "STATUS" not in event
        check_alarm(event, done, alarm)

    calendar = call(address, "GET", "/calendar.ics?as=todos")
    todos = read(calendar, "VTODO")
    assert todos.keys() == tasks.keys() and read(calendar, "VEVENT").keys() == ddays.keys()
    for key, task in tasks.items():
        todo, done = todos[key], task["status"] == "done"
        check_texts(todo, as_kept(task["title"]), as_kept(task["body"]))
        due, alarm = due_and_alarm(task)
        assert todo["DUE"].dt == due, (todo["DUE"].dt, due)
        assert todo["STATUS"] == {"todo": "NEEDS-ACTION", "doing": "IN-PROCESS", "done": "COMPLETED"}[task["status"]]
        assert ("COMPLETED" in todo) == done
        check_alarm(todo, done, alarm)
    for key, dday in ddays.items():
        event = events[key]
        assert event["DTSTART"].dt == datetime.date.fromisoformat(dday["date"])
        assert str(event["SUMMARY"]) == dday["title"]
        assert ("RRULE" in event) == (dday["repeats"] == "yearly")
        if "RRULE" in event:
            assert event["RRULE"]["FREQ"] == ["YEARLY"]
    series = check_series(address)
    print(f"{len(events)} events, {len(todos)} to-dos and {series} series are as they should be")


main(sys.argv[1])
