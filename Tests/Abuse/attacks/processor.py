"""Attacks on the processors: requests that are dear, in bursts as large as the rate limit lets through."""

import json
import time
import uuid

from stage import attack


def burst(stage, requests, source="127.66.0.1"):
    """Each request on a connection of its own, all at once. Returns the answers by status."""
    connections = [stage.connect(source) for _ in requests]
    for connection, request in zip(connections, requests):
        connection.sendall(request)
    answers = {}
    for connection in connections:
        connection.settimeout(30)
        try:
            status = int(connection.recv(65_536)[9:12] or 0)
            while connection.recv(1 << 20):
                pass
        except OSError:
            status = 0
        answers[status] = answers.get(status, 0) + 1
        connection.close()
    return answers


def bursts(stage, request, count=150):
    total = {}
    while stage.goes_on():
        for status, number in burst(stage, [request(index) for index in range(count)]).items():
            total[status] = total.get(status, 0) + number
    return total


def closing(request):
    """The same request, after which the connection closes."""
    return request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


@attack("Bursts of 150 large pages of /changes", seconds=4)
def changes_burst(stage):
    token = stage.account()
    stage.fill(token, 5_000, body="x" * 1_000)
    stage.begin()
    return bursts(stage, lambda number: closing(stage.head("GET", f"/changes?limit={1_000 - number}", token)))


@attack("Bursts of 150 boards of 600 tasks", seconds=4)
def board_burst(stage):
    token = stage.account()
    stage.fill(token, 3_000, body="x" * 1_000)
    stage.begin()
    return bursts(
        stage, lambda number: closing(stage.head("GET", f"/board?limit={200 - number}&expand=deadline", token)))


@attack("Bursts of searches and statistics", seconds=4)
def search_burst(stage):
    token = stage.account()
    stage.fill(token, 5_000, body="x" * 1_000)
    stage.begin()
    return bursts(stage, lambda number: closing(
        stage.head("GET", "/stats" if number % 3 == 0 else f"/tasks?q=nothing{number}&limit=200", token)))


@attack("Four accounts with backlogs of searches over boards of 20,000 tasks", seconds=6, looks=20_000)
def greedy_searches(stage, count=20_000):
    tokens = [stage.account() for _ in range(4)]
    for number, token in enumerate(tokens):
        stage.fill(token, count, source=f"127.90.0.{number + 1}", body="x" * 500)
    stage.begin()
    # As many as may wait, of each, all the time.
    held, answers, asked = [], {}, 0
    for number in range(4):
        for _ in range(34):
            held.append((number, stage.connect(f"127.66.0.{number + 1}")))
    for number, connection in held:
        connection.setblocking(False)
        connection.sendall(stage.head("GET", f"/tasks?q=nothing{number}", tokens[number]))
    while stage.goes_on():
        for place, (number, connection) in enumerate(held):
            try:
                answer = connection.recv(65_536)
            except BlockingIOError:
                continue
            if not answer:
                # After many answers of 429.
                held[place] = number, connection = number, stage.connect(f"127.66.0.{number + 1}")
                connection.setblocking(False)
            else:
                answers[int(answer[9:12])] = answers.get(int(answer[9:12]), 0) + 1
            asked += 1
            connection.sendall(stage.head("GET", f"/tasks?q=nothing{asked}", tokens[number]))
        # From one look at all connections to the next.
        time.sleep(0.005)
    stage.require(answers.get(200, 0) > 20, "The searches were not answered:", answers)
    return answers


# The database's processes have the priority of all others, and share two cores with the server and the attacker.
@attack("The same over PostgreSQL, with boards of 5,000 tasks", seconds=6, looks=5_000, database=True, slack=3)
def greedy_searches_postgres(stage):
    return greedy_searches(stage, 5_000)


@attack("Bursts of 60 pushes of 500 mutations", seconds=4)
def push_burst(stage):
    token = stage.account()

    def push(_):
        mutations = [
            {"mutationId": str(uuid.uuid4()), "type": "task", "op": "create", "value": {"title": "x" * 100}}
            for _ in range(500)
        ]
        body = json.dumps({"mutations": mutations}).encode()
        head = stage.head("POST", "/sync", token, Content_Type="application/json", Content_Length=len(body))
        return closing(head) + body

    ready = [push(number) for number in range(60)]
    stage.begin()
    return bursts(stage, lambda number: ready[number], count=60)


@attack("Bursts of bodies of 1 MiB that hold nothing but small values", seconds=4)
def value_burst(stage):
    token = stage.account()
    body = b'{"title": [' + b"1," * 524_000 + b"1]}"
    request = stage.head("POST", "/tasks", token, Content_Type="application/json", Content_Length=len(body)) + body
    stage.begin()
    return bursts(stage, lambda number: closing(request), count=60)


@attack("Documents of 64 MiB that are cheap to write and dear to read", seconds=8)
def hostile_imports(stage):
    token = stage.account()
    size = 60 << 20
    documents = [
        b'{"tasks": [' + b"1," * (size // 2) + b"1]}",
        b'{"tasks": [[' + b"1," * (size // 2) + b"1]]}",
        b'{"settings": {"custom": [' + b'"",' * (size // 3) + b'""]}}',
        b'{"tasks": [' + b'{"title":"x"},' * (size // 14) + b'{"title":"x"}]}',
        b'{"tasks": [{"title": "' + b"x" * size + b'"}]}',
        b"[" * size,
        b'{"exportedAt": ' + b'{"":' * 60 + b"1" * size,
    ]
    stage.begin()
    answers = {}
    for document in documents:
        if not stage.goes_on():
            break
        connection = stage.connect()
        connection.settimeout(30)
        head = stage.head(
            "POST", "/import?dryRun=true", token, Content_Type="application/json", Content_Length=len(document),
            Connection="close")
        try:
            connection.sendall(head + document)
        except OSError:
            pass
        status, _ = stage.ask(connection, b"")
        stage.require(status != 200, "A hostile document was taken.")
        answers[status] = answers.get(status, 0) + 1
    return answers
