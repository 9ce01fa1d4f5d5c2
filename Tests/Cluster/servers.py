"""Kanbase servers of a test."""

import os
import random
import signal
import subprocess
import sys
import time


class Server:
    def __init__(self, binary, url, log, *options, on_command_line=False):
        self.binary, self.log = binary, log
        self.extra, self.on_command_line = list(options), on_command_line
        self.port = None
        self.process = None
        self.work_on(url)

    def work_on(self, place):
        """Names the data of the next start: the address of a database, or a directory."""
        self.url = place
        is_option = self.on_command_line or "://" not in place
        name = "--database" if "://" in place else "--data"
        self.options = [*self.extra, *([name, place] if is_option else [])]
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("KANBASE_", "PG"))},
            **({} if is_option else {"KANBASE_DATABASE": place})}

    def start(self):
        """Takes the port of before, which its clients know; the first is outside of those that connections are given."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            port = self.port or random.randint(20_000, 30_000)
            self.process = subprocess.Popen(
                [self.binary, "serve", "--port", str(port), *self.options], stdout=subprocess.PIPE, stderr=self.log,
                env=self.environment)
            if b"listening on" in self.process.stdout.readline():
                self.port = port
                return
            self.process.wait(timeout=120)
            # Before the next attempt: the port may be taken, or PostgreSQL away.
            time.sleep(0.25)
        sys.exit("the server does not start")

    def stop(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(timeout=120)

    def end(self):
        if self.process and self.process.poll() is None:
            self.stop()
