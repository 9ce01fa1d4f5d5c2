"""What happens to the files of a server of its own, while another one serves the stranger."""

import os
import sqlite3
import subprocess
import tempfile
import time

from harness import Client, Server, run
from stage import attack

TRIGGER = """
    CREATE TRIGGER backdoor AFTER INSERT ON sessions BEGIN
        INSERT INTO tokens (id, account, token_hash, name, scope, created_at)
        VALUES (randomblob(16), new.account, randomblob(32), 'backdoor', 'full', 0);
    END
"""


class Victim:
    """A server with one account and a task."""

    def __init__(self, stage, folder, wrapper=()):
        self.wrapper = wrapper
        self.binary = stage.server.process.args[0]
        self.data = os.path.join(folder, "data")
        self.file = os.path.join(self.data, "kanbase.sqlite")
        self.server = self.start()
        client = self.server.client()
        body = {"email": "victim@example.com", "password": "the victim's password"}
        client.send("POST", "/accounts", body)
        token = client.send("POST", "/sessions", body)[1]["token"]
        self.client = self.server.client(token)
        self.client.send("POST", "/tasks", {"title": "before"})

    def says(self, words):
        """True if the log has the words, which are written beside the answers."""
        ends = time.monotonic() + 10
        while words not in self.server.tail() and time.monotonic() < ends:
            time.sleep(0.05)
        return words in self.server.tail()

    def start(self):
        return Server(self.binary, self.data, "--auth", "required", wrapper=self.wrapper)


@attack("The data file is deleted under the server, or moved, or overwritten", seconds=12)
def lost_data(stage):
    stage.begin()
    for loss in ("deleted", "moved", "overwritten", "log deleted"):
        with tempfile.TemporaryDirectory(prefix="kanbase-victim-") as folder:
            victim = Victim(stage, folder)
            try:
                lose(victim, loss, folder)
                status, answer = victim.client.send("POST", "/tasks", {"title": "after"})
                stage.require(status == 503, loss, "and the write is answered", status, answer)
                status, _ = victim.client.send("GET", "/health/ready")
                stage.require(status == 503, loss, "and the server says that it is ready:", status)
                status, _ = victim.client.send("GET", "/health/live")
                stage.require(status == 200, loss, "and the server does not live:", status)
                stage.require(victim.says("moved, deleted or overwritten"), loss, "and the log is silent")
                if loss == "moved":
                    os.rename(victim.file + ".away", victim.file)
                    status, _ = victim.client.send("POST", "/tasks", {"title": "again"})
                    stage.require(status == 201, "The file is back, and a write is answered", status)
                    victim.server.stop()
                    victim.server = victim.start()
                    titles = {item["title"] for item in Client(
                        victim.server.port, victim.client.headers["Authorization"][7:]).walk("/tasks")}
                    stage.require({"before", "again"} <= titles, "The next start finds", titles)
            finally:
                victim.server.kill()
    return "4 ways"


def lose(victim, loss, folder):
    if loss == "deleted":
        os.remove(victim.file)
    elif loss == "moved":
        os.rename(victim.file, victim.file + ".away")
    elif loss == "log deleted":
        os.remove(victim.file + "-wal")
    else:
        backup = os.path.join(folder, "backup")
        run(victim.binary, "backup", backup, "--data", victim.data)
        with open(backup, "rb") as source, open(victim.file, "r+b") as target:
            target.truncate(0)
            target.write(source.read())


@attack("A trigger that makes a token at each log-in is planted in the data and in a backup", seconds=6)
def planted_trigger(stage):
    stage.begin()
    with tempfile.TemporaryDirectory(prefix="kanbase-victim-") as folder:
        victim = Victim(stage, folder)
        backup = os.path.join(folder, "backup")
        run(victim.binary, "backup", backup, "--data", victim.data)
        victim.server.stop()
        for file in (backup, victim.file):
            with sqlite3.connect(file) as connection:
                connection.execute(TRIGGER)
            connection.close()
        for command in (
            ("restore", backup, "--data", os.path.join(folder, "elsewhere")),
            ("check", "--data", victim.data),
            ("backup", os.path.join(folder, "second"), "--data", victim.data),
            ("serve", "--port", "0", "--data", victim.data),
        ):
            result = run(victim.binary, *command, check=False)
            stage.require(result.returncode == 65, command[0], "ends with", result.returncode, result.stderr)
            stage.require("trigger backdoor" in result.stderr, command[0], "says", result.stderr)
    return "4 commands refuse it"


# Without the privilege of root to write everywhere.
UNPRIVILEGED = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []


@attack("The data directory may no longer be written, under the server and at its start", seconds=8)
def read_only_directory(stage):
    stage.begin()
    with tempfile.TemporaryDirectory(prefix="kanbase-victim-") as folder:
        victim = Victim(stage, folder, UNPRIVILEGED)
        acknowledged, statuses = {"before"}, set()

        def write(title):
            status, answer = victim.client.send("POST", "/tasks", {"title": title})
            stage.require(status in (201, 503, 507), "A write is answered", status, answer)
            statuses.add(status)
            if status == 201:
                acknowledged.add(title)
            return status

        try:
            os.chmod(victim.data, 0o500)
            for number in range(20):
                write(f"task {number}")
            status, answer = victim.client.send("GET", "/tasks")
            stage.require(status == 200, "Reading is answered", status, answer)
            victim.server.kill()
            files = [os.path.join(victim.data, name) for name in os.listdir(victim.data)]
            for file in files:
                os.chmod(file, 0o400)
            result = subprocess.run(
                [*UNPRIVILEGED, victim.binary, "serve", "--port", "0", "--data", victim.data], capture_output=True,
                text=True, timeout=60)
            stage.require(result.returncode > 0 and victim.data in result.stderr, "The start ends with", result)
            for file in files:
                os.chmod(file, 0o600)
            os.chmod(victim.data, 0o700)
            victim.server = victim.start()
            victim.client = victim.server.client(victim.client.headers["Authorization"][7:])
            stage.require(write("again") == 201, "The directory may be written again, but not through the server.")
            titles = {item["title"] for item in victim.client.walk("/tasks")}
            stage.require(acknowledged <= titles, "Lost:", acknowledged - titles)
        finally:
            os.chmod(victim.data, 0o700)
            victim.server.kill()
    return f"writes were answered {sorted(statuses)}"
