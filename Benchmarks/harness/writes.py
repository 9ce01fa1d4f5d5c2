"""Durable writes, beside Node and FastAPI. Each function is a row or a few."""

import json
import os
import signal

from . import machine
from .load import Contest, Requests
from .report import all_answered, most_bars, ratio_bars
from .run import task_target, tasks_of
from .servers import FastAPI, Kanbase, Node


def writes(run):
    """Durable creations from many connections and from one, and reads mixed with edits."""
    kanbase, count = run.large, 100_000
    create = run.creates()
    node = Node("node, log", run.document(count), run.path("node.log"))
    fastapi = FastAPI(run.python, run.document(count), run.path("fastapi.db"))

    contest = run.contest({"kanbase": (kanbase, create), "node, log": (node, create), "fastapi": (fastapi, create)})
    rate = contest.median("kanbase", "rate")
    run.report.add("durable POST, 64 connections", contest.figures(), [
        ("≥ 20,000/s", f"{rate:,.0f}/s", rate >= 20_000), *ratio_bars(contest, "kanbase", "node, log", 1.5),
        *ratio_bars(contest, "kanbase", "fastapi", 8), all_answered(contest)])
    fastapi.stop()

    contest = run.contest({"kanbase": (kanbase, create)}, connections=1, threads=(1,))
    sync = machine.sync_milliseconds(run.directory)
    latency = contest.median("kanbase", "p50") / 1000
    run.report.add("durable POST, 1 connection", contest.figures() | {"one fdatasync, ms": round(sync, 3)}, [
        ("p50 ≤ one fdatasync + 0.25 ms", f"{latency:.3f} ms, {latency - sync:+.3f}", latency <= sync + 0.25),
        all_answered(contest)])

    paths = [task_target(number) for number in range(0, count, 10)]
    edit = json.dumps({"title": "Edited ########"})
    mixed = Requests(run.path("mixed"), (
        ("PATCH", path, "", edit) if number % 10 == 0 else ("GET", path, "", "")
        for number, path in enumerate(paths)))
    contest = run.contest({"kanbase": (kanbase, mixed), "node, log": (node, mixed)})
    run.report.add("90 % GET, 10 % PATCH, 64 connections", contest.figures(), [
        *ratio_bars(contest, "kanbase", "node, log", 2.5),
        *most_bars(contest, "kanbase", "node, log", "p99", 1, "Node's p99"), all_answered(contest)])
    node.stop()


def syncs(run):
    """fdatasync calls a write, counted by strace, in rounds of their own since that slows the server down."""
    create = run.creates()
    for connections, low, high in ((64, 0, 0.1), (1, 0.9, 1.3)):
        counts = run.path(f"strace-{connections}")
        strace = ["strace", "-f", "-c", "--seccomp-bpf", "-e", "trace=fdatasync,fsync", "-o", counts]
        kanbase = Kanbase(run.path(f"traced-{connections}"), under=strace)
        Contest({"kanbase": (kanbase, create)}, connections, 1, run.seconds, threads=run.busiest)
        writes = tasks_of(kanbase)
        for pid in machine.family(kanbase.pid)[1:]:
            os.kill(pid, signal.SIGTERM)
        kanbase.process.wait(30)
        calls = traced_calls(counts)
        quotient = calls / max(writes, 1)
        run.report.add(f"fdatasync a write, {connections} connections", {
            "writes": writes, "fdatasync and fsync": calls}, [
            (f"{low}–{high}" if low else f"≤ {high}", f"{quotient:.3f}", low <= quotient <= high)])


def traced_calls(path):
    """The calls in strace's summary: `% time  seconds  usecs/call  calls  [errors]  syscall`."""
    with open(path) as file:
        rows = [line.split() for line in file]
    return sum(int(row[3]) for row in rows if row and row[-1] in ("fdatasync", "fsync"))
