"""Many live streams of one account, and how long a change takes to reach the last of them."""

import http.client
import json
import select
import socket
import subprocess
import sys
import time

from . import board, machine


def fan_out(server, streams, rate, seconds):
    """Milliseconds from the answer to a write until a stream had it, for each write those of all streams; the changes that
    were missing in the end; the KiB that a stream took of the server's own memory; and the microseconds of processor
    time that delivering one change to one stream took the server."""
    cursor = newest(server)
    before = machine.resident(server.pid)["own"]
    sockets, poll = {}, select.epoll()
    for _ in range(streams):
        client = socket.create_connection(("127.0.0.1", server.port))
        client.sendall(f"GET /changes?since={cursor} HTTP/1.1\r\nHost: localhost\r\n"
                       "Accept: text/event-stream\r\n\r\n".encode())
        sockets[client.fileno()] = client
    for client in sockets.values():
        answer = b""
        while b"event: ready" not in answer:
            answer += client.recv(4096)
        client.setblocking(False)
        poll.register(client, select.EPOLLIN)
    memory = (machine.resident(server.pid)["own"] - before) * 1024 / streams

    # A process of its own, so that reading does not hold the writes up. The monotonic clock is the same for both.
    writer = subprocess.Popen([sys.executable, "-m", __name__, str(server.port), str(rate), str(seconds)],
                              stdout=subprocess.PIPE, text=True, cwd=sys.path[0])
    arrivals = {number: [] for number in sockets}
    # Always into the same buffer: reading shares the processors with the server that it measures.
    buffer, mark = bytearray(1 << 16), b"event: change"
    # What was read of a mark that the end of the buffer cut.
    cut = {}
    used = machine.cpu_seconds(server.pid)
    ends = time.monotonic() + seconds + 5
    while time.monotonic() < ends and any(len(times) < rate * seconds for times in arrivals.values()):
        for number, _ in poll.poll(0.5):
            size = sockets[number].recv_into(buffer)
            if not size:
                poll.unregister(number)
                continue
            if number in cut:
                count = (cut.pop(number) + buffer[:size]).count(mark)
            else:
                count = buffer.count(mark, 0, size)
            if buffer[size - 1] != ord("\n"):
                cut[number] = bytes(buffer[max(0, size - len(mark) + 1):size])
            arrivals[number] += [time.monotonic()] * count
    used = machine.cpu_seconds(server.pid) - used
    answered = json.loads(writer.communicate()[0])
    for client in sockets.values():
        client.close()
    missing = sum(len(answered) - len(times) for times in arrivals.values())
    # A change that is missing leaves open which of the others came when.
    times = [[(times[index] - answered_at) * 1000 for times in arrivals.values()] if missing == 0 else [float("inf")]
             for index, answered_at in enumerate(answered)]
    return times, missing, memory, used / (streams * rate * seconds) * 1e6


def newest(server):
    """The cursor at the end of the feed."""
    cursor, more = None, True
    while more:
        page = server.json("/changes?limit=1000" + (f"&since={cursor}" if cursor else ""))
        cursor, more = page["cursor"], page["hasMore"]
    return cursor


def write(port, rate, seconds):
    """Edits tasks at a steady pace and prints when each was answered."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    answered, began = [], time.monotonic()
    for number in range(rate * seconds):
        time.sleep(max(0, began + number / rate - time.monotonic()))
        connection.request("PATCH", f"/tasks/{board.task_id(number)}", json.dumps({"title": f"live {time.time_ns()}"}),
                           {"Content-Type": "application/merge-patch+json"})
        connection.getresponse().read()
        answered.append(time.monotonic())
    print(json.dumps(answered))


if __name__ == "__main__":
    write(*map(int, sys.argv[1:]))
