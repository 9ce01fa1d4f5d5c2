"""Load: requests by wrk, timed beside the processor time that the server took for them."""

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
    """A file of requests from which wrk picks at random; see wrk/requests.lua."""

    runs = 0

    def __init__(self, path, lines):
        self.path = path
        with open(path, "w", encoding="utf-8") as file:
            for method, target, tag, body in lines:
                file.write(f"{method}\t{target}\t{tag}\t{body}\n")

    @classmethod
    def get(cls, path, targets):
        return cls(path, (("GET", target, "", "") for target in targets))


@dataclass
class Round:
    """What one server did in one stretch of load. Times in microseconds."""

    rate: float
    p50: float
    p99: float
    cpu: float
    failures: int


def wrk(server, requests, connections, seconds):
    Requests.runs += 1
    threads = min(2, connections) if connections > 2 else 1
    before = machine.cpu_seconds(server.pid)
    result = subprocess.run(
        ["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", "requests.lua",
         f"http://127.0.0.1:{server.port}", "--", os.path.abspath(requests.path), str(Requests.runs)],
        cwd=f"{HERE}/wrk", check=True, capture_output=True, text=True)
    used = machine.cpu_seconds(server.pid) - before
    figures = json.loads(result.stdout.strip().splitlines()[-1])
    count = max(figures["requests"], 1)
    return Round(
        rate=figures["requests"] / figures["seconds"], p50=figures["p50"], p99=figures["p99"],
        cpu=used / count * 1e6, failures=figures["failures"])


class Contest:
    """Several servers under the same load, in turns, so that what else the machine does meets all of them."""

    def __init__(self, contenders, connections, rounds, seconds, beside=None):
        """`contenders`: name → (server, requests). `beside(server)`: a context that is open during each round."""
        self.rounds = {name: [] for name in contenders}
        # What each keeps in memory for this load, it has before the first round that counts.
        for server, requests in contenders.values():
            wrk(server, requests, connections, 1 if beside else seconds)
        for number in range(rounds):
            order = list(contenders.items())
            for name, (server, requests) in order if number % 2 == 0 else reversed(order):
                if beside:
                    with beside(server):
                        self.rounds[name].append(wrk(server, requests, connections, seconds))
                else:
                    self.rounds[name].append(wrk(server, requests, connections, seconds))

    def median(self, name, figure):
        return statistics.median(getattr(one, figure) for one in self.rounds[name])

    def ratio(self, name, other, figure="rate"):
        """The median of the quotients of rounds that were neighbours in time."""
        pairs = zip(self.rounds[name], self.rounds[other])
        return statistics.median(getattr(a, figure) / max(getattr(b, figure), 1e-9) for a, b in pairs)

    def failures(self, name):
        return sum(one.failures for one in self.rounds[name])

    def figures(self):
        return {name: {"requestsPerSecond": round(self.median(name, "rate")),
                       "p50Microseconds": round(self.median(name, "p50")),
                       "p99Microseconds": round(self.median(name, "p99")),
                       "cpuMicroseconds": round(self.median(name, "cpu"), 2), "failures": self.failures(name)}
                for name in self.rounds}


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
    """Milliseconds of each of so many calls, one after the other."""
    times = []
    for number in range(count):
        began = time.perf_counter()
        call(number)
        times.append((time.perf_counter() - began) * 1000)
    return times
