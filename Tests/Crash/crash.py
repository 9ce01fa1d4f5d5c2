#!/usr/bin/env python3
"""Kills a serving Kanbase with SIGKILL again and again, and looks for what was acknowledged and is gone.

Writers send requests and note each answer in a ledger. After every kill the server starts again on the same data, and

* every task is as its last acknowledged write left it, or as a write left it that was never answered;
* atomic pushes are there as a whole or not at all;
* the change feed, the list and the trash tell the same, and no revision went back;
* an idempotency key gives its first answer;
* now and then `kanbase check` finds nothing, and a backup that a kill interrupted is either whole or refused.

Exits 1 at the first loss, with the seed. `--seed N --kills K` does the same again, as far as scheduling lets it.
"""

import argparse
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid


class Server:
    """One run of the program on a port of its own choice."""

    def __init__(self, binary, data):
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", "--data", data, "--log-level", "warning"],
            stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if "http://" not in line:
            fail(f"the server did not start: {line!r}, exit {self.process.wait()}")
        self.ready = time.monotonic() - self.began
        self.port = int(line.strip().rsplit(":", 1)[1])

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def fail(reason):
    print(f"LOSS: {reason} (seed {arguments.seed})", flush=True)
    os._exit(1)


def call(connection, method, path, body=None, headers={}):
    fields = {"Content-Type": "application/json", **headers}
    connection.request(method, path, None if body is None else json.dumps(body), fields)
    answer = connection.getresponse()
    data = answer.read()
    return answer.status, json.loads(data) if data else None


class Writer(threading.Thread):
    """Writes its own tasks until the server is gone. What is under way when it goes may be there or not."""

    def __init__(self, name, server, state, randomness):
        super().__init__(daemon=True)
        self.name, self.server, self.state, self.random = name, server, state, randomness

    def run(self):
        connection = self.server.connect()
        try:
            while True:
                self.step(connection)
        except (OSError, http.client.HTTPException):
            pass  # killed
        finally:
            connection.close()

    def step(self, connection):
        state = self.state
        choice = self.random.random()
        if choice < 0.4 or not state.alive():
            self.create(connection)
        elif choice < 0.75:
            task = self.random.choice(state.alive())
            title = f"{self.name} {self.random.random()}"
            state.attempt(task, title)
            status, answer = call(connection, "PATCH", f"/tasks/{task}", {"title": title})
            self.expect(status == 200, f"PATCH answered {status} {answer}")
            state.acknowledge(task, title, answer["revision"])
        elif choice < 0.9:
            task = self.random.choice(state.alive())
            state.attempt(task, None)
            status, answer = call(connection, "DELETE", f"/tasks/{task}")
            self.expect(status == 204, f"DELETE answered {status} {answer}")
            state.acknowledge(task, None, 0)
        else:
            self.push(connection)

    def create(self, connection):
        task, key = str(uuid.UUID(int=self.random.getrandbits(128), version=4)), f"{self.random.random()}"
        title = f"{self.name} {key}"
        self.state.attempt(task, title)
        status, answer = call(connection, "POST", "/tasks", {"id": task, "title": title}, {"Idempotency-Key": key})
        self.expect(status == 201, f"POST answered {status} {answer}")
        self.state.acknowledge(task, title, answer["revision"])
        self.state.keys.append((key, task, title))

    def push(self, connection):
        tasks = [str(uuid.UUID(int=self.random.getrandbits(128), version=4)) for _ in range(5)]
        group = f"{self.name} group {self.random.random()}"
        mutations = [
            {"mutationId": str(uuid.UUID(int=self.random.getrandbits(128), version=4)), "type": "task", "op": "create",
             "id": task, "value": {"title": group}} for task in tasks]
        for task in tasks:
            self.state.attempt(task, group)
        self.state.groups.append(tasks)
        status, answer = call(connection, "POST", "/sync", {"atomic": True, "mutations": mutations})
        self.expect(status == 200, f"/sync answered {status} {answer}")
        for task, result in zip(tasks, answer["results"]):
            self.expect(result["status"] == "applied", f"/sync said {result}")
            self.state.acknowledge(task, group, result["revision"])

    def expect(self, holds, reason):
        if not holds:
            fail(reason)


class State:
    """What a writer knows of its tasks: the acknowledged title of each (None: deleted), and what is under way."""

    def __init__(self):
        self.tasks, self.pending, self.groups, self.keys, self.newest = {}, {}, [], [], 0

    def alive(self):
        return [task for task, title in list(self.tasks.items())[-200:] if title is not None]

    def attempt(self, task, title):
        self.pending[task] = title

    def acknowledge(self, task, title, revision):
        self.tasks[task] = title
        self.pending.pop(task, None)
        self.newest = max(self.newest, revision)

    def settle(self, found):
        """Compares with the titles that the server has, and takes over what became of the writes under way."""
        for task, title in self.tasks.items():
            allowed = {title, self.pending[task]} if task in self.pending else {title}
            if found.get(task) not in allowed:
                fail(f"task {task} is {found.get(task)!r}, acknowledged as {title!r}, allowed {allowed}")
        for task, title in self.pending.items():
            if task not in self.tasks and found.get(task) not in (None, title):
                fail(f"task {task} is {found.get(task)!r}, sent as {title!r}")
            if task in self.tasks or task in found:
                self.tasks[task] = found.get(task)
        for group in self.groups:
            there = [task for task in group if task in self.tasks]
            if there and len(there) != len(group):
                fail(f"an atomic push is there in part: {len(there)} of {len(group)}")
        self.groups.clear()
        self.pending.clear()


def walk(connection, path, member):
    things, cursor = [], None
    while True:
        join = "&" if "?" in path else "?"
        target = path if cursor is None else f"{path}{join}cursor={cursor}"
        status, page = call(connection, "GET", target)
        if status != 200:
            fail(f"{target} answered {status} {page}")
        things += page[member]
        cursor = page["nextCursor"]
        if cursor is None:
            return things


def feed(connection):
    changes, since = [], None
    while True:
        target = "/changes?limit=1000&types=task" + (f"&since={since}" if since else "")
        status, page = call(connection, "GET", target)
        if status != 200:
            fail(f"{target} answered {status} {page}")
        changes += page["changes"]
        since = page["cursor"]
        if not page["hasMore"]:
            return changes


def verify(server, states, randomness):
    connection = server.connect()
    listed = {task["id"]: task for task in walk(connection, "/tasks?limit=200", "items")}
    fed = {change["id"]: change["value"] for change in feed(connection) if not change["deleted"]}
    if fed != listed:
        odd = [task for task in set(fed) | set(listed) if fed.get(task) != listed.get(task)]
        fail(f"the feed and the list differ in {len(odd)} tasks, such as {odd[:3]}")
    revisions = [task["revision"] for task in listed.values()]
    if len(set(revisions)) != len(revisions):
        fail("two tasks have the same revision")
    found = {task: value["title"] for task, value in listed.items()}
    for state in states:
        state.settle(found)
    newest = max(state.newest for state in states)
    task = str(uuid.uuid4())
    status, made = call(connection, "POST", "/tasks", {"id": task, "title": "probe"})
    if status != 201 or made["revision"] <= newest:
        fail(f"revision {made} after {newest} was acknowledged")
    call(connection, "DELETE", f"/tasks/{task}")
    for state in states:
        for key, task, title in state.keys[-3:]:
            body = {"id": task, "title": title}
            status, again = call(connection, "POST", "/tasks", body, {"Idempotency-Key": key})
            if status != 201 or again["id"] != task:
                fail(f"the key of task {task} gave {status} {again}")
    connection.close()


def run_command(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check_file(binary, data):
    result = run_command(binary, "check", "--data", data)
    if result.returncode != 0:
        fail(f"check found: {result.stdout}")


def check_backup(binary, backup, data):
    """A backup that was cut off is refused; a whole one can be restored and checked."""
    if not os.path.exists(backup):
        return
    fresh = data + "-restored"
    shutil.rmtree(fresh, ignore_errors=True)
    result = run_command(binary, "restore", backup, "--data", fresh)
    if result.returncode == 0:
        check_file(binary, fresh)
    shutil.rmtree(fresh, ignore_errors=True)
    os.remove(backup)


def kill_restore(binary, backup, data, randomness):
    """Kills a restore on its way: the data is then the old or the new, and whole."""
    process = subprocess.Popen(
        [binary, "restore", backup, "--data", data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(randomness.uniform(0, 0.05))
    process.kill()
    process.wait()
    check_file(binary, data)


def main():
    randomness = random.Random(arguments.seed)
    directory = tempfile.mkdtemp(prefix="kanbase-crash-")
    data, backup = os.path.join(directory, "data"), os.path.join(directory, "backup.sqlite")
    states = [State() for _ in range(arguments.writers)]
    slowest, acknowledged = 0.0, 0
    for kill in range(1, arguments.kills + 1):
        server = Server(arguments.binary, data)
        slowest = max(slowest, server.ready)
        if kill > 1:
            verify(server, states, randomness)
        writers = [
            Writer(f"w{index}", server, state, random.Random(randomness.random()))
            for index, state in enumerate(states)]
        for writer in writers:
            writer.start()
        backing = None
        time.sleep(randomness.uniform(0.005, 0.25))
        if kill % 10 == 0:
            backing = subprocess.Popen(
                [arguments.binary, "backup", backup, "--data", data],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(randomness.uniform(0, 0.1))
        server.kill()
        for writer in writers:
            writer.join()
        if backing:
            backing.kill()
            backing.wait()
            check_backup(arguments.binary, backup, data)
        if kill % 25 == 0:
            check_file(arguments.binary, data)
        if kill % 50 == 0 and run_command(arguments.binary, "backup", backup, "--data", data).returncode == 0:
            copy = os.path.join(directory, "copy")
            shutil.copytree(data, copy)
            kill_restore(arguments.binary, backup, copy, randomness)
            shutil.rmtree(copy)
            os.remove(backup)
        acknowledged = sum(len(state.tasks) for state in states)
        if kill % 20 == 0:
            print(f"{kill} kills, {acknowledged} tasks acknowledged, slowest start {slowest:.3f} s", flush=True)
    server = Server(arguments.binary, data)
    verify(server, states, randomness)
    server.kill()
    check_file(arguments.binary, data)
    shutil.rmtree(directory)
    print(f"{arguments.kills} kills, {acknowledged} tasks acknowledged, no loss, slowest start {slowest:.3f} s")


parser = argparse.ArgumentParser(description="Kills the server and looks for losses.")
parser.add_argument("binary", help="the kanbase program")
parser.add_argument("--kills", type=int, default=100)
parser.add_argument("--writers", type=int, default=4)
parser.add_argument("--seed", type=int, default=int(time.time()))
arguments = parser.parse_args()

if __name__ == "__main__":
    main()
    sys.exit(0)
