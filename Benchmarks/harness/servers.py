"""The servers: Kanbase and those it is compared with. Each is a process that listens on a loopback port."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import time

from . import machine

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A running server, from its start to `stop()`."""

    running = []
    scheme = "http"

    def __init__(self, name, command, port, **options):
        Server.running.append(self)
        self.name = name
        self.port = port
        self.process = subprocess.Popen(
            machine.on_servers_processors(command), stdin=subprocess.DEVNULL, **options)

    @property
    def pid(self):
        return self.process.pid

    def wait_until_ready(self, path, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} ended with {self.process.returncode}")
            try:
                if self.get(path)[0] < 500:
                    return self
            except OSError:
                pass
            time.sleep(0.005)
        raise SystemExit(f"{self.name} does not answer")

    def connect(self):
        if self.scheme == "http":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=600, context=context)

    def call(self, method, path, body=None, headers=None):
        """One request on a connection of its own: status, headers, body."""
        connection = self.connect()
        connection.request(method, path, body, headers or {})
        response = connection.getresponse()
        answer = response.status, dict(response.getheaders()), response.read()
        connection.close()
        return answer

    def get(self, path, headers=None):
        return self.call("GET", path, headers=headers)

    def json(self, path):
        status, _, body = self.get(path)
        if status != 200:
            raise SystemExit(f"{self.name} answers {status} to {path}: {body[:200]!r}")
        return json.loads(body)

    def download(self, path):
        """Reads an answer to its end and forgets it. Returns the bytes of its body."""
        connection = self.connect()
        connection.request("GET", path)
        response = connection.getresponse()
        size = 0
        while part := response.read1(1 << 18):
            size += len(part)
        if response.status != 200:
            raise SystemExit(f"{self.name} answers {response.status} to {path}")
        return size

    def stop(self):
        Server.running.remove(self)
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Kanbase(Server):
    """The release build, with its request log off, as the others have none."""

    binary = None

    def __init__(self, data, *options, under=()):
        self.data = data
        command = [*under, self.binary, "serve", "--port", "0", "--data", data, "--log-level", "warning", *options]
        self.began = time.perf_counter()
        super().__init__("kanbase", command, 0, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        announced = re.search(r"(https?)://.*:(\d+)$", line.strip())
        if not announced:
            raise SystemExit("kanbase did not start")
        self.scheme, self.port = announced.group(1), int(announced.group(2))
        self.wait_until_ready("/health/ready")
        self.seconds_to_ready = time.perf_counter() - self.began

    @classmethod
    def load(cls, data, document):
        """Fills a new data directory. Returns the seconds that it took."""
        began = time.perf_counter()
        subprocess.run([cls.binary, "import", document, "--data", data], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - began


class Nginx(Server):
    """nginx `return`ing for every path what Kanbase answered, head and body, byte for byte as many."""

    def __init__(self, directory, answers, certificate=None):
        """`answers`: for each name the status, headers and body that a port of its own returns, over TLS with the files of
        a certificate and its key."""
        self.ports = {name: free_port() for name in answers}
        self.scheme = "https" if certificate else "http"
        listen = " ssl" if certificate else ""
        servers = "\n".join(self.block(f"{self.ports[name]}{listen}", *answer) for name, answer in answers.items())
        if certificate:
            servers = "    ssl_protocols TLSv1.3;\n    ssl_certificate {};\n    ssl_certificate_key {};\n{}".format(
                *certificate, servers)
        with open(f"{HERE}/rivals/nginx.conf") as file:
            text = file.read()
        for key, value in (("workers", str(len(machine.servers))), ("directory", directory), ("servers", servers)):
            text = text.replace("{" + key + "}", value)
        path = os.path.join(directory, "nginx.conf")
        with open(path, "w") as file:
            file.write(text)
        command = [machine.find("nginx"), "-c", path, "-e", "stderr", "-p", directory]
        super().__init__("nginx", command, next(iter(self.ports.values())))
        self.wait_until_ready("/")

    @staticmethod
    def block(port, status, headers, body):
        """`return` takes at most 4 KiB a word, hence the pieces."""
        lines = [f"listen 127.0.0.1:{port};"]
        for name, value in headers.items():
            if name.lower() not in ("date", "content-length", "content-type"):
                lines.append(f"add_header {name} {quoted(value)};")
        text = body.decode()
        pieces = [text[start:start + 1000] for start in range(0, len(text), 1000)]
        lines += [f"set $piece{index} {quoted(piece)};" for index, piece in enumerate(pieces)]
        words = "".join(f"${{piece{index}}}" for index in range(len(pieces)))
        lines.append(f'location / {{ return {status} "{words}"; }}' if status == 200
                     else f"location / {{ return {status}; }}")
        return "    server {\n        " + "\n        ".join(lines) + "\n    }"

    def at(self, name):
        """The same server, by the port of one of its answers."""
        return At(self, self.ports[name])


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class At:
    """A server seen through another of its ports."""

    def __init__(self, server, port):
        self.name, self.pid, self.port, self.scheme = server.name, server.pid, port, server.scheme


class Node(Server):
    def __init__(self, name, document, log=None):
        port = free_port()
        command = ["node", f"{HERE}/rivals/tasks.js", str(port), document] + ([log] if log else [])
        super().__init__(name, command, port, stdout=subprocess.DEVNULL)
        self.wait_until_ready("/tasks?limit=1")


class FastAPI(Server):
    """uvicorn with uvloop and httptools, a process a core."""

    def __init__(self, python, document, database):
        port = free_port()
        environment = os.environ | {"DATABASE": database}
        subprocess.run([python, f"{HERE}/rivals/tasks.py", document], env=environment, check=True)
        command = [python, "-m", "uvicorn", "tasks:app", "--app-dir", f"{HERE}/rivals", "--port", str(port),
                   "--workers", str(len(machine.servers)), "--log-level", "warning", "--no-access-log"]
        super().__init__("fastapi", command, port, env=environment)
        self.wait_until_ready("/tasks?limit=1")

    @staticmethod
    def environment(directory):
        """The interpreter of a virtual environment with FastAPI, made when it is not there."""
        python = os.path.join(directory, "bin", "python")
        if not os.path.exists(os.path.join(directory, "bin", "uvicorn")):
            subprocess.run([sys.executable, "-m", "venv", directory], check=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", "fastapi", "uvicorn[standard]"], check=True)
        return python
