#!/usr/bin/env python3
"""Mixed load on one server for a long time, looking for growth of memory, descriptors and latency.

First the server's memory of tasks is filled (it is bounded), so that what grows later is a leak and not a cache. Then the board keeps its size: what is made is deleted again. Streams
come and go. A sample is taken for each twentieth of the time; the last quarter is compared with the second quarter.
"""

import argparse
import http.client
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

WARM_TASKS = 150_000


class Load(threading.Thread):
    """One client with its own connection and at most a hundred tasks."""

    def __init__(self, port, seed, deadline):
        super().__init__(daemon=True)
        self.port, self.random, self.deadline = port, random.Random(seed), deadline
        self.tasks, self.latencies, self.errors, self.count = [], [], [], 0
        self.lock = threading.Lock()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        while time.monotonic() < self.deadline:
            began = time.monotonic()
            try:
                self.step(connection)
            except (OSError, http.client.HTTPException) as error:
                self.errors.append(repr(error))
                return
            with self.lock:
                self.latencies.append(time.monotonic() - began)
            self.count += 1
            # About two hundred requests a second and client: the server is busy, not drowned.
            time.sleep(0.004)
        connection.close()

    def step(self, connection):
        choice = self.random.random()
        if choice < 0.1 and len(self.tasks) < 100 or not self.tasks:
            title = f"soak {self.random.random()} 가나다"
            made = self.call(connection, "POST", "/tasks", {"title": title, "dueDate": "2030-01-01"}, 201)
            self.tasks.append(made["id"])
        elif choice < 0.2 and len(self.tasks) > 50:
            task = self.tasks.pop(self.random.randrange(len(self.tasks)))
            self.call(connection, "DELETE", f"/tasks/{task}", None, 204)
        elif choice < 0.35:
            task = self.random.choice(self.tasks)
            self.call(connection, "PATCH", f"/tasks/{task}", {"title": f"soak {self.random.random()}"}, 200)
        elif choice < 0.45:
            task, status = self.random.choice(self.tasks), self.random.choice(["todo", "doing", "done"])
            self.call(connection, "POST", f"/tasks/{task}/move", {"status": status, "place": "first"}, 200)
        else:
            target = self.random.choice(
                ["/tasks", "/board", "/categories", "/stats", "/today", "/upcoming", "/changes?limit=50",
                 "/tasks?q=soak&limit=5", f"/tasks/{self.random.choice(self.tasks)}"])
            self.call(connection, "GET", target, None, 200)

    def call(self, connection, method, path, body, expected):
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != expected:
            self.errors.append(f"{method} {path} answered {answer.status} {text[:200]!r}")
        return json.loads(text) if text else None


class Streams(threading.Thread):
    """Opens live streams, reads from them for a moment, and drops them."""

    def __init__(self, port, deadline):
        super().__init__(daemon=True)
        self.port, self.deadline, self.count = port, deadline, 0

    def run(self):
        while time.monotonic() < self.deadline:
            connections = []
            for _ in range(10):
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                connection.request("GET", "/changes", headers={"Accept": "text/event-stream"})
                connections.append((connection, connection.getresponse()))
            for connection, answer in connections:
                answer.read(200)
                connection.close()
                self.count += 1
            # The pace: some twenty streams a second.
            time.sleep(0.5)


def warm(port):
    """Makes more tasks than the server remembers, has them all shown, and deletes them again."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)

    def call(method, path, body=None):
        connection.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200:
            sys.exit(f"{method} {path} answered {answer.status} {text[:200]!r}")
        return json.loads(text)

    def push(operations):
        for first in range(0, len(operations), 500):
            mutations = [{"mutationId": str(uuid.uuid4()), "type": "task", **operation}
                         for operation in operations[first:first + 500]]
            results = call("POST", "/sync", {"mutations": mutations})["results"]
            if any(result["status"] != "applied" for result in results):
                sys.exit(f"/sync answered {results[0]}")

    ids = [str(uuid.uuid4()) for _ in range(WARM_TASKS)]
    push([{"op": "create", "id": task, "value": {"title": f"warm {task} 가나다"}} for task in ids])
    cursor = ""
    while cursor is not None:
        following = call("GET", f"/tasks?limit=200{cursor}")["nextCursor"]
        cursor = following and f"&cursor={following}"
    push([{"op": "delete", "id": task} for task in ids])
    connection.close()


def measure(process):
    status = open(f"/proc/{process}/status").read()
    memory = int(status.split("VmRSS:")[1].split()[0])
    return memory, len(os.listdir(f"/proc/{process}/fd"))


def main():
    directory = tempfile.mkdtemp(prefix="kanbase-soak-")
    server = subprocess.Popen(
        [arguments.binary, "serve", "--port", "0", "--data", directory, "--log-level", "warning"],
        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        return watch(server)
    finally:
        server.kill()


def watch(server):
    port = int(server.stdout.readline().strip().rsplit(":", 1)[1])
    warm(port)
    deadline = time.monotonic() + arguments.seconds
    loads = [Load(port, seed, deadline) for seed in range(arguments.clients)]
    streams = Streams(port, deadline)
    for thread in loads + [streams]:
        thread.start()
    samples = []
    while time.monotonic() < deadline:
        # Twenty samples of the whole time.
        time.sleep(arguments.seconds / 20)
        latencies = []
        for load in loads:
            with load.lock:
                latencies += load.latencies
                load.latencies = []
        if len(latencies) < 100:
            break
        memory, descriptors = measure(server.pid)
        quantiles = statistics.quantiles(latencies, n=100)
        p50, p99 = quantiles[49] * 1000, quantiles[98] * 1000
        # The p99 tells more of what else the machine does than of the server.
        samples.append((memory, descriptors, p50))
        print(f"{memory} KiB, {descriptors} descriptors, p50 {p50:.2f} ms, p99 {p99:.2f} ms, "
              f"{len(latencies)} requests", flush=True)
    for load in loads:
        load.join(60)
    streams.join(60)
    errors = [error for load in loads for error in load.errors]
    server.send_signal(signal.SIGTERM)
    code = server.wait(120)
    early, late = samples[len(samples) // 4:len(samples) // 2], samples[-(len(samples) // 4):]
    median = lambda part, column: statistics.median(sample[column] for sample in part)
    checks = {
        "no request failed": not errors,
        "exit code 0 after SIGTERM": code == 0,
        "memory does not grow": median(late, 0) <= median(early, 0) * 1.03 + 2048,
        "descriptors do not grow": median(late, 1) <= median(early, 1) + 12,
        "latency does not grow": median(late, 2) <= median(early, 2) * 3 + 20,
    }
    for name, holds in checks.items():
        print(f"{'ok ' if holds else 'NOT'} {name}")
    print(f"{sum(load.count for load in loads)} requests, {streams.count} streams; first errors: {errors[:3]}")
    return 0 if all(checks.values()) else 1


parser = argparse.ArgumentParser(description="Looks for growth under mixed load.")
parser.add_argument("binary", help="the kanbase program")
parser.add_argument("--seconds", type=int, default=300)
parser.add_argument("--clients", type=int, default=4)
arguments = parser.parse_args()

if __name__ == "__main__":
    sys.exit(main())
