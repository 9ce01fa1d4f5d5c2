"""Attacks on the memory of the server: it holds what clients do not take, or do not send to its end."""

import gzip

from stage import attack


def stall(stage, connections, request):
    """Asks on each connection and takes nothing."""
    for connection in connections:
        connection.settimeout(5)
        try:
            connection.sendall(request)
        except OSError:
            # Cut off: that is the defence.
            pass
    stage.rest()


@attack("Twenty readers of /today of 16,060 overdue tasks take nothing", seconds=4)
def stalled_today(stage):
    token = stage.account()
    stage.fill(token, 16_060, dueDate="2020-01-01", body="한" * 1_000)
    stage.begin()
    connections = [stage.connect(receives=4_096) for _ in range(20)]
    stall(stage, connections, stage.head("GET", "/today", token) * 20)


@attack("Two hundred readers of large pages of /changes take nothing", seconds=4)
def stalled_changes(stage):
    token = stage.account()
    stage.fill(token, 2_000, body="한" * 1_000)
    stage.begin()
    connections = [stage.connect(receives=4_096) for _ in range(200)]
    stall(stage, connections, stage.head("GET", "/changes?limit=1000", token) * 8)


@attack("Readers of four accounts take nothing of large lists and boards", seconds=4)
def stalled_lists(stage):
    tokens = [stage.account() for _ in range(4)]
    for token in tokens:
        stage.fill(token, 600, body="한" * 1_000)
    stage.begin()
    for token in tokens:
        for target in ("/board?limit=200", "/tasks?limit=200&expand=deadline", "/upcoming?limit=200"):
            for connection in [stage.connect(receives=4_096) for _ in range(40)]:
                connection.settimeout(5)
                try:
                    connection.sendall(stage.head("GET", target, token) * 4)
                except OSError:
                    pass
    stage.rest()


@attack("Readers of exports and calendars take nothing", seconds=4)
def stalled_streams(stage):
    tokens = [stage.account() for _ in range(3)]
    for token in tokens:
        stage.fill(token, 1_500, dueDate="2026-12-01", body="한" * 1_000)
    stage.begin()
    held = []
    for token in tokens:
        for target in ("/export", "/calendar.ics", "/changes"):
            fields = {"Accept": "text/event-stream"} if target == "/changes" else {}
            for _ in range(60):
                held.append(stage.connect(receives=4_096))
                held[-1].sendall(stage.head("GET", target, token, **fields))
    stage.rest()


def hold(stage, beginning):
    """Sends the beginning of a request on 1,500 connections, and keeps them open."""
    held = []
    for _ in range(1_500):
        if not stage.goes_on():
            break
        connection = stage.connect()
        connection.settimeout(0.2)
        try:
            connection.sendall(beginning)
        except OSError:
            pass
        held.append(connection)
    stage.rest()
    return f"{len(held)} bodies"


@attack("Fifteen hundred bodies of 1 MiB stop just before their end", seconds=5)
def stalled_bodies(stage):
    token = stage.account()
    stage.begin()
    head = stage.head("POST", "/sync", token, Content_Type="application/json", Content_Length=1 << 20)
    piece = b'{"mutations": [' + b" " * ((1 << 20) - 100)
    return hold(stage, head + piece)


@attack("Fifteen hundred bodies in chunks stop just before their end", seconds=5)
def stalled_chunks(stage):
    token = stage.account()
    stage.begin()
    head = stage.head("POST", "/sync", token, Content_Type="application/json", Transfer_Encoding="chunked")
    piece = b"f0000\r\n" + b" " * 0xf0000 + b"\r\n"
    return hold(stage, head + piece)


@attack("Four thousand heads of 15 KiB stop just before their end", seconds=5)
def stalled_heads(stage):
    stage.begin()
    head = b"GET /tasks HTTP/1.1\r\nHost: localhost\r\n" + b"X-Long: " + b"x" * 15_000
    held = []
    for number in range(4_000):
        if not stage.goes_on():
            break
        held.append(stage.connect(f"127.66.2.{number % 200 + 1}"))
        held[-1].sendall(head)
    stage.rest()
    return f"{len(held)} heads"


@attack("A thousand connections ask nothing", seconds=12)
def silent_connections(stage):
    stage.begin()
    held = [stage.connect() for _ in range(1_000)]
    stage.rest()
    for connection in held:
        connection.settimeout(2)
        try:
            stage.require(connection.recv(1) == b"", "A silent connection is still open after 12 s.")
        except ConnectionError:
            pass


@attack("Beginnings of gzip bombs whose ends are withheld", seconds=5, memory=256 + 96)
def withheld_bombs(stage):
    token = stage.account()
    # 64 MiB of spaces, in 64 KiB; of 20,000 bytes come 20 MiB.
    bomb = gzip.compress(b" " * (64 << 20))
    stage.begin()
    answers = {}
    while stage.goes_on():
        connections = []
        for number in range(40):
            # An import may take more than what is sent here: it waits for the rest.
            target = "/import?dryRun=true" if number % 4 == 0 else ("/sync", "/tasks", "/tasks")[number % 3]
            head = stage.head(
                "POST", target, token, Content_Type="application/json", Content_Encoding="gzip", Content_Length=len(bomb))
            connections.append((target, stage.connect()))
            connections[-1][1].sendall(head + bomb[:20_000])
        for target, connection in connections:
            if target.startswith("/import"):
                connection.close()
                continue
            connection.settimeout(10)
            try:
                status = int(connection.recv(65_536)[9:12] or 0)
            except TimeoutError:
                status = "no answer"
            stage.require(status in (413, 429, 503), "The beginning of a bomb was answered", status)
            answers[status] = answers.get(status, 0) + 1
            connection.close()
    stage.require(answers.get(413), "No bomb was refused for what comes out of it:", answers)
    return answers


def documents():
    """Bodies that take many times their bytes once they are decompressed and parsed."""
    size = 1_000_000
    return {
        "deep": b'{"mutations": [' + b",".join([b"[" * 50 + b"]" * 50] * (size // 101)) + b"]}",
        "wide": b'{"mutations": [' + b"{}," * (size // 3 - 10) + b"{}]}",
        "strings": b'{"mutations": [' + b'"",' * (size // 3 - 10) + b'""]}',
        "escapes": b'{"mutations": ["' + b"\\u0041" * (size // 6 - 10) + b'"]}',
    }


def swollen(stage, target, coded, chunked):
    """Four accounts send as many of these bodies at once as the server takes."""
    tokens = [stage.account() for _ in range(4)]
    bodies = [gzip.compress(body) if coded else body for body in documents().values()]
    stage.begin()
    answers = {}
    while stage.goes_on():
        connections = []
        for number in range(100):
            fields = {"Content_Encoding": "gzip"} if coded else {}
            body = bodies[number % len(bodies)]
            if chunked:
                fields["Transfer_Encoding"] = "chunked"
                body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
            else:
                fields["Content_Length"] = len(body)
            head = stage.head(
                "POST", target, tokens[number % 4], Content_Type="application/json", Connection="close", **fields)
            connections.append(stage.connect(f"127.66.3.{number % 4 + 1}"))
            try:
                connections[-1].sendall(head + body)
            except OSError:
                # Refused before the end of its body.
                pass
        for connection in connections:
            status, _ = stage.ask(connection, b"")
            answers[status] = answers.get(status, 0) + 1
            connection.close()
    return answers


# The budget of the server is 256 MiB.
for target in ("/sync", "/import?dryRun=true", "/tasks"):
    for coded in (True, False):
        for chunked in (True, False):
            def swell(stage, target=target, coded=coded, chunked=chunked):
                return swollen(stage, target, coded, chunked)

            form = ("gzip" if coded else "plain") + (" in chunks" if chunked else "")
            swell.__name__ = f"swollen_{target[1:5]}_{form.replace(' ', '_')}"
            attack(f"Bodies of 1 MB for {target}, {form}, that hold as many values as they can", memory=256 + 96)(swell)
