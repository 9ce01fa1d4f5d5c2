"""The workloads, one function a row or a few, with the bars that the project has set itself."""

import json
import os
import signal
import statistics
import time

from . import board, machine
from .load import Contest, Requests, Writes, latencies
from .report import all_answered, ratio_bar
from .streams import fan_out
from .servers import FastAPI, Kanbase, Nginx, Node


class Bench:
    """The servers and files of one run."""

    def __init__(self, directory, report, rounds, seconds, python):
        self.directory, self.report, self.rounds, self.seconds = directory, report, rounds, seconds
        self.python = python

    def start(self, full):
        """Fills and starts the servers that most rows use, which are rows themselves."""
        self.boards = {count: self.open(count) for count in (10_000, 100_000) + ((1_000_000,) if full else ())}
        self.small, self.large = self.boards[10_000], self.boards[100_000]
        targets = {"task": task_target(50_000), "page": "/tasks?limit=50"}
        answers = {name: padded(self.board_of(name).get(target)) for name, target in targets.items()}
        answers["unchanged"] = (304, {name: answers["task"][1][name] for name in ("ETag", "Cache-Control")}, b"")
        self.nginx = Nginx(self.directory, answers)

    def board_of(self, name):
        return self.small if name == "page" else self.large

    def path(self, name):
        return os.path.join(self.directory, name)

    def contest(self, contenders, connections=64, beside=None):
        return Contest(contenders, connections, self.rounds, self.seconds, beside)

    def document(self, count):
        path = self.path(f"board-{count}.json")
        return path if os.path.exists(path) else board.write_document(path, count)

    # One task and its list

    def one_task(self):
        """100,000 tasks: read at random, from many connections and from two, and conditionally."""
        kanbase, count = self.large, 100_000
        targets = [task_target(number) for number in range(count)]
        requests = Requests.get(self.path("one"), targets)
        tags = [(target, kanbase.get(target)[1]["ETag"]) for target in targets[::100]]
        conditional = Requests(self.path("conditional"), (("GET", target, tag, "") for target, tag in tags))
        nginx = self.nginx
        node = Node("node", self.document(count))

        contest = self.contest({
            "kanbase": (kanbase, requests), "nginx": (nginx.at("task"), requests), "node": (node, requests)})
        cpu = contest.ratio("kanbase", "nginx", "cpu")
        tail = contest.ratio("kanbase", "nginx", "p99")
        self.report.add("GET one task, random over 100,000, 64 connections", contest.figures(), [
            ratio_bar(contest, "kanbase", "nginx", 0.85), ("≤ 1.5 × nginx's CPU a request", f"{cpu:.2f} ×", cpu <= 1.5),
            ratio_bar(contest, "kanbase", "node", 2), ("p99 ≤ nginx's", f"{tail:.2f} ×", tail <= 1),
            all_answered(contest)])
        memory = machine.resident(kanbase.pid)
        self.report.add("memory after that", mebibytes(memory), [
            ("≤ 96 MiB resident", f"{memory['all']:.1f} MiB", memory["all"] <= 96)])
        node.stop()

        contest = self.contest({"kanbase": (kanbase, requests), "nginx": (nginx.at("task"), requests)}, connections=2)
        self.report.add("the same, 2 connections", contest.figures(), [
            ratio_bar(contest, "kanbase", "nginx", 0.9), all_answered(contest)])

        contest = self.contest({"kanbase": (kanbase, conditional), "nginx": (nginx.at("unchanged"), conditional)})
        self.report.add("conditional GET answered 304", contest.figures(), [
            ratio_bar(contest, "kanbase", "nginx", 0.85), all_answered(contest)])

    def pages(self):
        """10,000 tasks: a page that stays the same, then random pages while the account is written to."""
        kanbase = self.small
        first = Requests.get(self.path("page"), ["/tasks?limit=50"])
        contest = self.contest({"kanbase": (kanbase, first), "nginx": (self.nginx.at("page"), first)})
        self.report.add("page of 50 tasks of 10,000, unchanged data", contest.figures(), [
            ratio_bar(contest, "kanbase", "nginx", 0.8), all_answered(contest)])

        node = Node("node", self.document(10_000))
        fastapi = FastAPI(self.python, self.document(10_000), self.path("fastapi-small.db"))
        targets = [task_target(number) for number in range(10_000)]
        contenders = {server.name: (server, Requests.get(self.path(f"pages-{server.name}"), walk(server)))
                      for server in (kanbase, node, fastapi)}
        contest = self.contest(contenders, beside=lambda server: Writes(server, targets))
        self.report.add("random pages of that list, 100 writes/s to the account", contest.figures(), [
            ratio_bar(contest, "kanbase", "node", 3), ratio_bar(contest, "kanbase", "fastapi", 5),
            all_answered(contest)])
        node.stop()
        fastapi.stop()

    # Writes

    def writes(self):
        """Durable creations from many connections and from one, and reads mixed with edits."""
        kanbase, count = self.large, 100_000
        create = Requests(self.path("create"), [("POST", "/tasks", "", json.dumps(
            {"title": "Write the report ########", "body": "Two pages", "dueDate": "2026-12-01"}))])
        node = Node("node, log", self.document(count), self.path("node.log"))
        fastapi = FastAPI(self.python, self.document(count), self.path("fastapi.db"))

        contest = self.contest({
            "kanbase": (kanbase, create), "node, log": (node, create), "fastapi": (fastapi, create)})
        rate = contest.median("kanbase", "rate")
        self.report.add("durable POST, 64 connections", contest.figures(), [
            ("≥ 20,000/s", f"{rate:,.0f}/s", rate >= 20_000), ratio_bar(contest, "kanbase", "node, log", 1.2),
            ratio_bar(contest, "kanbase", "fastapi", 8), all_answered(contest)])

        contest = self.contest({"kanbase": (kanbase, create)}, connections=1)
        sync = machine.sync_milliseconds(self.directory)
        latency = contest.median("kanbase", "p50") / 1000
        self.report.add("durable POST, 1 connection", contest.figures() | {"one fdatasync, ms": round(sync, 3)}, [
            ("p50 ≤ one fdatasync + 0.25 ms", f"{latency:.3f} ms, {latency - sync:+.3f}", latency <= sync + 0.25),
            all_answered(contest)])

        paths = [task_target(number) for number in range(0, count, 10)]
        edit = json.dumps({"title": "Edited ########"})
        mixed = Requests(self.path("mixed"), (
            ("PATCH", path, "", edit) if number % 10 == 0 else ("GET", path, "", "")
            for number, path in enumerate(paths)))
        contest = self.contest({"kanbase": (kanbase, mixed), "node, log": (node, mixed)})
        tail = contest.ratio("kanbase", "node, log", "p99")
        self.report.add("90 % GET, 10 % PATCH, 64 connections", contest.figures(), [
            ratio_bar(contest, "kanbase", "node, log", 2), ("p99 ≤ Node's", f"{tail:.2f} ×", tail <= 1),
            all_answered(contest)])
        node.stop()
        fastapi.stop()

    def syncs(self):
        """fdatasync calls a write, counted by strace, in rounds of their own since that slows the server down."""
        create = Requests(self.path("create-traced"), [("POST", "/tasks", "", json.dumps({"title": "T ########"}))])
        for connections, low, high in ((64, 0, 0.1), (1, 0.9, 1.3)):
            counts = self.path(f"strace-{connections}")
            strace = ["strace", "-f", "-c", "--seccomp-bpf", "-e", "trace=fdatasync,fsync", "-o", counts]
            kanbase = Kanbase(self.path(f"traced-{connections}"), under=strace)
            Contest({"kanbase": (kanbase, create)}, connections, 1, self.seconds)
            writes = tasks_of(kanbase)
            for pid in machine.family(kanbase.pid)[1:]:
                os.kill(pid, signal.SIGTERM)
            kanbase.process.wait(30)
            calls = traced_calls(counts)
            quotient = calls / max(writes, 1)
            self.report.add(f"fdatasync a write, {connections} connections", {
                "writes": writes, "fdatasync and fsync": calls}, [
                (f"{low}–{high}" if low else f"≤ {high}", f"{quotient:.3f}", low <= quotient <= high)])

    # Sync

    def pull(self):
        """Pages of 500 changes at the end of a feed of 100,000."""
        kanbase, count = self.large, 100_000
        node = Node("node", self.document(count))
        fastapi = FastAPI(self.python, self.document(count), self.path("fastapi-pull.db"))
        numbers = [f"/changes?since={number}&limit=500" for number in range(count - 10_500, count - 500, 500)]
        # Devices that were away for at most 10,000 changes.
        mine = Requests.get(self.path("pull"), feed(kanbase)[-21:-1])
        others = Requests.get(self.path("pull-others"), numbers)
        contest = self.contest({"kanbase": (kanbase, mine), "node": (node, others), "fastapi": (fastapi, others)})
        rate = contest.median("kanbase", "rate")
        self.report.add("pull of 500 changes, 64 connections", contest.figures(), [
            ratio_bar(contest, "kanbase", "node", 5), ratio_bar(contest, "kanbase", "fastapi", 5),
            ("≥ 2,500 pages/s", f"{rate:,.0f}/s", rate >= 2_500), all_answered(contest)])
        node.stop()
        fastapi.stop()

    def push(self):
        """500 creations a request, from four clients."""
        create = {"mutationId": "0199a3c4-6b1e-7c3a-9000-0000########", "type": "task", "op": "create",
                  "id": "0199a3c4-6b1e-7c3a-a000-0000########", "value": {"title": "Pushed", "body": "From a phone"}}
        push = Requests(self.path("push"), [("POST", "/sync", "", json.dumps({"mutations": [create] * 500}))])
        kanbase = Kanbase(self.path("pushed"))
        contest = self.contest({"kanbase": (kanbase, push)}, connections=4)
        rate = contest.median("kanbase", "rate") * 500
        created = tasks_of(kanbase)
        kanbase.stop()
        self.report.add("push of 500 creates a request, 4 connections", contest.figures() | {"created": created}, [
            ("≥ 25,000 tasks/s", f"{rate:,.0f}/s", rate >= 25_000), all_answered(contest)])

    def streams(self):
        """1,000 live streams of one account while one client writes 50 times a second."""
        times, missing, memory, processor = fan_out(self.small, 1_000, 50, 5)
        times.sort()
        p99 = times[len(times) * 99 // 100]
        self.report.add("1,000 streams, 50 writes/s", {
            "p50 ms to the last stream": round(times[len(times) // 2], 1), "p99 ms": round(p99, 1),
            "KiB a stream": round(memory, 1), "server µs a delivery": round(processor, 1)}, [
            ("p99 ≤ 50 ms from the answer to the last stream", f"{p99:.1f} ms", p99 <= 50),
            ("all delivered", f"{missing} missing", missing == 0),
            ("≤ 8 KiB a stream", f"{memory:.1f} KiB", memory <= 8)])

    # What a screen shows

    def screens(self):
        """10,000 tasks: each overview right after a write, and when nothing has changed."""
        kanbase = self.small
        plain = Requests.get(self.path("small-one"), [task_target(n) for n in range(10_000)])
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
            contest = self.contest({
                "plain GET": (kanbase, plain),
                "304": (kanbase, Requests(self.path("screen-304"), [("GET", target, tag, "")])),
                "unchanged": (kanbase, Requests.get(self.path("screen"), [target]))})
            p50 = statistics.median(times)
            self.report.add(f"GET {target} of 10,000 tasks", contest.figures() | {"p50 after a write, ms": round(p50, 2)}, [
                ("≤ 3 ms p50 when not cached", f"{p50:.2f} ms", p50 <= 3),
                ("304: ≥ 0.8 × a plain GET", f"{contest.ratio('304', 'plain GET'):.2f} ×",
                 contest.ratio("304", "plain GET") >= 0.8)])

    # Whole boards

    def open(self, count):
        """A server with so many tasks. For a large board, the import, the start and the export are rows."""
        data = self.path(f"data-{count}")
        took = Kanbase.load(data, self.document(count))
        machine.forget_pages([os.path.join(data, name) for name in os.listdir(data)])
        kanbase = Kanbase(data)
        if count < 100_000:
            return kanbase
        self.report.add(f"import of {count:,} tasks", {"seconds": round(took, 2)}, [
            ("≥ 30,000 tasks/s", f"{count / took:,.0f}/s", count / took >= 30_000)])
        memory = machine.resident(kanbase.pid)
        limit = 0.2 if count > 100_000 else 0.3
        self.report.add(f"cold start with {count:,} tasks", {
            "seconds to ready": round(kanbase.seconds_to_ready, 3)} | mebibytes(memory), [
            (f"≤ {limit} s to ready", f"{kanbase.seconds_to_ready:.3f} s", kanbase.seconds_to_ready <= limit),
            ("≤ 60 MiB resident", f"{memory['all']:.1f} MiB", memory["all"] <= 60)])
        began = time.perf_counter()
        size = kanbase.download("/export")
        took = time.perf_counter() - began
        extra = machine.resident(kanbase.pid)["own"] - memory["own"]
        self.report.add(f"export of {count:,} tasks", {"seconds": round(took, 2), "MiB": round(size / 2**20, 1)}, [
            ("≥ 100,000 tasks/s", f"{count / took:,.0f}/s", count / took >= 100_000),
            ("≤ 50 MiB of extra memory", f"{extra:.1f} MiB", extra <= 50)])
        return kanbase

    def growth(self):
        """The same three requests to boards of different sizes."""
        create = Requests(self.path("grow-create"), [("POST", "/tasks", "", json.dumps({"title": "Grow ########"}))])
        kinds = {
            "GET": lambda count: Requests.get(self.path(f"grow-{count}"), [
                task_target(number) for number in range(0, count, max(1, count // 10_000))]),
            "page": lambda count: Requests.get(self.path(f"grow-page-{count}"), ["/tasks?limit=50"]),
            "POST": lambda count: create}
        for kind, requests in kinds.items():
            contest = self.contest({f"{count:,}": (server, requests(count)) for count, server in self.boards.items()})
            names = list(contest.rounds)
            spread = max(contest.ratio(a, b) for a in names for b in names)
            self.report.add(f"growth: {kind}", contest.figures(), [
                ("within 1.3 × of each other", f"{spread:.2f} ×", spread <= 1.3)])


def padded(answer):
    """The answer with its request id stretched until nginx's head, which has fields of its own, is as long."""
    status, headers, body = answer
    ours = sum(len(name) + len(value) + 4 for name, value in headers.items())
    theirs = ours + len("Server: nginx\r\nConnection: keep-alive\r\n")
    headers = dict(headers)
    headers.pop("X-Content-Type-Options", None)
    theirs -= len("X-Content-Type-Options: nosniff\r\n")
    headers["X-Request-Id"] = "0" * max(1, len(headers["X-Request-Id"]) + ours - theirs)
    return status, headers, body


def walk(server):
    """The addresses of all pages of 50 of the list, in the form in which the server gives its cursors."""
    from urllib.parse import quote
    targets, cursor = [], None
    while True:
        target = "/tasks?limit=50" + (f"&cursor={quote(cursor)}" if cursor else "")
        targets.append(target)
        cursor = server.json(target)["nextCursor"]
        if cursor is None:
            return targets[:-1]


def feed(server):
    """The addresses of all pages of 500 of the change feed but the first."""
    targets, target = [], "/changes?limit=500"
    while True:
        page = server.json(target)
        if not page["hasMore"]:
            return targets
        target = f"/changes?limit=500&since={page['cursor']}"
        targets.append(target)


def mebibytes(memory):
    return {f"{name} MiB": round(value, 1) for name, value in memory.items()}


def tasks_of(server):
    return server.json("/stats")["total"]


def task_target(number):
    return f"/tasks/{board.task_id(number)}"


def traced_calls(path):
    """The calls in strace's summary: `% time  seconds  usecs/call  calls  [errors]  syscall`."""
    with open(path) as file:
        rows = [line.split() for line in file]
    return sum(int(row[3]) for row in rows if row and row[-1] in ("fdatasync", "fsync"))
