#!/usr/bin/env python3
"""Two servers over one PostgreSQL: one of them sends, and the other goes on when it is killed.

    Tests/Push/cluster.py .build/debug/kanbase

Each check prints a line; the exit code is the number of those that failed.
"""
import collections, pathlib, sys, time, uuid
from datetime import datetime, timedelta, timezone

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Cluster"))

import services
from postgres import Postgres
from services import PushService, Stage, check, until

COUNT = 60


def main():
    stage = Stage(sys.argv[1])
    postgres = Postgres("fsync=off")
    servers = []
    try:
        postgres.start()
        servers = [stage.start("--database", postgres.url) for _ in range(2)]
        check("a browser registers", servers[0].call(
            "PUT", f"/devices/{uuid.uuid4()}", stage.subscription(f"https://{stage.place}/send/x"))[0] == 201)
        # Two a second, beginning soon.
        first = datetime.now(timezone.utc) + timedelta(seconds=4)
        due = [(first + timedelta(seconds=number / 2)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z" for number in range(COUNT)]
        mutations = [{"mutationId": str(uuid.uuid4()), "type": "task", "op": "create", "id": str(uuid.uuid4()),
                      "value": {"title": "x", "dueDate": at}} for at in due]
        check("the tasks are made", servers[0].call("POST", "/sync", {"mutations": mutations})[0] == 200)
        until(lambda: len(PushService.taken) >= COUNT // 6, 30)
        check("reminders arrive", len(PushService.taken) >= COUNT // 6)
        # Nobody says which of them sends: both are killed, one after the other, and come back.
        for number in range(2):
            servers[number].kill()
            # While it is away, reminders come due that only the other can send.
            time.sleep(6)
            servers[number] = stage.start("--database", postgres.url)
        check("all arrive", until(lambda: len({m["taskId"] for m in stage.messages()}) == COUNT, 60))
        times = collections.Counter(message["taskId"] for message in stage.messages())
        # Those under way when a server dies may come again: four at a time.
        check(f"and each once, but for what was under way ({sum(times.values()) - COUNT} more)",
              sum(times.values()) - COUNT <= 8 and max(times.values()) <= 2)
        for server in servers:
            server.process.terminate()
        check("the servers stop", all(server.process.wait(20) == 0 for server in servers))
    finally:
        for server in servers:
            server.process.kill()
        postgres.stop("immediate")
        postgres.remove()
    if services.failures:
        print(open(f"{stage.room}/log").read()[-3000:])
    sys.exit(services.failures)


main()
