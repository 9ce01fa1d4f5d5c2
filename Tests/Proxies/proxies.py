#!/usr/bin/env python3
"""The proxies of the docs, as they stand there: only addresses are others. Each is to pass on who asks, streams as they
come, large bodies, tags that it weakened, and refusals.
"""

import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Crash"))

from harness import Server  # noqa: E402

PASSWORD = "correct horse battery"
MADE_UP = "203.0.113.9"
PATIENCE = 15  # seconds


def blocks(page, language):
    """The code of this language in a page of the docs."""
    return re.findall(rf"^```{language}\n(.*?)^```$", (ROOT / page).read_text(), re.M | re.S)


def block(page, language):
    found = blocks(page, language)
    if len(found) != 1:
        raise SystemExit(f"{page} has {len(found)} blocks of {language}")
    return found[0]


def moved(text, *addresses):
    """The text with other addresses, each of which it has."""
    for old, new in addresses:
        if old not in text:
            raise SystemExit(f"There is no {old!r} in:\n{text}")
        text = text.replace(old, new)
    return text


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Proxy:
    """A running proxy. `weakens`: whether it compresses what the server did not."""

    count = 0

    def __init__(self, name, folder, text, command, port, encrypts=False, weakens=False):
        self.name, self.port, self.encrypts, self.weakens = name, port, encrypts, weakens
        self.folder = folder
        # The client's address, and another one's. The server counts what they do wrong.
        Proxy.count += 1
        self.client, self.other = f"127.0.{Proxy.count}.7", f"127.0.{Proxy.count}.8"
        (folder / "configuration").write_text(text)
        self.log = open(folder / "log", "wb")
        environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env=environment)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise SystemExit(f"{name} does not start:\n{text}\n{self.log_text()}")
                time.sleep(0.02)

    def log_text(self):
        return (self.folder / "log").read_text(errors="replace")[-4000:]

    def connect(self, source=None):
        source = source or self.client
        if not self.encrypts:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE, source_address=(source, 0))
        context = ssl._create_unverified_context()
        return http.client.HTTPSConnection(
            "127.0.0.1", self.port, timeout=PATIENCE, source_address=(source, 0), context=context)

    def stop(self):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()


def nginx(name, folder, port, servers, page, compresses):
    """The block alone is not a whole configuration: it is in a `server`, and that in `http`."""
    text = block(page, "nginx")
    # nginx as an unprivileged process of one, with its files in the folder. Without this line it compresses nothing.
    frame = f"daemon off; master_process off; pid {folder}/pid; error_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n"
    frame += "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    if compresses:
        frame += "gzip on; gzip_types application/json; gzip_proxied any;\n"
    if "upstream" in text:
        text = moved(text, ("one:8080", servers[0]), ("two:8080", servers[-1]), ("listen 80;", f"listen 127.0.0.1:{port};"))
    else:
        text = f"server {{\nlisten 127.0.0.1:{port};\n{moved(text, ('127.0.0.1:8080', servers[0]))}}}\n"
    file = str(folder / "configuration")
    return Proxy(name, folder, f"{frame}{text}}}\n", ["nginx", "-p", str(folder), "-c", file], port, weakens=compresses)


def caddy(name, folder, port, servers):
    text = moved(
        block("docs/operations.md", "caddyfile"), ("kanbase.example.org", f"http://127.0.0.1:{port}"),
        ("127.0.0.1:8080", servers[0]))
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "configuration")]
    # Without the port by which it can be changed while it runs.
    return Proxy(name, folder, f"{{\nadmin off\n}}\n{text}", command, port)


def haproxy(name, folder, port, servers, compresses):
    pair = folder / "kanbase.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", str(folder / "key"), "-out", str(folder / "certificate")],
        check=True, capture_output=True)
    pair.write_text((folder / "certificate").read_text() + (folder / "key").read_text())
    text = moved(
        block("docs/operations.md", "haproxy"), ("bind :443", f"bind 127.0.0.1:{port}"),
        ("/etc/haproxy/kanbase.pem", str(pair)), ("127.0.0.1:8080", servers[0]))
    if compresses:
        text += "    compression algo gzip\n    compression type application/json\n"
    return Proxy(
        name, folder, text, ["haproxy", "-db", "-f", str(folder / "configuration")], port, encrypts=True,
        weakens=compresses)


def noise(width=500, height=690):
    """A PNG that nothing makes smaller: of nearly 1 MiB."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    lines = b"".join(b"\0" + os.urandom(width * 3) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 0)) + chunk(b"IEND", b"")


class Trial:
    """What a client sees through one proxy."""

    def __init__(self, proxy, server, token):
        self.proxy, self.server, self.token, self.faults = proxy, server, token, []
        self.connection = proxy.connect()

    def expect(self, condition, fault):
        if not condition:
            self.faults.append(f"{self.proxy.name}: {fault}")

    def send(self, method, target, body=None, connection=None, token=True, **headers):
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            fields["Authorization"] = f"Bearer {self.token}"
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        if body is not None:
            fields.setdefault("Content-Type", "application/json")
        connection = connection or self.connection
        connection.request(method, target, body, fields, encode_chunked=fields.get("Transfer-Encoding") == "chunked")
        answer = connection.getresponse()
        return answer, answer.read()

    def run(self):
        for part in (self.clients, self.conditions, self.uploads, self.stream, self.refusals):
            try:
                part()
            except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
                self.faults.append(f"{self.proxy.name}: {part.__name__}: {error!r}\n{self.proxy.log_text()}")
                self.connection.close()
        self.connection.close()
        return self.faults

    def line(self, number):
        """The log's line of the request with this id, once it is written."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for line in pathlib.Path(self.server.data + ".log").read_text().splitlines():
                if f'"{number}"' in line:
                    return json.loads(line)
            time.sleep(0.02)
        raise ValueError(f"no line of {number} in the log")

    def clients(self):
        """The server knows who asks, whatever the client writes into the field."""
        name = self.proxy.name.replace(" ", "-")
        for number, fields in (("1", {}), ("2", {"X_Forwarded_For": MADE_UP}), ("3", {"X_Forwarded_For": "127.0.0.1"})):
            answer, _ = self.send("GET", "/tasks", X_Request_Id=f"{name}-{number}", **fields)
            self.expect(answer.status == 200, f"a list is answered {answer.status}")
            line = self.line(f"{name}-{number}")
            self.expect(
                (line["peer"], line.get("proxy")) == (self.proxy.client, "127.0.0.1"), f"with {fields} the log has {line}")
        statuses, other = [], self.proxy.connect(self.proxy.other)
        for guess in range(7):
            answer, _ = self.send(
                "POST", "/sessions", {"email": f"{name}{guess}@example.org", "password": "wrong password"}, token=False,
                X_Forwarded_For=f"203.0.113.{guess}")
            statuses.append(answer.status)
        self.expect(statuses == [401] * 5 + [429] * 2, f"guesses under made-up addresses are answered {statuses}")
        answer, _ = self.send(
            "POST", "/sessions", {"email": f"{name}@example.org", "password": "wrong password"}, other, token=False)
        self.expect(answer.status == 401, f"another client's guess is answered {answer.status}")
        other.close()

    def conditions(self):
        """A tag is good in either direction, also when the proxy weakened it."""
        answer, body = self.send("POST", "/tasks", {"title": "one", "body": "long " * 100})
        path = f"/tasks/{json.loads(body)['id']}"
        answer, _ = self.send("GET", path, Accept_Encoding="gzip")
        tag = answer.getheader("ETag")
        self.expect(tag.startswith("W/") == self.proxy.weakens, f"the tag is {tag}")
        answer, _ = self.send("GET", path, Accept_Encoding="gzip", If_None_Match=tag)
        self.expect(answer.status == 304, f"a GET with {tag} is answered {answer.status}")
        answer, _ = self.send("PATCH", path, {"title": "two"}, If_Match=tag)
        self.expect(answer.status == 200, f"a PATCH with {tag} is answered {answer.status}")
        answer, _ = self.send("PATCH", path, {"title": "three"}, If_Match=tag)
        self.expect(answer.status == 412, f"a late PATCH with {tag} is answered {answer.status}")
        self.expect(self.send("DELETE", path)[0].status == 204, "a DELETE is refused")
        self.expect(self.send("HEAD", "/tasks")[0].status == 200, "a HEAD is refused")

    def uploads(self):
        """Bodies up to the limits of the server, and its own answer beyond them."""
        picture = noise()
        identifier = os.urandom(16).hex()
        path = f"/images/{identifier[:8]}-{identifier[8:12]}-4{identifier[13:16]}-a{identifier[17:20]}-{identifier[20:]}"
        answer, body = self.send("PUT", path, picture, Content_Type="image/png")
        self.expect(answer.status == 201, f"a picture of {len(picture)} bytes is answered {answer.status}: {body[:200]}")
        answer, body = self.send("GET", path)
        self.expect(body == picture, f"the picture comes back with {len(body)} bytes")
        self.send("POST", "/tasks", {"title": "in the export"})
        _, body = self.send("GET", "/export")
        task = json.loads(body)["tasks"][0]
        tasks = [{**task, "id": f"00000000-0000-4000-8000-{number:012}", "body": "x" * 900} for number in range(4_000)]
        document = json.dumps({"tasks": tasks}).encode()
        answer, body = self.send("POST", "/import?dryRun=true", document)
        self.expect(answer.status == 200, f"an import of {len(document)} bytes is answered {answer.status}: {body[:200]}")
        pieces = (document[start:start + 65_536] for start in range(0, len(document), 65_536))
        answer, body = self.send("POST", "/import?dryRun=true", pieces, Transfer_Encoding="chunked")
        self.expect(answer.status == 200, f"an import in chunks is answered {answer.status}: {body[:200]}")
        answer, body = self.send("POST", "/tasks", b" " * (2 << 20))
        self.expect(
            answer.status == 413 and b"payload_too_large" in body, f"a body of 2 MiB is answered {answer.status}: {body[:200]}")

    def stream(self):
        """Events come when they happen, not when some buffer is full."""
        stream = self.proxy.connect()
        stream.request("GET", "/changes", headers={
            "Authorization": f"Bearer {self.token}", "Accept": "text/event-stream", "Accept-Encoding": "gzip"})
        events = stream.getresponse()
        self.expect(events.status == 200, f"a stream is answered {events.status}")

        def wait_for(text):
            seen = b""
            while text not in seen:
                line = events.readline()
                if not line:
                    raise ValueError(f"the stream ended before {text}")
                seen = line
        wait_for(b"ready")
        for number in range(3):
            title = f"live {number} {os.urandom(4).hex()}"
            self.expect(self.send("POST", "/tasks", {"title": title})[0].status == 201, "a task is refused")
            # Much less than a heartbeat would take to push it out of a buffer.
            stream.sock.settimeout(5)
            wait_for(title.encode())
        stream.close()
        answer, _ = self.send("GET", "/changes?since=x", Prefer="wait=1")
        self.expect(answer.status == 400, f"a malformed cursor is answered {answer.status}")

    def refusals(self):
        """The proxy opens nothing: its connections come from this machine."""
        for path in ("/metrics", "/tasks", "/account"):
            for fields in ({}, {"X_Forwarded_For": "127.0.0.1"}):
                answer, _ = self.send("GET", path, token=False, **fields)
                self.expect(answer.status == 401, f"{path} without a token is answered {answer.status}")
        answer, _ = self.send("GET", "/health/ready", token=False)
        self.expect(answer.status == 200, f"/health/ready is answered {answer.status}")
        answer, body = self.send("GET", "/", token=False)
        self.expect(answer.status == 200 and b"<!doctype html>" in body.lower(), f"the board is answered {answer.status}")
        self.expect(
            answer.getheader("Cross-Origin-Resource-Policy") == "same-origin", "the board lacks the server's fields")


def compose_agrees():
    """The Compose file has the block of the docs."""
    def bare(text):
        return [line.split("#")[0].strip() for line in text.splitlines() if line.split("#")[0].strip()]
    compose = (ROOT / "compose.cluster.yaml").read_text()
    content = re.search(r"content: \|\n((?:      .*\n|\n)+)", compose)[1].replace("$$", "$")
    return bare(content) == bare(block("docs/cluster.md", "nginx"))


def main():
    subprocess.run([str(ROOT / "Scripts" / "need"), "nginx-light", "haproxy", "caddy", "openssl"], check=True)
    # Debian's are not on the path of every user.
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    binary = os.path.abspath(sys.argv[1])
    faults = [] if compose_agrees() else ["compose.cluster.yaml has another proxy than docs/cluster.md"]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="proxies-"))
    options = ("--auth", "required", "--trusted-proxy", "127.0.0.1", "--rate-limit", "0", "--log-format", "json",
               "--log-level", "info")
    server = Server(binary, str(folder / "data"), *options)
    try:
        email = {"email": "anna@example.org", "password": PASSWORD}
        # Behind no proxy, and it says so: what the proxies hide is to be warned about, not this.
        direct = server.client()
        direct.headers["X-Forwarded-For"] = MADE_UP
        assert direct.send("POST", "/accounts", email)[0] == 201
        token = direct.send("POST", "/sessions", email)[1]["token"]
        address = [f"127.0.0.1:{server.port}"]
        makers = [
            ("nginx", lambda *place: nginx(*place, address, "docs/operations.md", False)),
            ("nginx that compresses", lambda *place: nginx(*place, address, "docs/operations.md", True)),
            ("nginx of a cluster", lambda *place: nginx(*place, address, "docs/cluster.md", False)),
            ("Caddy", lambda *place: caddy(*place, address)),
            ("HAProxy", lambda *place: haproxy(*place, address, False)),
            ("HAProxy that compresses", lambda *place: haproxy(*place, address, True)),
        ]
        for name, make in makers:
            place = folder / name.replace(" ", "-")
            place.mkdir()
            began = time.monotonic()
            proxy = make(name, place, free_port())
            try:
                found = Trial(proxy, server, token).run()
            finally:
                proxy.stop()
            faults += found
            print(f"{'FAIL' if found else 'PASS'}  {name} ({time.monotonic() - began:.1f} s)", flush=True)
        log = pathlib.Path(server.data + ".log")
        if "X-Forwarded-For" in log.read_text():
            faults.append("the server warns of a proxy of the docs")
        server.stop()
    finally:
        if server.process.poll() is None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
