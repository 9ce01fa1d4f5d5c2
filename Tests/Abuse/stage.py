"""What an attack has at hand, and what is held against it."""

import json
import multiprocessing
import os
import socket
import time
import traceback
import uuid

from harness import Server


class Fault(Exception):
    """The server did not hold."""


ATTACKS = []


class Bounds:
    """What may be seen at most while an attack runs. Times in ms, sizes in MiB."""

    def __init__(self, memory=400, disk=64, ready=50, factor=3, slack=1):
        """`factor` is how many times as long the stranger may wait as alone, and `slack` that of the floors below."""
        self.memory, self.disk, self.ready, self.factor = memory, disk, ready, factor
        # Below these a time says more about the scheduler of a machine with two cores, which the attacker uses too, than
        # about the server.
        floor = {"read": 25, "write": 50, "log-in": 300, "search": 25, "stats": 25, "trash": 25}
        self.floor = {kind: slack * time for kind, time in floor.items()}


def attack(title, seconds=5, options=(), wrapper=(), environment=None, key=None, looks=0, database=False, **bounds):
    """Registers a function as an attack.

    The function runs in a process of its own. It prepares what it needs, calls `stage.begin()`, and attacks for as long
    as `stage.goes_on()`. What it requires itself it says with `stage.require(condition, words)`.
    `options` are those of the server, `wrapper` is a command that starts it (`prlimit`), `environment` is added to the
    server's; a `{folder}` in it is the folder of the trial. With a `key` (`rsa:3072`) the server encrypts. With `looks`, the stranger
    has a board of `looks` tasks, too, on which it asks for what takes long. With a `database`, the server's data
    are in a throw-away PostgreSQL. `bounds` are the members of `Bounds` that differ for this attack.
    """

    def register(function):
        function.title, function.seconds, function.options = title, seconds, options
        function.wrapper, function.environment = list(wrapper), environment or {}
        function.key, function.looks, function.database = key, looks, database
        function.bounds = Bounds(**bounds)
        ATTACKS.append(function)
        return function

    return register


def fill(client, count, **members):
    """Gives the client's account tasks, slowly enough for the rate limit."""
    # As large as a body may be.
    step = min(500, (1_000_000 // (len(json.dumps(members)) + 300)))
    for start in range(0, count, step):
        mutations = [
            {"mutationId": str(uuid.uuid4()), "type": "task", "op": "create", "id": str(uuid.uuid4()),
             "value": {"title": f"task {number}", **members}}
            for number in range(start, min(count, start + step))
        ]
        status, answer = client.send("POST", "/sync", {"mutations": mutations})
        if status != 200 or any(result["status"] != "applied" for result in answer["results"]):
            raise Fault(f"A board cannot be filled: {status} {str(answer)[:300]}")


class Accounts:
    """Data with accounts that are logged in. A log-in takes most of a second, so each server begins with a copy of them."""

    ATTACKERS = 12  # the most that one attack needs
    NAMES = ["board", "log-in", "look", *(f"attacker{number}" for number in range(ATTACKERS))]

    def __init__(self, binary, data):
        self.data, self.tokens = data, {}
        server = Server(binary, data, "--auth", "required")
        for number, name in enumerate(self.NAMES):
            # Each from an address of its own, since sign-ups of one are limited.
            client = server.client(source=f"127.90.0.{number + 1}")
            who = credentials(name)
            client.send("POST", "/accounts", who)
            status, answer = client.send("POST", "/sessions", who)
            if status != 201:
                raise SystemExit(f"{name} cannot log in: {status} {answer}")
            self.tokens[name] = answer["token"]
        server.stop()


def credentials(name):
    return {"email": f"{name}@example.com", "password": f"the password of {name}"}


class Stage:
    """Where an attack takes place: one server, and the attacker's connections to it."""

    def __init__(self, server, tokens, folder, seconds, pipe):
        self.folder = folder
        self.server, self.port, self.seconds, self.pipe = server, server.port, seconds, pipe
        self.ends = None
        self.tokens = [tokens[f"attacker{number}"] for number in range(Accounts.ATTACKERS)]

    # Time

    def begin(self):
        """The preparations are over. Returns when the stranger was measured alone."""
        self.pipe.send(("prepared", None))
        self.pipe.recv()
        self.ends = time.monotonic() + self.seconds

    def goes_on(self):
        return time.monotonic() < self.ends

    def rest(self):
        """Does nothing until the end: for attacks that hold what they have."""
        time.sleep(max(0, self.ends - time.monotonic()))

    def require(self, condition, *words):
        if not condition:
            raise Fault(" ".join(map(str, words)))

    # Accounts

    def account(self):
        """The token of an account that this attack has not used yet."""
        return self.tokens.pop(0)

    def fill(self, token, count, source="127.90.0.1", **members):
        fill(self.server.client(token, source), count, **members)

    # Connections

    def connect(self, source="127.66.0.1", receives=None):
        """A raw connection. `receives` is the size of its receive buffer: a small one stalls an answer soon."""
        connection = socket.socket()
        if receives:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        connection.settimeout(20)
        connection.bind((source, 0))
        connection.connect(("127.0.0.1", self.port))
        return connection

    def head(self, method, target, token=None, **fields):
        """The bytes of a request without a body."""
        lines = [f"{method} {target} HTTP/1.1", "Host: localhost"]
        if token:
            lines.append(f"Authorization: Bearer {token}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()

    def ask(self, connection, bytes):
        """Sends a request, and returns the status and the rest of what came at once."""
        try:
            connection.sendall(bytes)
            answer = connection.recv(65_536)
        except OSError:
            return 0, b""
        return (int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0), answer


def perform(function, server, tokens, folder, pipe):
    """The attacker's process."""
    # Attackers have machines of their own; here they must not take the processors from the server and the stranger.
    os.nice(19)
    stage = Stage(server, tokens, folder, function.seconds, pipe)
    try:
        said = function(stage)
        pipe.send(("done", said))
    except Fault as fault:
        pipe.send(("failed", str(fault)))
    except BaseException:
        pipe.send(("failed", traceback.format_exc()))


def start(function, server, tokens, folder):
    mine, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=perform, args=(function, server, tokens, folder, theirs), daemon=True)
    process.start()
    return process, mine
