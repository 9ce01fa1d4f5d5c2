#!/usr/bin/env python3
"""Kills the server again and again and looks for losses.

Writers note what they asked for and what was acknowledged. Now and then, while they write, while it starts, while it
makes its file, while an import, a backup or a restore runs, the server (or the command) gets SIGKILL. After each restart every task must be as it was
last acknowledged, or as the one request that had no answer would have made it; an atomic push is there as a whole or
not at all; a repeated key gives its first answer; the lists and the change feed agree; no revision is given out twice;
`kanbase check` finds nothing.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid

from harness import Client, Gone, Server, run

GROUP = 5


class Fault(Exception):
    pass


class Writer(threading.Thread):
    """Writes to tasks of its own, one request at a time, until the server is gone."""

    def __init__(self, world, number, port):
        super().__init__(daemon=True)
        self.world, self.number, self.port = world, number, port
        self.random = random.Random(world.random.random())
        self.acknowledged = 0
        self.fault = None

    def run(self):
        try:
            client = Client(self.port)
            while True:
                self.random.choice(self.actions())(client)
        except Gone:
            pass
        except Exception as error:  # Told by the main thread.
            self.fault = error

    def actions(self):
        own = self.world.tasks[self.number]
        actions = [self.create] * (1 if len(own) < 30 else 0) + [self.push]
        return actions + ([self.patch, self.move, self.delete_or_restore] * 2 if own else [])

    def attempt(self, client, task, after, method, target, body=None, key=None):
        """`after` is what the task is once this is done. No answer: nobody knows until the restart."""
        self.world.pending[self.number] = {task: after}
        status, answer = client.send(method, target, body, **({"Idempotency_Key": key} if key else {}))
        if status not in (200, 201, 204):
            raise Fault(f"{method} {target} answers {status}: {answer}")
        self.world.tasks[self.number][task] = after
        self.world.pending[self.number] = {}
        self.acknowledged += 1
        # A move to where it already is takes no revision.
        if isinstance(answer, dict) and not target.endswith("/move"):
            self.world.saw_revision(answer["revision"])

    def create(self, client):
        task, title = str(uuid.uuid4()), self.title()
        body, key = {"id": task, "title": title}, str(uuid.uuid4())
        self.attempt(client, task, (title, "todo", False), "POST", "/tasks", body, key)
        self.world.keys[self.number] = (key, body)

    def living(self):
        return [(task, state) for task, state in self.world.tasks[self.number].items() if not state[2]]

    def patch(self, client):
        if living := self.living():
            task, (_, status, _) = self.random.choice(living)
            title = self.title()
            self.attempt(client, task, (title, status, False), "PATCH", f"/tasks/{task}", {"title": title})

    def move(self, client):
        if living := self.living():
            task, (title, _, _) = self.random.choice(living)
            status = self.random.choice(["todo", "doing", "done"])
            place = {"status": status, "place": self.random.choice(["first", "last"])}
            self.attempt(client, task, (title, status, False), "POST", f"/tasks/{task}/move", place)

    def delete_or_restore(self, client):
        task, (title, status, is_deleted) = self.random.choice(list(self.world.tasks[self.number].items()))
        after = (title, status, not is_deleted)
        if is_deleted:
            self.attempt(client, task, after, "POST", f"/tasks/{task}/restore")
        else:
            self.attempt(client, task, after, "DELETE", f"/tasks/{task}")

    def push(self, client):
        """The tasks of a group always have one title: each push sets it for all or for none."""
        if not self.world.has_sync:
            return
        title = self.title()
        mutations = [
            {"mutationId": str(uuid.uuid4()), "type": "task", "op": "put", "id": task, "value": {"title": title}}
            for task in self.world.groups[self.number]]
        self.world.pending_group[self.number] = title
        status, answer = client.send("POST", "/sync", {"atomic": True, "mutations": mutations})
        if status == 404:
            self.world.has_sync = False
            return
        if status != 200 or any(result["status"] not in ("applied", "merged") for result in answer["results"]):
            raise Fault(f"POST /sync answers {status}: {answer}")
        self.world.group_titles[self.number] = title
        self.world.pending_group[self.number] = None
        self.acknowledged += GROUP
        for result in answer["results"]:
            self.world.saw_revision(result["revision"])

    def title(self):
        self.world.counter += 1
        return f"{self.number}-{self.world.counter}"


class World:
    """What was asked for and what was acknowledged."""

    def __init__(self, binary, folder, writers, seed):
        self.binary, self.folder = binary, folder
        self.data = os.path.join(folder, "data")
        self.random = random.Random(seed)
        self.tasks = [{} for _ in range(writers)]
        self.pending = [{} for _ in range(writers)]
        self.keys = [None] * writers
        self.groups = [[str(uuid.uuid4()) for _ in range(GROUP)] for _ in range(writers)]
        self.group_titles = [None] * writers
        self.pending_group = [None] * writers
        self.counter = 0
        self.has_sync = True
        self.highest = 0
        self.floor = 0
        self.lock = threading.Lock()
        self.kills = self.acknowledged = 0
        self.slowest_start = 0.0

    def saw_revision(self, revision):
        with self.lock:
            if revision <= self.floor:
                raise Fault(f"Revision {revision} was given out before the restart: it had reached {self.floor}")
            self.highest = max(self.highest, revision)

    def birth(self):
        """Killed while it brings a new file to the newest schema, it does so at the next start."""
        data = os.path.join(self.folder, "newborn")
        server = Server(self.binary, data, wait=False)
        # Killed at a random moment of the start.
        time.sleep(self.random.uniform(0, 0.06))
        server.kill()
        self.kills += 1
        server = Server(self.binary, data)
        status, answer = Client(server.port).send("POST", "/tasks", {"title": "first"})
        if status != 201 or answer["revision"] != 1:
            raise Fault(f"The first task of a new file: {status} {answer}")
        server.stop()
        run(self.binary, "check", "--data", data)
        shutil.rmtree(data)

    def arrival(self):
        """An import that was killed made nothing, or all; and the same file can come again."""
        data = os.path.join(self.folder, "arrival")
        server = Server(self.binary, data)
        # Large ones are on disk in parts before they end.
        size = self.random.choice([self.random.randrange(1_000, 8_000), self.random.randrange(20_000, 40_000)])
        tasks = [{"id": str(uuid.UUID(int=number)), "title": f"Task {number}"} for number in range(1, size)]
        thread = threading.Thread(target=self.bring, args=(server.port, tasks), daemon=True)
        thread.start()
        # Killed at a random moment of the import.
        time.sleep(self.random.uniform(0, 0.15 if size < 8_000 else 1))
        server.kill()
        self.kills += 1
        thread.join(60)
        run(self.binary, "check", "--data", data)
        server = Server(self.binary, data)
        client = Client(server.port)
        count = sum(column["count"] for column in client.send("GET", "/board?limit=1")[1]["columns"])
        imports = client.send("GET", "/imports")[1]["items"]
        if (count, len(imports)) not in ((0, 0), (len(tasks), 1)):
            raise Fault(f"After a killed import of {len(tasks)} there are {count} tasks and {len(imports)} imports")
        status, answer = client.send("POST", "/import", {"tasks": tasks})
        if status != 200 or answer["created"] != len(tasks) - count:
            raise Fault(f"The import that was killed and sent again: {status} {answer}")
        server.stop()
        run(self.binary, "check", "--data", data)
        shutil.rmtree(data)

    @staticmethod
    def bring(port, tasks):
        try:
            Client(port).send("POST", "/import", {"tasks": tasks})
        except Gone:
            pass

    def round(self):
        if self.random.random() < 0.1:
            self.birth()
        if self.random.random() < 0.1:
            self.arrival()
        server = Server(self.binary, self.data, wait=False)
        if self.random.random() < 0.15:
            # Killed at a random moment of the start.
            time.sleep(self.random.uniform(0, 0.06))
            server.kill()
            self.kills += 1
            server = Server(self.binary, self.data, wait=False)
        self.slowest_start = max(self.slowest_start, server.wait_until_ready())
        self.verify(Client(server.port))
        self.floor = self.highest
        writers = [Writer(self, number, server.port) for number in range(len(self.tasks))]
        for writer in writers:
            writer.start()
        backup = self.begin_backup() if self.random.random() < 0.2 else None
        # Killed at a random moment of the load.
        time.sleep(self.random.uniform(0.005, 0.25))
        server.kill()
        self.kills += 1
        for writer in writers:
            writer.join(60)
            if writer.fault:
                raise Fault(f"Writer {writer.number}: {writer.fault}")
            self.acknowledged += writer.acknowledged
        if backup:
            self.end_backup(backup)

    def verify(self, client):
        """Compares what is there with what was noted, and takes what is there for granted from then on."""
        living = {task["id"]: task for task in client.walk("/tasks?limit=200&sort=position")}
        deleted = {task["id"]: task for task in client.walk("/tasks?limit=200&deleted=true")}
        both = living.keys() & deleted.keys()
        if both:
            raise Fault(f"Alive and in the trash: {both}")
        for number, tasks in enumerate(self.tasks):
            for task in tasks.keys() | self.pending[number].keys():
                shown = living.get(task) or deleted.get(task)
                state = (shown["title"], shown["status"], task in deleted) if shown else None
                allowed = [tasks.get(task)] + ([self.pending[number][task]] if task in self.pending[number] else [])
                if state not in allowed:
                    raise Fault(f"Task {task} is {state}, but was acknowledged as {allowed}")
                if state:
                    tasks[task] = state
            self.pending[number] = {}
            titles = {living[task]["title"] if task in living else None for task in self.groups[number]}
            allowed = {self.group_titles[number], self.pending_group[number] or self.group_titles[number]}
            if len(titles) != 1 or not titles <= allowed:
                raise Fault(f"An atomic push is there in part: {titles}, not one of {allowed}")
            self.group_titles[number], self.pending_group[number] = titles.pop(), None
            if self.keys[number]:
                key, body = self.keys[number]
                status, answer = client.send("POST", "/tasks", body, Idempotency_Key=key)
                if status != 201 or answer["id"] != body["id"]:
                    raise Fault(f"The key of task {body['id']} gives {status} {answer}")
        revisions = [task["revision"] for task in living.values()]
        if len(set(revisions)) != len(revisions):
            raise Fault("Two tasks have the same revision")
        feed = client.changes()
        if feed is not None:
            fed = {id: change["value"] for id, change in feed.items() if change["type"] == "task"}
            if fed != living:
                raise Fault(f"The feed and the lists differ: {fed.keys() ^ living.keys() or 'in their members'}")
        status, board = client.send("GET", "/board?limit=1")
        counts = sum(column["count"] for column in board["columns"])
        if counts != len(living):
            raise Fault(f"The board counts {counts} tasks, the list has {len(living)}")
        highest = max((task["revision"] for task in [*living.values(), *deleted.values()]), default=0)
        self.highest = max(self.highest, highest)

    def begin_backup(self):
        path = os.path.join(self.folder, "backup")
        process = subprocess.Popen(
            [self.binary, "backup", "--data", self.data, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        return path, process, self.random.random() < 0.5

    def end_backup(self, backup):
        """A backup that was killed leaves nothing under its name, or the whole one that was there before."""
        path, process, is_doomed = backup
        if is_doomed:
            # Killed at a random moment.
            time.sleep(self.random.uniform(0, 0.03))
            process.kill()
            self.kills += 1
        process.wait(60)
        if os.path.exists(path):
            self.restore(path)

    def restore(self, path):
        """Into another directory; killed on the way, it leaves what was there or what was to be there."""
        other = os.path.join(self.folder, "restored")
        process = subprocess.Popen(
            [self.binary, "restore", "--data", other, path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        if self.random.random() < 0.5:
            # Killed at a random moment.
            time.sleep(self.random.uniform(0, 0.08))
            process.kill()
            self.kills += 1
        process.wait(60)
        server = Server(self.binary, other)
        Client(server.port).walk("/tasks?limit=200")
        server.stop()
        run(self.binary, "check", "--data", other)
        for name in os.listdir(other):
            # What is kept aside by each restore would add up.
            if name.startswith("kanbase.sqlite.") and len(os.listdir(other)) > 12:
                os.remove(os.path.join(other, name))

    def check(self):
        run(self.binary, "check", "--data", self.data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--writers", type=int, default=6)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="kanbase-crash-")
    print(f"Killing {arguments.binary} {arguments.kills} times, seed {arguments.seed}, data in {folder}", flush=True)
    world = World(os.path.abspath(arguments.binary), folder, arguments.writers, arguments.seed)
    began = time.monotonic()
    try:
        rounds = 0
        while world.kills < arguments.kills:
            world.round()
            rounds += 1
            if rounds % 10 == 0:
                world.check()
            if rounds % 50 == 0:
                print(f"  {world.kills} kills, {world.acknowledged} acknowledged writes, no loss", flush=True)
        server = Server(world.binary, world.data)
        world.verify(Client(server.port))
        server.stop()
        world.check()
    except Fault as fault:
        print(f"LOST after {world.kills} kills: {fault}\nThe data stays in {folder}", file=sys.stderr)
        return 1
    print(
        f"{world.kills} kills, {world.acknowledged} acknowledged writes, none lost; "
        f"slowest start {world.slowest_start * 1000:.0f} ms; {time.monotonic() - began:.0f} s")
    if not world.has_sync:
        print("There is no POST /sync: atomic pushes were not tested", file=sys.stderr)
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
