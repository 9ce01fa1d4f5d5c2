#!/usr/bin/env python3
"""Ten thousand reminders that are due within a minute: all go out in it, and a stranger's GET hardly notices.

    Tests/Push/crowd.py .build/release/kanbase

Each check prints a line; the exit code is the number of those that failed. The stand-in takes part of the machine, at the lowest
priority.
"""
import http.client, os, sys, time, uuid
from datetime import datetime, timedelta, timezone
from statistics import median
from urllib.parse import urlsplit

import services
from services import PushService, Stage, check, until

COUNT, SECONDS = 10_000, 60


def main():
    stage = Stage(sys.argv[1])
    server = stage.start()
    os.nice(19)
    server.call("PUT", f"/devices/{uuid.uuid4()}", stage.subscription(f"https://{stage.place}/send/x"))
    task = server.call("POST", "/tasks", {"title": "x"})[1]
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc)

    def look(seconds):
        times, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.perf_counter()
            connection.request("GET", f"/tasks/{task['id']}")
            connection.getresponse().read()
            times.append(time.perf_counter() - began)
            # The pace: the looks must not be a load themselves.
            time.sleep(0.01)
        return median(times)

    first = datetime.now(timezone.utc) + timedelta(seconds=20)
    for start in range(0, COUNT, 500):
        due = [(first + timedelta(seconds=SECONDS * number / COUNT)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z" for number in range(start, start + 500)]
        server.call("POST", "/sync", {"mutations": [
            {"mutationId": str(uuid.uuid4()), "type": "task", "op": "create", "id": str(uuid.uuid4()), "value": {"title": "x", "dueDate": at}}
            for at in due]})
    alone = look(3)
    until(lambda: datetime.now(timezone.utc) > first, 30)
    beside = look(SECONDS - 5)
    late = until(lambda: len(PushService.taken) >= COUNT, 15)
    ended = (datetime.now(timezone.utc) - first).total_seconds()
    check(f"all of {COUNT} arrive, {ended:.0f} s after the first was due", late and ended <= SECONDS + 10)
    identifiers = [message["notificationId"] for message in stage.messages()]
    check("each once", len(identifiers) == len(set(identifiers)) == COUNT)
    check(f"a GET takes {beside * 1e6:.0f} us beside them, {alone * 1e6:.0f} alone", beside <= 1.5 * alone)
    server.process.terminate()
    check("the server stops", server.process.wait(20) == 0)
    sys.exit(services.failures)


main()
