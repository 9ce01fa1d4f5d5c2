"""A server of its own for each test, and pages of Chromium on it."""

import asyncio
import contextlib
import functools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KANBASE = os.environ.get("KANBASE", str(ROOT / ".build/debug/kanbase"))
#: What serves; another program may stand before it while pages are written.
SERVER = os.environ.get("KANBASE_SERVER", KANBASE)
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
#: The same without its windows, which takes half of the processor's time for a page.
SHELL = f"{CHROMIUM}-headless-shell" if os.path.exists(f"{CHROMIUM}-headless-shell") else CHROMIUM
#: What the targets of speed are multiplied with, on machines that are slower than one that does nothing else.
SLACK = float(os.environ.get("KANBASE_WEB_SLACK", "1"))
#: How many seconds a condition has to come true. No test waits that long unless it fails.
PATIENCE = 30 * max(1, SLACK)
#: Milliseconds, `50-300`, that everything between a page and its server takes in either direction.
DELAY = os.environ.get("KANBASE_WEB_DELAY")
LANGUAGES = {"en": "en-US", "ko": "ko-KR", "ja": "ja-JP"}


class Server:
    """
    A Kanbase server; `stop` and `start` keep its port and its data. With `sun`, sun@example.org has an account on it and `token` is
    one of hers.
    """

    def __init__(self, *options, sun=False):
        self.folder = tempfile.TemporaryDirectory(prefix="kanbase-web-")
        self.data = os.path.join(self.folder.name, "data")
        if sun:
            prepared, self.token = with_sun()
            shutil.copytree(prepared.data, self.data)
        self.options = options or ("--auth", "open")
        self.port = 0
        self.process = None
        self.start()
        self.slow = SlowLine(self, DELAY) if DELAY else None

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
        """Where pages find it."""
        return f"http://127.0.0.1:{self.slow.port if self.slow else self.port}"

    def stop(self):
        self.process.terminate()
        self.process.wait(120)
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
        if self.slow:
            self.slow.close()
        self.folder.cleanup()

    def call(self, method, path, body=None, token=None):
        is_bytes = isinstance(body, bytes)
        headers = {"Content-Type": "application/octet-stream" if is_bytes else "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = body if body is None or is_bytes else json.dumps(body).encode()
        address = f"http://127.0.0.1:{self.port}{path}"
        request = urllib.request.Request(address, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def run(self, *command):
        """Runs a command on the data while the server serves it."""
        subprocess.run([KANBASE, *command, "--data", self.data], check=True, stdout=subprocess.DEVNULL)

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


@functools.cache
def with_sun():
    """
    A stopped server with the account of sun@example.org, whose data others begin with, and a token of hers. A password takes a quarter
    of a second of the processor each time that it is hashed.
    """
    server = Server("--auth", "required", "--rate-limit", "0")
    token = server.account()
    server.stop()
    return server, token


class SlowLine:
    """A port before a server that passes everything on, each piece some milliseconds late and in order."""

    def __init__(self, server, delay):
        self.server = server
        #: What becomes of a piece.
        self.change = lambda piece: piece
        self.least, self.most = (int(part) / 1000 for part in delay.split("-"))
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        self.loop.run_until_complete(asyncio.start_server(self.connect, sock=self.socket))
        self.loop.run_forever()

    async def connect(self, reader, writer):
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.server.port)
        except OSError:
            return writer.close()
        await asyncio.gather(self.carry(reader, back), self.carry(there, writer))

    async def carry(self, reader, writer):
        late = 0
        while True:
            try:
                piece = await reader.read(65536)
            except OSError:
                piece = b""
            piece = self.change(piece)
            # Timers of the same moment would not keep the order.
            late = max(late + 1e-6, self.loop.time() + random.uniform(self.least, self.most))
            self.loop.call_at(late, writer.write if piece else writer.close, *([piece] if piece else []))
            if not piece:
                return

    def close(self):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop)

    async def end(self):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.loop.stop()


@contextlib.contextmanager
def launched(playwright, path):
    # Drawing in the browser's own process: without a graphics card, another process only takes more of the processor's time. With that
    # limit a page opens in the process of the empty page before it, which would otherwise be thrown away for a new one.
    browser = playwright.chromium.launch(
        executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage", "--in-process-gpu", "--renderer-process-limit=1"]
    )
    yield browser
    browser.close()


@contextlib.contextmanager
def modules(chromium, beginning):
    """Runs JavaScript in the browser's own engine, after a beginning that imports the board's modules."""
    server = Server()
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    page.goto(server.url + "/reset")
    yield lambda body, argument=None: page.evaluate(f"async (argument) => {{ {beginning}\n{body} }}", argument)
    context.close()
    server.close()


def columns(page):
    """The titles on the board, by column."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.column')].map((column) =>
            [column.dataset.column, [...column.querySelectorAll('.card .open')].map((open) => open.textContent)]))"""
    )


def card(page, title):
    return page.locator(".card", has=page.locator(".open", has_text=re.compile(f"^{re.escape(title)}$")))


def becomes(wanted, look):
    """Waits until `look()` is `wanted`."""
    deadline, pause = time.monotonic() + PATIENCE, 0.02
    while (seen := look()) != wanted and time.monotonic() < deadline:
        time.sleep(pause)
        # Each look takes the processor's time from the page that is waited for.
        pause = min(0.2, pause * 1.4)
    assert seen == wanted, f"{seen} is not {wanted}"


def shows(page, **wanted):
    """Waits until these columns of the board hold these titles."""
    becomes(wanted, lambda: {name: titles for name, titles in columns(page).items() if name in wanted})


def saved(page):
    """Waits until nothing is unsent. True of what was done before: the page says so in the task of the edit."""
    page.wait_for_selector("#state[data-kind=live]")


def open_filters(page):
    if not page.locator(".filters").is_visible():
        page.locator("#filter").click()
    page.locator(".filters").wait_for()


def open_questions(page):
    """Opens the questions of the board, once there are some."""
    page.wait_for_selector("#state[data-kind=issues]")
    page.locator("#state").click()


def make_refused_category(page, button, name):
    """Makes a category in the screen of categories, as a page that does not check its emoji; the server refuses it."""
    page.get_by_role("button", name=button).click()
    page.locator("dialog input").first.fill(name)
    page.locator("dialog input.short").fill("no emoji")
    page.locator("dialog input.short").evaluate("(input) => input.setCustomValidity('')")
    page.locator("dialog button.primary").click()


def loaded(page):
    """Waits until the screen shows what it asked the server for."""
    page.wait_for_selector("main h1", state="attached")
    expect(page.locator("main .loading")).to_have_count(0)


def visit(page, screen):
    """Shows a screen of the page that is open, as its links do: opening the page anew takes several times as long."""
    page.evaluate(
        "(address) => { history.pushState({ from: location.search }, '', address); dispatchEvent(new PopStateEvent('popstate')); }",
        f"/?screen={screen}",
    )
    loaded(page)


def wait_for(page, predicate, argument=None):
    """
    Waits until a function of JavaScript returns true. A bare expression would be refused by the policy of the page. One that is
    async is not waited for, since a promise is something: ask with `becomes`.
    """
    assert "=>" in predicate and not predicate.lstrip().startswith("async") and ".then(" not in predicate
    page.wait_for_function(predicate, arg=argument)


def installed(page):
    """Waits until the page opens without a server. Its test is marked with `worker`."""
    becomes(True, lambda: page.evaluate("() => navigator.serviceWorker.getRegistration().then((worker) => Boolean(worker?.active))"))


def closed(page):
    """Waits until the editor is gone, and with it the address of its task."""
    page.wait_for_selector("dialog.editor", state="detached")


def add(page, title, status="todo"):
    line = page.locator(f"[data-column={status}] .add input")
    # On a phone, one button for the column that is shown.
    button = page.locator(f"[data-column={status}] .add-open:visible, .round:visible").first
    line.or_(button).locator("visible=true").first.wait_for()
    if not line.is_visible():
        button.click()
    line.fill(title)
    line.press("Enter")
