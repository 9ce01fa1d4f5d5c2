"""Attacks with live streams."""

import threading
import time

from stage import attack


def open_stream(stage, token, source, last=None, types=None):
    connection = stage.connect(source)
    fields = {"Accept": "text/event-stream"}
    if last:
        fields["Last_Event_ID"] = last
    connection.sendall(stage.head("GET", "/changes" + (f"?types={types}" if types else ""), token, **fields))
    return connection


def last_id(connection, enough=b"event: ready"):
    """Reads up to the words, and returns the last id that was seen."""
    text = b""
    connection.settimeout(20)
    while enough not in text:
        piece = connection.recv(65_536)
        if not piece:
            break
        text += piece
    ids = [line[4:] for line in text.split(b"\n") if line.startswith(b"id: ")]
    return ids[-1].decode() if ids else None


@attack("A thousand streams reconnect at once with their last id, again and again", seconds=5)
def reconnecting_streams(stage):
    # Six accounts, for the rate limit of one lets no thousand in.
    tokens = [stage.account() for _ in range(6)]
    ids = []
    for token in tokens:
        stage.fill(token, 300)
        ids.append(last_id(open_stream(stage, token, "127.66.0.1")))
    stage.begin()
    rounds = 0
    while stage.goes_on():
        streams = []
        for number in range(1_000):
            which = number % len(tokens)
            streams.append(open_stream(stage, tokens[which], "127.66.0.1", ids[which]))
        for stream in streams:
            stream.close()
        rounds += 1
    return f"{rounds} rounds"


@attack("A busy account's stream with nothing to show still gets a comment every 15 s", seconds=17)
def heartbeat_of_busy_account(stage):
    token = stage.account()
    stream = open_stream(stage, token, "127.66.0.1", types="dday")
    last_id(stream)
    began, heard = time.monotonic(), []

    def listen():
        heard.append((stream.recv(4_096), time.monotonic() - began))

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    stage.begin()
    while stage.goes_on() and not heard:
        stage.fill(token, 500, source="127.66.0.2")
        listener.join(2.5)
    stage.require(heard and heard[0][0], "Not one byte came for 17 s.")
    # The timer is exact to a tenth of a second; the rest is for a machine that is busy with something else.
    stage.require(heard[0][1] <= 16, "The first byte came after", heard[0][1], "s.")
    return f"a comment after {heard[0][1]:.1f} s"
