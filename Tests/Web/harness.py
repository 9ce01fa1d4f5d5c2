"""A server of its own for each test, and pages of Chromium on it."""

import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KANBASE = os.environ.get("KANBASE", str(ROOT / ".build/debug/kanbase"))
#: What serves; another program may stand before it while pages are written.
SERVER = os.environ.get("KANBASE_SERVER", KANBASE)
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
LANGUAGES = {"en": "en-US", "ko": "ko-KR", "ja": "ja-JP"}


class Server:
    """A Kanbase server; `stop` and `start` keep its port and its data."""

    def __init__(self, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="kanbase-web-")
        self.data = os.path.join(self.folder.name, "data")
        self.options = options or ("--auth", "open")
        self.port = 0
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [SERVER, "serve", "--port", str(self.port), "--data", self.data, "--log-level", "error", *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        for line in self.process.stdout:
            if found := re.search(r"listening on http://[^:]+:(\d+)", line):
                self.port = int(found[1])
                return
        raise RuntimeError("The server did not start.")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.process.stdout.close()

    def hang(self):
        """Connections are taken, and nothing is answered."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        if self.process.poll() is None:
            self.go_on()
            self.stop()
        self.folder.cleanup()

    def call(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def task(self, title="A task", **members):
        return self.call("POST", "/tasks", {"title": title, **members})

    def tasks(self, query=""):
        return self.call("GET", f"/tasks?limit=200&sort=position{query}")["items"]

    def fill(self, count, statuses=("todo", "doing", "done")):
        """Many tasks at once."""
        for start in range(0, count, 500):
            mutations = [
                {
                    "mutationId": f"00000000-0000-4000-8000-{number:012x}",
                    "type": "task",
                    "op": "create",
                    "id": f"11111111-0000-4000-8000-{number:012x}",
                    "value": {"title": f"Task {number}", "status": statuses[number % len(statuses)]},
                }
                for number in range(start, min(start + 500, count))
            ]
            self.call("POST", "/sync", {"mutations": mutations})

    def account(self, email="sun@example.org", password="correct horse"):
        """Makes an account and returns a token of it."""
        self.call("POST", "/accounts", {"email": email, "password": password})
        return self.call("POST", "/sessions", {"email": email, "password": password})["token"]


class Blackhole:
    """A port that takes connections and answers nothing."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.taken = []
        threading.Thread(target=self.take, daemon=True).start()

    def take(self):
        with contextlib.suppress(OSError):
            while True:
                self.taken.append(self.socket.accept()[0])


def columns(page):
    """The titles on the board, by column."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.column')].map((column) =>
            [column.dataset.column, [...column.querySelectorAll('.card .open')].map((open) => open.textContent)]))"""
    )


def card(page, title):
    return page.locator(".card", has=page.locator(".open", has_text=re.compile(f"^{re.escape(title)}$")))


def saved(page):
    """Waits until nothing is unsent."""
    page.wait_for_selector("#state[data-kind=live]")


def wait_for(page, expression, argument=None, timeout=10000):
    page.wait_for_function(expression, arg=argument, timeout=timeout)


def add(page, title, status="todo"):
    column = page.locator(f"[data-column={status}]")
    button = column.locator(".add-open")
    if button.is_visible():
        button.click()
    column.locator(".add input").fill(title)
    column.locator(".add input").press("Enter")
