"""Starts `kanbase` and talks to it. Only what the standard library has."""

import http.client
import json
import os
import re
import select
import signal
import ssl
import subprocess
import time


class Gone(Exception):
    """The server did not answer: it was killed."""


class Server:
    """A server on a free port. `None` as its `port` when it was ended before it said that it listens."""

    def __init__(self, binary, data, *options, wait=True, wrapper=(), environment=None):
        self.data = data
        self.log = open(data + ".log", "ab")
        self.process = subprocess.Popen(
            [*wrapper, binary, "serve", "--port", "0", *([] if "--database" in options else ["--data", data]),
             "--log-level", "warning", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log,
            env={**os.environ, **(environment or {})})
        self.port = None
        self.encrypts = "--tls-certificate" in options
        self.started = time.monotonic()
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self, seconds=60):
        """Seconds from the start to the line that says so."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        line = self.process.stdout.readline().decode() if ready else ""
        match = re.search(r"listening on https?://.*:(\d+)$", line.strip())
        if not match:
            self.process.kill()
            code = self.process.wait()
            raise SystemExit(f"The server does not start ({code}): {line!r}\n{self.tail()}")
        self.port = int(match.group(1))
        return time.monotonic() - self.started

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.close()
        if code != 0:
            raise SystemExit(f"The server ended with {code} instead of 0\n{self.tail()}")

    def close(self):
        self.process.stdout.close()
        self.log.close()

    def tail(self):
        with open(self.data + ".log", "rb") as log:
            return log.read()[-4000:].decode(errors="replace")

    def client(self, token=None, source=None):
        return Client(self.port, token, source, self.encrypts)


class Client:
    """A kept connection. Raises `Gone` when the server does not answer."""

    def __init__(self, port, token=None, source=None, encrypts=False):
        """`source` is the client's own address: any of 127.0.0.0/8. Certificates are not verified."""
        kind, fields = http.client.HTTPConnection, {}
        if encrypts:
            kind, fields = http.client.HTTPSConnection, {"context": ssl._create_unverified_context()}
        self.connection = kind(
            "127.0.0.1", port, timeout=60, source_address=(source, 0) if source else None, **fields)
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def send(self, method, target, body=None, **headers):
        fields = dict(self.headers)
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        payload = None
        if body is not None:
            payload = json.dumps(body).encode()
            fields.setdefault("Content-Type", "application/json")
        try:
            self.connection.request(method, target, payload, fields)
            response = self.connection.getresponse()
            content = response.read()
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Gone from error
        is_json = "json" in (response.getheader("Content-Type") or "")
        return response.status, json.loads(content) if content and is_json else content

    def walk(self, target):
        """All items of a list, by its cursors."""
        items, cursor = [], None
        while True:
            joint = "&" if "?" in target else "?"
            status, page = self.send("GET", target + (f"{joint}cursor={cursor}" if cursor else ""))
            if status != 200:
                raise SystemExit(f"GET {target} answers {status}: {page}")
            items += page["items"]
            cursor = page["nextCursor"]
            if not cursor:
                return items

    def changes(self):
        """The whole live state, by the change feed; `None` where there is no feed."""
        live, target = {}, "/changes?limit=1000"
        while True:
            status, page = self.send("GET", target)
            if status == 404:
                return None
            if status != 200:
                raise SystemExit(f"GET {target} answers {status}: {page}")
            for change in page["changes"]:
                if change["deleted"]:
                    live.pop(change["id"], None)
                else:
                    live[change["id"]] = change
            if not page["hasMore"]:
                return live
            target = f"/changes?limit=1000&since={page['cursor']}"


def run(binary, *arguments, check=True):
    """A command that ends by itself."""
    result = subprocess.run([binary, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    if check and result.returncode != 0:
        raise SystemExit(f"kanbase {' '.join(arguments)} ended with {result.returncode}: {result.stderr}")
    return result


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0
