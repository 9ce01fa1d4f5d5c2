"""A stretch of network between two programs of this machine.

    python3 Benchmarks/harness/distance.py SOCKET SECONDS

Listens on a port of loopback, which it prints, and passes bytes to and from a Unix socket. All bytes are under way for the same
time in each direction, however many others are: what a distant server costs, and nothing else. One thread, because each change
of threads would add to the time.
"""

import collections
import select
import socket
import sys
import time

NEAR = 0.000_06


def main(path, delay):
    listener = socket.create_server(("127.0.0.1", 0), backlog=200)
    print(listener.getsockname()[1], flush=True)
    # Where the bytes of a socket go, and those that are under way with the times of their arrival.
    others, underway = {}, collections.deque()
    while True:
        # The kernel wakes a sleeper late, so the last stretch is spent looking.
        wait = max(0, underway[0][0] - time.monotonic() - NEAR) if underway else None
        ready, _, _ = select.select([listener, *others], [], [], wait)
        for source in ready:
            if source is listener:
                client, _ = listener.accept()
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                server = socket.socket(socket.AF_UNIX)
                server.connect(path)
                others[client], others[server] = server, client
                continue
            try:
                data = source.recv(1 << 20)
            except OSError:
                data = b""
            underway.append((time.monotonic() + delay, others[source], data))
            if not data:
                del others[source]
        while underway and underway[0][0] <= time.monotonic():
            _, target, data = underway.popleft()
            try:
                target.sendall(data) if data else target.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # It is closed already.


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
