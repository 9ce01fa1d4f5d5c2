"""The servers and files of one run of the bench, which its rows use."""

import os
import statistics
import time

from . import board, machine
from .load import Contest, Requests
from .servers import Kanbase, Nginx


class Run:
    def __init__(self, directory, report, rounds, seconds, python):
        self.directory, self.report, self.rounds, self.seconds = directory, report, rounds, seconds
        self.python = python
        # With how many threads wrk makes the load. More threads than it has processors would only wait for each other.
        self.threads = tuple(count for count in (1, 2) if count <= len(machine.load))

    def start(self, full):
        """Fills and starts the servers that most rows use, which are rows themselves."""
        self.boards = {count: self.open(count) for count in (10_000, 100_000) + ((1_000_000,) if full else ())}
        self.small, self.large = self.boards[10_000], self.boards[100_000]
        task = padded(self.large.get(task_target(board.average(range(0, 100_000, 100)))))
        self.nginx = Nginx(self.directory, {
            "task": task, "page": padded(self.small.get("/tasks?limit=50")),
            "unchanged": (304, {name: task[1][name] for name in ("ETag", "Cache-Control")}, b"")})

    def path(self, name):
        return os.path.join(self.directory, name)

    def contest(self, contenders, connections=64, beside=None, threads=None):
        """With each number of threads, for what is a ratio of an issue; with the most threads alone, give `busiest`."""
        return Contest(contenders, connections, self.rounds, self.seconds, beside, threads or self.threads)

    @property
    def busiest(self):
        return self.threads[-1:]

    def document(self, count):
        path = self.path(f"board-{count}.json")
        return path if os.path.exists(path) else board.write_document(path, count)

    def creates(self):
        """Requests that create a thousand realistic tasks, again and again."""
        bodies = ({name: task[name] for name in ("title", "body", "dueDate")} for task in board.tasks(1_000))
        return Requests(self.path("creates"), (("POST", "/tasks", "", board.as_json(body)) for body in bodies))

    def open(self, count):
        """A server with `count` tasks. For a large board, the import, the start and the export are rows."""
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


def mebibytes(memory):
    return {f"{name} MiB": round(value, 1) for name, value in memory.items()}


def tasks_of(server):
    return server.json("/stats")["total"]


def task_target(number):
    return f"/tasks/{board.task_id(number)}"
