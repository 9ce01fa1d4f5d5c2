#!/usr/bin/env python3
"""Two servers over one throw-away PostgreSQL: load, kills and restarts, and then a look for what was lost, doubled or told
in the wrong order.

    cluster.py [--kills N] [--seconds N] BINARY

Writers create tasks through a server of their choice, each with an Idempotency-Key that they repeat until the answer is
certain. Meanwhile PostgreSQL is stopped like in a crash, and the servers are killed, and started again. A reader follows
the stream of a server, and goes on from its last id when it ends; another pulls pages from either. At the end every
acknowledged task must be there once, both readers must have seen every revision once and in order, and `kanbase check`
must find nothing.
"""

import argparse
import glob
import http.client
import json
import os
import pwd
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid

WRITERS = 6


class Postgres:
    """As the user `postgres` when we are root, who may not run it."""

    def __init__(self):
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        if not found:
            sys.exit("PostgreSQL is not installed: apt-get install postgresql")
        self.programs = found[-1]
        self.directory = tempfile.mkdtemp(prefix="kanbase-cluster-")
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.directory, user.pw_uid, user.pw_gid)
        self.data = f"{self.directory}/data"
        self.url = f"postgres:///postgres?host={self.directory}&user=kanbase"
        self.run("initdb", "-D", self.data, "-U", "kanbase", "-A", "trust", "-E", "UTF8", "--locale=C")

    def run(self, program, *arguments):
        command = [f"{self.programs}/{program}", *arguments]
        if os.geteuid() == 0:
            command = ["runuser", "-u", "postgres", "--", *command]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")

    def start(self):
        options = f"-k {self.directory} -c listen_addresses= -c max_connections=100"
        self.run("pg_ctl", "-D", self.data, "-o", options, "-l", f"{self.directory}/log", "-w", "start")

    def stop(self, mode):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def remove(self):
        try:
            self.stop("immediate")
        except subprocess.CalledProcessError:
            pass  # It is stopped already.
        shutil.rmtree(self.directory)


class Server:
    def __init__(self, binary, url, log):
        self.binary, self.url, self.log = binary, url, log
        self.port = None

    def start(self):
        """Takes the port of before, which its clients know; the first is outside of those that connections are given."""
        for _ in range(40):
            port = self.port or random.randint(20_000, 30_000)
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", str(port)], stdout=subprocess.PIPE, stderr=self.log,
                env={**os.environ, "KANBASE_DATABASE": self.url})
            if b"listening on" in self.process.stdout.readline():
                self.port = port
                return
            self.process.wait(timeout=30)
            time.sleep(0.25)
        sys.exit("the server does not start")

    def stop(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(timeout=30)


class Board:
    """What the clients know: which tasks were acknowledged, and which servers there are."""

    def __init__(self, servers):
        self.servers = servers
        self.acknowledged = {}
        self.is_over = threading.Event()
        self.may_stop = threading.Event()
        self.faults = []

    def request(self, server, method, path, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        try:
            sent = {"Content-Type": "application/json", **dict(headers)}
            connection.request(method, path, body=body and json.dumps(body), headers=sent)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def write(self):
        while not self.is_over.is_set():
            key, title = str(uuid.uuid4()), str(uuid.uuid4())
            while True:
                try:
                    status, body = self.request(
                        random.choice(self.servers), "POST", "/tasks", {"title": title}, [("Idempotency-Key", key)])
                except (OSError, http.client.HTTPException):
                    time.sleep(0.05)
                    continue
                if status == 201:
                    self.acknowledged[title] = json.loads(body)["id"]
                    break
                if status not in (409, 503):
                    self.faults.append(f"a create was answered {status}: {body[:200]}")
                    return
                time.sleep(0.05)

    def pull(self, seen):
        cursor = None
        while True:
            was_over = self.may_stop.is_set()
            try:
                path = "/changes?limit=100" + (f"&since={cursor}" if cursor else "")
                status, body = self.request(random.choice(self.servers), "GET", path)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
                continue
            if status != 200:
                if status != 503:
                    self.faults.append(f"a pull was answered {status}: {body[:200]}")
                    return
                time.sleep(0.05)
                continue
            page = json.loads(body)
            seen += [change["revision"] for change in page["changes"]]
            cursor = page["cursor"]
            if was_over and not page["changes"]:
                return
            time.sleep(0.01)

    def follow(self, seen):
        last = None
        while not (self.may_stop.is_set() and len(seen) >= len(self.acknowledged)):
            connection = http.client.HTTPConnection("127.0.0.1", random.choice(self.servers).port, timeout=2)
            try:
                headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last} if last else {})}
                connection.request("GET", "/changes", headers=headers)
                answer = connection.getresponse()
                while answer.status == 200 and (line := answer.readline()):
                    if line.startswith(b"id: "):
                        last = line[4:].strip().decode()
                    elif line.startswith(b"data: ") and b"revision" in line:
                        seen.append(json.loads(line[6:])["revision"])
                    if self.may_stop.is_set() and len(seen) >= len(self.acknowledged):
                        return
            except (OSError, http.client.HTTPException):
                pass  # Killed, or silent for a while: the next connection goes on.
            finally:
                connection.close()
            time.sleep(0.02)
            if time.monotonic() > self.deadline:
                return

    def check(self, binary, url, pulled, followed):
        found = []
        cursor = ""
        while True:
            status, body = self.request(self.servers[0], "GET", f"/tasks?limit=200{cursor}")
            page = json.loads(body)
            found += [(task["title"], task["id"]) for task in page["items"]]
            if not page["nextCursor"]:
                break
            cursor = f"&cursor={page['nextCursor']}"
        ids = dict(found)
        lost = [title for title, task in self.acknowledged.items() if ids.get(title) != task]
        doubled = len(found) - len(ids)
        if lost or doubled:
            self.faults.append(f"{len(lost)} acknowledged tasks are lost, {doubled} are there twice")
        wanted = list(range(1, len(found) + 1))
        for name, seen in (("pulls", pulled), ("stream", followed)):
            if seen != wanted:
                self.faults.append(f"the {name} saw {len(seen)} revisions of {len(wanted)}, or in another order")
        result = subprocess.run([binary, "check", "--database", url], capture_output=True, text=True)
        if result.returncode != 0:
            self.faults.append(result.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=6, help="how often something is killed")
    parser.add_argument("binary")
    arguments = parser.parse_args()
    random.seed(17)
    postgres = Postgres()
    log = open(f"{postgres.directory}/servers.log", "wb") if os.access(postgres.directory, os.W_OK) else subprocess.DEVNULL
    servers = [Server(arguments.binary, postgres.url, log) for _ in range(2)]
    try:
        postgres.start()
        for server in servers:
            server.start()
        board = Board(servers)
        board.deadline = time.monotonic() + 240
        pulled, followed = [], []
        writers = [threading.Thread(target=board.write) for _ in range(WRITERS)]
        readers = [threading.Thread(target=board.pull, args=(pulled,)), threading.Thread(target=board.follow, args=(followed,))]
        for thread in writers + readers:
            thread.start()
        for number in range(arguments.kills):
            time.sleep(random.uniform(0.5, 1.5))
            if number % 2 == 0:
                postgres.stop("immediate")
                time.sleep(random.uniform(0, 0.5))
                postgres.start()
            else:
                server = random.choice(servers)
                server.stop()
                server.start()
        time.sleep(1)
        board.is_over.set()
        for thread in writers:
            thread.join()
        board.may_stop.set()
        for thread in readers:
            thread.join()
        board.check(arguments.binary, postgres.url, pulled, followed)
        print(f"{len(board.acknowledged)} tasks acknowledged over {arguments.kills} kills")
        for fault in board.faults:
            print(fault, file=sys.stderr)
        sys.exit(1 if board.faults else 0)
    finally:
        for server in servers:
            if getattr(server, "process", None) and server.process.poll() is None:
                server.stop()
        postgres.remove()


if __name__ == "__main__":
    main()
