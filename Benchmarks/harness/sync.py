"""The change feed: pulled, pushed and live. Each function is a row."""

import json

from . import board
from .load import Requests
from .report import all_answered, ratio_bars
from .run import tasks_of
from .servers import FastAPI, Kanbase, Node
from .streams import fan_out


def pull(run):
    """Pages of 500 changes at the end of a feed of 100,000."""
    kanbase, count = run.large, 100_000
    node = Node("node", run.document(count))
    fastapi = FastAPI(run.python, run.document(count), run.path("fastapi-pull.db"))
    numbers = [f"/changes?since={number}&limit=500" for number in range(count - 10_500, count - 500, 500)]
    # Devices that were away for at most 10,000 changes.
    mine = Requests.get(run.path("pull"), feed(kanbase)[-21:-1])
    others = Requests.get(run.path("pull-others"), numbers)
    contest = run.contest({"kanbase": (kanbase, mine), "node": (node, others), "fastapi": (fastapi, others)})
    rate = contest.median("kanbase", "rate")
    run.report.add("pull of 500 changes, 64 connections", contest.figures(), [
        *ratio_bars(contest, "kanbase", "node", 5), *ratio_bars(contest, "kanbase", "fastapi", 5),
        ("≥ 2,500 pages/s", f"{rate:,.0f}/s", rate >= 2_500), all_answered(contest)])
    node.stop()
    fastapi.stop()


def push(run):
    """500 creations a request, from four clients."""
    values = [{name: task[name] for name in ("title", "body", "dueDate")} for task in board.tasks(500)]
    creates = [{"mutationId": "0199a3c4-6b1e-7c3a-9000-0000########", "type": "task", "op": "create",
                "id": "0199a3c4-6b1e-7c3a-a000-0000########", "value": value} for value in values]
    push = Requests(run.path("push"), [("POST", "/sync", "", board.as_json({"mutations": creates}))])
    kanbase = Kanbase(run.path("pushed"))
    contest = run.contest({"kanbase": (kanbase, push)}, connections=4, threads=run.busiest)
    rate = contest.median("kanbase", "rate") * 500
    created = tasks_of(kanbase)
    kanbase.stop()
    run.report.add("push of 500 creates a request, 4 connections", contest.figures() | {"created": created}, [
        ("≥ 25,000 tasks/s", f"{rate:,.0f}/s", rate >= 25_000), all_answered(contest)])


def streams(run):
    """1,000 live streams of one account while one client writes 100 times a second."""
    times, missing, memory, processor = fan_out(run.small, 1_000, 100, 5)
    deliveries, last = sorted(time for one in times for time in one), sorted(map(max, times))
    p99, p99_of_last = deliveries[len(deliveries) * 99 // 100], last[len(last) * 99 // 100]
    run.report.add("1,000 streams, 100 writes/s", {
        "p50 ms of a delivery": round(deliveries[len(deliveries) // 2], 1), "p99 ms": round(p99, 1),
        "p99 ms to the last stream": round(p99_of_last, 1),
        "KiB a stream": round(memory, 1), "server µs a delivery": round(processor, 1)}, [
        ("p99 ≤ 20 ms from the answer to a stream", f"{p99:.1f} ms", p99 <= 20),
        ("p99 ≤ 50 ms from the answer to the last stream", f"{p99_of_last:.1f} ms", p99_of_last <= 50),
        ("≤ 1 core-second for 10,000 deliveries", f"{processor / 100:.2f} s", processor <= 100),
        ("all delivered", f"{missing} missing", missing == 0),
        ("≤ 8 KiB a stream", f"{memory:.1f} KiB", memory <= 8)])


def feed(server):
    """The addresses of all pages of 500 of the change feed but the first."""
    targets, target = [], "/changes?limit=500"
    while True:
        page = server.json(target)
        if not page["hasMore"]:
            return targets
        target = f"/changes?limit=500&since={page['cursor']}"
        targets.append(target)
