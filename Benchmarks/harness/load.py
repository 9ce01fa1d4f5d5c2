"""Load: requests by wrk, timed beside the processor time that the server took for them."""

import contextlib
import http.client
import json
import os
import statistics
import subprocess
import threading
import time
from dataclasses import dataclass

from . import machine
from .servers import HERE


class Requests:
    """A file of requests from which wrk picks at random, or which it walks through in order; see wrk/requests.lua."""

    runs = 0

    def __init__(self, path, lines, in_order=False):
        self.path = path
        # Where the next round goes on, so that a request comes again only after all others.
        self.position = 0 if in_order else None
        with open(path, "w", encoding="utf-8") as file:
            for method, target, tag, body in lines:
                file.write(f"{method}\t{target}\t{tag}\t{body}\n")

    @classmethod
    def get(cls, path, targets, in_order=False):
        return cls(path, (("GET", target, "", "") for target in targets), in_order)


@dataclass
class Round:
    """What one server did in one stretch of load. Times in microseconds."""

    rate: float
    p50: float
    p99: float
    cpu: float
    failures: int


def wrk(server, requests, connections, seconds, threads=2):
    Requests.runs += 1
    threads = min(threads, connections)
    start = [] if requests.position is None else [str(requests.position), str(threads)]
    before = machine.cpu_seconds(server.pid)
    result = subprocess.run(
        ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", "requests.lua",
         f"{server.scheme}://127.0.0.1:{server.port}", "--", os.path.abspath(requests.path), str(Requests.runs), *start],
        cwd=f"{HERE}/wrk", check=True, capture_output=True, text=True)
    used = machine.cpu_seconds(server.pid) - before
    figures = json.loads(result.stdout.strip().splitlines()[-1])
    count = max(figures["requests"], 1)
    if start:
        requests.position += count
    return Round(
        rate=figures["requests"] / figures["seconds"], p50=figures["p50"], p99=figures["p99"],
        cpu=used / count * 1e6, failures=figures["failures"])


class Contest:
    """Several servers under the same load, in turns, so that what else the machine does meets all of them."""

    def __init__(self, contenders, connections, rounds, seconds, beside=None, threads=(2,)):
        """`contenders`: name → (server, requests). `beside(server)`: a context that is open during each round.
        `threads`: with how many threads wrk makes the load; each number has rounds of its own."""
        self.names, self.threads = list(contenders), threads
        order = [(count, name) for count in threads for name in contenders]
        self.rounds = {key: [] for key in order}
        # What each keeps in memory for this load, it has before the first round that counts.
        for server, requests in contenders.values():
            wrk(server, requests, connections, 1 if beside else seconds, threads[-1])
        for number in range(rounds):
            for count, name in order if number % 2 == 0 else reversed(order):
                server, requests = contenders[name]
                with beside(server) if beside else contextlib.nullcontext():
                    self.rounds[count, name].append(wrk(server, requests, connections, seconds, count))

    def median(self, name, figure, threads=None):
        return statistics.median(getattr(one, figure) for one in self.rounds[threads or self.threads[-1], name])

    def ratio(self, name, other, figure="rate", threads=None):
        """The median of the quotients of rounds that were neighbours in time."""
        count = threads or self.threads[-1]
        pairs = zip(self.rounds[count, name], self.rounds[count, other])
        return statistics.median(getattr(a, figure) / max(getattr(b, figure), 1e-9) for a, b in pairs)

    def failures(self, name):
        return sum(one.failures for count in self.threads for one in self.rounds[count, name])

    def figures(self):
        return {name + threads_text(count, self.threads): {
                    "requestsPerSecond": round(self.median(name, "rate", count)),
                    "p50Microseconds": round(self.median(name, "p50", count)),
                    "p99Microseconds": round(self.median(name, "p99", count)),
                    "cpuMicroseconds": round(self.median(name, "cpu", count), 2),
                    "failures": sum(one.failures for one in rounds)}
                for (count, name), rounds in self.rounds.items()}


def threads_text(count, of):
    """Tells rounds with one thread of the load from those with two, where there are both."""
    return "" if len(of) == 1 else f", {count} thread" + ("s" if count > 1 else "")


class Writes:
    """Edits tasks of a server at a steady pace while it is open."""

    def __init__(self, server, targets, rate=100):
        self.server, self.targets, self.rate = server, targets, rate
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        began, count = time.perf_counter(), 0
        while not self.ends.wait(max(0, began + count / self.rate - time.perf_counter())):
            body = json.dumps({"title": f"edited {time.time_ns()}"})
            target = self.targets[count * 7919 % len(self.targets)]
            connection.request("PATCH", target, body, {"Content-Type": "application/merge-patch+json"})
            connection.getresponse().read()
            count += 1


def latencies(count, call):
    """Milliseconds of each of `count` calls, one after the other."""
    times = []
    for number in range(count):
        began = time.perf_counter()
        call(number)
        times.append((time.perf_counter() - began) * 1000)
    return times
