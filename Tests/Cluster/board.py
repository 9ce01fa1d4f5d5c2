"""Clients of servers that share a database: they write until they are certain, read in order, and know what must be there."""

import http.client
import json
import random
import subprocess
import threading
import time
import uuid

# Seconds before the next attempt while servers or the database are away.
RETRY = 0.05
# Seconds between two pulls of a puller.
PACE = 0.01


class Board:
    """What the clients know: which tasks were acknowledged, and which servers there are."""

    def __init__(self, servers, seconds, token=None):
        self.servers = servers
        # Of an account; without one, the servers have one board.
        self.token = token
        # The id of each acknowledged task by its title.
        self.acknowledged = {}
        self.is_over = threading.Event()
        self.may_stop = threading.Event()
        # Nobody waits for the clients.
        self.is_abandoned = threading.Event()
        # Seconds that a client waits for an answer.
        self.patience = 20
        # Seconds between two writes of a writer.
        self.pause = 0
        self.deadline = time.monotonic() + seconds
        self.faults = []
        # Answers that reported a commit of which nobody knew.
        self.unsettled = 0
        self.pulled, self.followed = [], []

    @property
    def access(self):
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def request(self, server, method, path, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=self.patience)
        try:
            sent = {"Content-Type": "application/json", **self.access, **dict(headers)}
            connection.request(method, path, body=body and json.dumps(body), headers=sent)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def run(self, writers):
        """Starts the clients."""
        targets = [self.create if number % 2 == 0 else self.push for number in range(writers)]
        self.writers = [threading.Thread(target=self.write, args=(target,)) for target in targets]
        self.readers = [threading.Thread(target=self.pull), threading.Thread(target=self.follow)]
        for thread in self.writers + self.readers:
            thread.start()

    def end(self):
        """Returns when the clients have read what was written."""
        self.is_over.set()
        for thread in self.writers:
            thread.join()
        self.may_stop.set()
        for thread in self.readers:
            thread.join()

    # Writing

    def create(self, title, key, server=None):
        status, body = self.request(
            server or random.choice(self.servers), "POST", "/tasks", {"title": title}, [("Idempotency-Key", key)])
        return status, body, json.loads(body)["id"] if status == 201 else None

    def push(self, title, key):
        mutation = {"mutationId": key, "type": "task", "op": "create", "id": key, "value": {"title": title}}
        status, body = self.request(random.choice(self.servers), "POST", "/sync", {"mutations": [mutation]})
        if status == 200 and json.loads(body)["results"][0]["status"] != "applied":
            return 0, body, None
        return status, body, key if status == 200 else None

    def write(self, send):
        """Repeats each write with its key until the answer is certain."""
        while not self.is_over.is_set():
            key, title = str(uuid.uuid4()), str(uuid.uuid4())
            while not self.is_abandoned.is_set():
                try:
                    status, body, task = send(title, key)
                except (OSError, http.client.HTTPException):
                    time.sleep(RETRY)
                    continue
                if task:
                    self.acknowledged[title] = task
                    time.sleep(self.pause)
                    break
                if status not in (409, 503):
                    self.faults.append(f"a write was answered {status}: {body[:300]}")
                    return
                self.unsettled += b"during the commit" in body
                time.sleep(RETRY)

    # Reading

    def pull(self):
        cursor = None
        while not self.is_abandoned.is_set():
            was_over = self.may_stop.is_set()
            try:
                path = "/changes?limit=100" + (f"&since={cursor}" if cursor else "")
                status, body = self.request(random.choice(self.servers), "GET", path)
            except (OSError, http.client.HTTPException):
                time.sleep(RETRY)
                continue
            if status != 200:
                if status != 503:
                    self.faults.append(f"a pull was answered {status}: {body[:300]}")
                    return
                time.sleep(RETRY)
                continue
            page = json.loads(body)
            self.pulled += [change["revision"] for change in page["changes"]]
            cursor = page["cursor"]
            if was_over and not page["changes"]:
                return
            time.sleep(PACE)

    def follow(self):
        last = seen = None

        def is_done():
            return self.may_stop.is_set() and len(self.followed) >= len(self.acknowledged)

        while not is_done():
            if self.is_abandoned.is_set() or time.monotonic() > self.deadline:
                return
            connection = http.client.HTTPConnection("127.0.0.1", random.choice(self.servers).port, timeout=2)
            try:
                headers = {"Accept": "text/event-stream", **self.access, **({"Last-Event-ID": last} if last else {})}
                connection.request("GET", "/changes", headers=headers)
                answer = connection.getresponse()
                while answer.status == 200 and (line := answer.readline()):
                    if not line.endswith(b"\n"):
                        break  # Cut off.
                    if line.startswith(b"id: "):
                        seen = line[4:].strip().decode()
                    elif line.startswith(b"data: ") and b"revision" in line:
                        self.followed.append(json.loads(line[6:])["revision"])
                        last = seen
                    if is_done():
                        return
            except (OSError, http.client.HTTPException):
                pass  # Killed, or silent for a while: the next connection goes on.
            finally:
                connection.close()
            time.sleep(RETRY)

    def read_everything(self, clients=4, rounds=10):
        """Each client writes through one server and reads through another, in every way: each read is answered, by its own
        rows."""
        def run():
            for _ in range(rounds):
                if self.faults:
                    return
                title = str(uuid.uuid4())
                writing, reading = random.sample(self.servers, 2)
                status, body, task = self.create(title, title, writing)
                if not task:
                    self.faults.append(f"a create was answered {status}: {body[:300]}")
                    return
                self.acknowledged[title] = task
                for path in ("/tasks?limit=5", "/board", "/changes?limit=3", "/export"):
                    try:
                        status, body = self.request(reading, "GET", path)
                    except (OSError, http.client.HTTPException) as error:
                        status, body = 0, repr(error).encode()
                    if status != 200 or path == "/export" and title.encode() not in body:
                        self.faults.append(f"GET {path} was answered {status}: {body[:300]}")

        threads = [threading.Thread(target=run) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def command(self, binary, url):
        """Twice, because the second one may be given the session of the first."""
        for command in (["account", "list"], ["check"], ["migrate"]) * 2:
            ended = subprocess.run([binary, *command, "--database", url], capture_output=True, text=True)
            if ended.returncode != 0:
                self.faults.append(f"kanbase {' '.join(command)} ends with {ended.returncode}: {ended.stderr}")

    # Looking for what is wrong

    def listed(self, server):
        """The title and the id of each task."""
        found, cursor = [], ""
        while True:
            status, body = self.request(server, "GET", f"/tasks?limit=200{cursor}")
            if status != 200:
                self.faults.append(f"a list was answered {status}: {body[:300]}")
                return found
            page = json.loads(body)
            found += [(task["title"], task["id"]) for task in page["items"]]
            if not page["nextCursor"]:
                return found
            cursor = f"&cursor={page['nextCursor']}"

    def check(self, binary, url):
        lists = [sorted(self.listed(server)) for server in self.servers]
        found = lists[0]
        if any(other != found for other in lists):
            self.faults.append("the servers do not show the same tasks")
        ids = dict(found)
        lost = [title for title, task in self.acknowledged.items() if ids.get(title) != task]
        doubled = len(found) - len(ids)
        if lost or doubled:
            self.faults.append(f"{len(lost)} acknowledged tasks are lost, {doubled} are there twice")
        wanted = list(range(1, len(found) + 1))
        for name, seen in (("pulls", self.pulled), ("stream", self.followed)):
            if seen != wanted:
                self.faults.append(f"the {name} saw {len(seen)} revisions of {len(wanted)}, or in another order")
        self.require_soundness(binary, url)

    def require_soundness(self, binary, url):
        place = "--database" if "://" in url else "--data"
        result = subprocess.run([binary, "check", place, url], capture_output=True, text=True)
        if result.returncode != 0:
            self.faults.append(result.stderr)
