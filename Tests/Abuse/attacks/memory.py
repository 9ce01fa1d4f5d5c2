"""Attacks on the memory of the server: it holds what clients do not take, or do not send to its end."""

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
