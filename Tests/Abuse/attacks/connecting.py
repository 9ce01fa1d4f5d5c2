"""Attacks on the way in: accepting connections and shaking hands."""

import selectors
import socket
import ssl
import struct

from stage import attack

# Closing resets: else the attacker would run out of ports.
RESETS = struct.pack("ii", 1, 0)


def client_hello():
    """The first message of a handshake. Each time it comes, the server makes a signature."""
    said = ssl.MemoryBIO()
    client = ssl._create_unverified_context().wrap_bio(ssl.MemoryBIO(), said)
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return said.read()


@attack("Handshakes with a large RSA key from one address, as many as the server takes", seconds=6, key="rsa:3072")
def handshake_flood(stage):
    hello = client_hello()
    stage.begin()
    begun, answered = 0, 0
    with selectors.DefaultSelector() as waiting:
        while stage.goes_on():
            # More than may wait for their handshake.
            while len(waiting.get_map()) < 1_500 and stage.goes_on():
                connection = stage.connect()
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
                try:
                    connection.sendall(hello)
                except OSError:
                    continue
                waiting.register(connection, selectors.EVENT_READ)
                begun += 1
                if begun % 50 == 0:
                    answered += close_answered(waiting, 0)
            answered += close_answered(waiting, 0.1)
    stage.require(answered > 20, "The server answered", answered, "of", begun, "handshakes.")
    return f"{answered} of {begun} handshakes answered"


def close_answered(waiting, seconds):
    """Closes the connections on which something came. Returns how many the server did not just end."""
    count = 0
    for key, _ in waiting.select(seconds):
        waiting.unregister(key.fileobj)
        try:
            count += 1 if key.fileobj.recv(1) else 0
        except OSError:
            pass
        key.fileobj.close()
    return count


@attack("One address connects and closes as fast as it can", seconds=5)
def connection_flood(stage):
    stage.begin()
    count = 0
    while stage.goes_on():
        connections = [stage.connect() for _ in range(50)]
        for connection in connections:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
            connection.close()
        count += len(connections)
    return f"{count} connections"
