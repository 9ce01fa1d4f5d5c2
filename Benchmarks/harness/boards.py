"""Whole boards: what a screen shows of one, and one of another size. Each function is a row a kind of request."""

import json
import statistics
import time

from .load import Requests, latencies
from .report import all_answered
from .run import task_target


def screens(run):
    """10,000 tasks: each overview right after a write, and when nothing has changed."""
    kanbase = run.small
    plain = Requests.get(run.path("small-one"), [task_target(n) for n in range(10_000)])
    # A deadline of today runs by the second, and the answer that shows it with it: then something has changed.
    for task in kanbase.json("/today")["today"]:
        kanbase.call("POST", f"/tasks/{task['id']}/move", '{"status":"done"}', {"Content-Type": "application/json"})
    for target in ("/today", "/stats", "/board"):
        times = []
        for number in range(60):
            kanbase.call("PATCH", task_target(number), json.dumps({"title": f"now {time.time_ns()}"}),
                         {"Content-Type": "application/merge-patch+json"})
            times += latencies(1, lambda _: kanbase.get(target))
        tag = kanbase.get(target)[1]["ETag"]
        contest = run.contest({
            "plain GET": (kanbase, plain),
            "304": (kanbase, Requests(run.path("screen-304"), [("GET", target, tag, "")]))}, threads=run.busiest)
        p50 = statistics.median(times)
        ratio = contest.ratio("304", "plain GET")
        run.report.add(f"GET {target} of 10,000 tasks", contest.figures() | {"p50 after a write, ms": round(p50, 2)}, [
            ("≤ 3 ms p50 when not cached", f"{p50:.2f} ms", p50 <= 3),
            ("304: ≥ 0.8 × a plain GET", f"{ratio:.2f} ×", ratio >= 0.8), all_answered(contest, "304")])


def growth(run):
    """The same three requests to boards of different sizes."""
    create = run.creates()
    kinds = {
        # As many on each, so that they are equally much at hand.
        "GET": lambda count: Requests.get(run.path(f"grow-{count}"), [
            task_target(number) for number in range(0, count, count // 10_000)]),
        "page": lambda count: Requests.get(run.path(f"grow-page-{count}"), ["/tasks?limit=50"]),
        "POST": lambda count: create}
    for kind, requests in kinds.items():
        contest = run.contest({f"{count:,}": (server, requests(count)) for count, server in run.boards.items()},
                              threads=run.busiest)
        spread = max(contest.ratio(a, b) for a in contest.names for b in contest.names)
        run.report.add(f"growth: {kind}", contest.figures(), [
            ("within 1.3 × of each other", f"{spread:.2f} ×", spread <= 1.3)])
