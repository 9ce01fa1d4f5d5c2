"""A polite client on addresses of its own: it measures what the server makes it wait for, and remembers what the
server acknowledged."""

import http.client
import json
import multiprocessing
import os
import random
import time

from harness import Gone
from stage import credentials, fill

ADDRESS = "127.50.0.1"
PROBE_ADDRESS = "127.50.0.2"
LOG_IN_ADDRESS = "127.50.0.3"
LOOK_ADDRESS = "127.50.0.4"


class Sample:
    """One request: what it was, when it began, how many milliseconds it took, and its status (0: no answer)."""

    def __init__(self, kind, began, took, status):
        self.kind, self.began, self.took, self.status = kind, began, took, status

    def __repr__(self):
        return f"{self.kind}: {self.status} after {self.took:.1f} ms"


def timed(kind, call, expected):
    began = time.monotonic()
    try:
        status, answer = call()
    except (Gone, OSError, http.client.HTTPException) as error:
        status, answer = 0, error
    took = (time.monotonic() - began) * 1000
    return Sample(kind, began, took, status if status != expected else 200), answer


class Stranger:
    """Processes that go on until they are stopped: one reads and writes a board, one logs in, and one only syncs a file in the
    folder. With `looks`, one more asks for what takes long on a board of `looks` tasks."""

    def __init__(self, server, tokens, folder, looks=0):
        self.server, self.tokens, self.folder, self.looks = server, tokens, folder, looks
        if looks:
            fill(server.client(self.tokens["look"], LOOK_ADDRESS), looks, body="x" * 500)

    def begin(self):
        self.samples, self.acknowledged = [], {}
        self.ends = multiprocessing.Event()
        self.parts = [
            self._start(use_board, self.server, self.tokens["board"]), self._start(log_in, self.server),
            self._start(use_disk, f"{self.folder}/yardstick")]
        if self.looks:
            self.parts.append(self._start(look, self.server, self.tokens["look"]))

    def _start(self, work, *arguments):
        mine, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=work, args=(theirs, self.ends, *arguments), daemon=True)
        process.start()
        return process, mine

    def stop(self):
        """Ends them. Their samples and the acknowledged tasks are here afterwards."""
        self.ends.set()
        for process, pipe in self.parts:
            if not pipe.poll(40):
                raise SystemExit("The stranger hangs.")
            samples, acknowledged = pipe.recv()
            self.samples += samples
            self.acknowledged.update(acknowledged)
            process.join()

    def losses(self):
        """Acknowledged tasks that the server does not show as they were written."""
        client = self.server.client(self.tokens["board"], ADDRESS)
        shown = {}
        for item in paced_walk(client, "/tasks?limit=200"):
            shown[item["id"]] = item["title"]
        return {id: title for id, title in self.acknowledged.items() if shown.get(id) != title}


def paced_walk(client, target):
    """All items of a list, slower than the rate limit."""
    items, cursor = [], None
    while True:
        status, page = client.send("GET", target + (f"&cursor={cursor}" if cursor else ""))
        if status == 429:
            # Until the rate limit has room for several requests.
            time.sleep(0.2)
            continue
        if status != 200:
            raise SystemExit(f"GET {target} answers {status}: {page}")
        items += page["items"]
        cursor = page["nextCursor"]
        if not cursor:
            return items
        # The rate limit is 50 requests a second.
        time.sleep(0.02)


def use_board(pipe, ends, server, token):
    """Reads, writes and asks for readiness, some 45 requests a second."""
    samples, acknowledged, number = [], {}, 0
    board, probe = server.client(token, ADDRESS), server.client(source=PROBE_ADDRESS)
    chosen = random.Random(14)
    while not ends.is_set():
        number += 1
        if number % 10 == 0:
            # A new connection now and then: attacks on accepting would not be seen on kept ones.
            board.connection.close()
            probe.connection.close()
        if number % 3 == 0 or not acknowledged:
            sample, answer = timed("write", lambda: board.send("POST", "/tasks", {"title": f"task {number}"}), 201)
            if sample.status == 200:
                acknowledged[answer["id"]] = f"task {number}"
        elif number % 3 == 1:
            id = chosen.choice(list(acknowledged))
            sample, _ = timed("read", lambda: board.send("GET", f"/tasks/{id}"), 200)
        else:
            sample, _ = timed("read", lambda: board.send("GET", "/tasks?limit=20"), 200)
        samples.append(sample)
        sample, _ = timed("ready", lambda: probe.send("GET", "/health/ready"), 200)
        samples.append(sample)
        # The pace; see above.
        time.sleep(0.04)
    pipe.send((samples, acknowledged))


def use_disk(pipe, ends, path):
    """Appends to a file and syncs it as often as a board is written: how long the disk of this machine takes."""
    samples = []
    with open(path, "ab", buffering=0) as file:
        while not ends.wait(0.05):
            began = time.monotonic()
            file.write(bytes(8_192))
            os.fdatasync(file.fileno())
            samples.append(Sample("sync", began, (time.monotonic() - began) * 1000, 200))
    pipe.send((samples, {}))


def look(pipe, ends, server, token):
    """Searches, counts and lists the trash, in turn, each from its own connection. No answer is one that was kept."""
    samples, number = [], 0
    client = server.client(token, LOOK_ADDRESS)
    while not ends.wait(0.03):
        number += 1
        kind, target = [
            ("search", f"/tasks?q=nothing{number}"), ("stats", "/stats"), ("trash", "/tasks?deleted=true&limit=200"),
        ][number % 3]
        # A write in between, so that nothing is answered from memory.
        if kind != "search":
            client.send("PATCH", "/settings", {"custom": {"number": number}})
        sample, _ = timed(kind, lambda: client.send("GET", target), 200)
        samples.append(sample)
    pipe.send((samples, {}))


def log_in(pipe, ends, server):
    """Logs in from an address of its own, three times in two seconds."""
    samples = []
    body = credentials("log-in")
    while not ends.wait(0.6):
        client = server.client(source=LOG_IN_ADDRESS)
        sample, _ = timed("log-in", lambda: client.send("POST", "/sessions", body), 201)
        client.connection.close()
        samples.append(sample)
    pipe.send((samples, {}))
