"""Reads the calendar of a running server with the icalendar and vobject packages and compares it with the tasks and D-days.

    python Tests/API/calendar_check.py http://127.0.0.1:8080

The server must be empty and in open mode.
"""

import datetime
import json
import sys
import urllib.request
import zoneinfo

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
    print(f"{len(events)} events and {len(todos)} to-dos are as they should be")


main(sys.argv[1])
