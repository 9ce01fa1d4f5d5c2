"""Reads the calendar of a running server with the icalendar package and compares it with the tasks and D-days.

    python Tests/API/calendar_check.py http://127.0.0.1:8080

The server must be empty and in open mode.
"""

import datetime
import json
import sys
import urllib.request
import zoneinfo

import icalendar

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

    text = call(address, "GET", "/calendar.ics")
    for line in text.split(b"\r\n"):
        assert len(line) <= 75 and b"\n" not in line and b"\r" not in line, line
        line.decode()
    calendar = icalendar.Calendar.from_ical(text)
    assert calendar["VERSION"] == "2.0" and calendar["PRODID"]
    todos = {str(todo["UID"]): todo for todo in calendar.walk("VTODO")}
    events = {str(event["UID"]): event for event in calendar.walk("VEVENT")}
    assert todos.keys() == tasks.keys() and events.keys() == ddays.keys()
    assert not calendar.errors and all(not part.errors for part in calendar.walk())

    for key, task in tasks.items():
        todo = todos[key]
        assert str(todo["SUMMARY"]) == as_kept(task["title"]), (task["title"], todo["SUMMARY"])
        assert str(todo.get("DESCRIPTION", "")) == as_kept(task["body"]), (task["body"], todo["DESCRIPTION"])
        if len(task["dueDate"]) == 10:
            due = datetime.date.fromisoformat(task["dueDate"])
            alarm = None if due.year in (1, 9999) else datetime.datetime.combine(due, datetime.time(9), SEOUL)
        else:
            due = datetime.datetime.fromisoformat(task["dueDate"]).replace(microsecond=0)
            alarm = due
        assert todo["DUE"].dt == due, (todo["DUE"].dt, due)
        assert todo["STATUS"] == {"todo": "NEEDS-ACTION", "doing": "IN-PROCESS", "done": "COMPLETED"}[task["status"]]
        assert ("COMPLETED" in todo) == (task["status"] == "done")
        assert todo["DTSTAMP"].dt.tzinfo is not None
        alarms = todo.walk("VALARM")
        assert len(alarms) == (task["status"] != "done")
        if alarms and alarm:
            assert alarms[0]["TRIGGER"].dt == alarm.astimezone(UTC), (alarms[0]["TRIGGER"].dt, alarm)
    for key, dday in ddays.items():
        event = events[key]
        assert event["DTSTART"].dt == datetime.date.fromisoformat(dday["date"])
        assert str(event["SUMMARY"]) == dday["title"]
        assert ("RRULE" in event) == (dday["repeats"] == "yearly")
        if "RRULE" in event:
            assert event["RRULE"]["FREQ"] == ["YEARLY"]
    print(f"{len(todos)} to-dos and {len(events)} events are as they should be")


main(sys.argv[1])
