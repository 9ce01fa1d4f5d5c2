"""Attacks on the way in: accepting connections and shaking hands."""

import ctypes
import selectors
import signal
import socket
import ssl
import struct
import time

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


def update_keys(port, source, until):
    """Sends key updates on one connection until the server closes it or the time is over. Returns how many."""
    libssl = ctypes.CDLL("libssl.so.3")
    for name in ("TLS_client_method", "SSL_CTX_new", "SSL_new"):
        getattr(libssl, name).restype = ctypes.c_void_p
    context = ctypes.c_void_p(libssl.SSL_CTX_new(ctypes.c_void_p(libssl.TLS_client_method())))
    connection = socket.create_connection(("127.0.0.1", port), timeout=20, source_address=(source, 0))
    # libssl needs a descriptor that blocks.
    connection.settimeout(None)
    client = ctypes.c_void_p(libssl.SSL_new(context))
    libssl.SSL_set_fd(client, connection.fileno())
    count = 0
    if libssl.SSL_connect(client) == 1:
        while time.monotonic() < until and libssl.SSL_key_update(client, 0) == 1:
            if libssl.SSL_do_handshake(client) != 1:
                break
            count += 1
    libssl.SSL_free(client)
    libssl.SSL_CTX_free(context)
    connection.close()
    return count


@attack("Anonymous connections that send TLS key updates without a pause", seconds=5, key="rsa:2048")
def key_updates(stage):
    # A write to a connection that the server closed must not end the attacker.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    stage.begin()
    connections, updates = 0, 0
    while stage.goes_on():
        updates += update_keys(stage.port, "127.66.0.1", stage.ends)
        connections += 1
    stage.require(connections > 10, "A connection goes on with key updates:", updates, "on", connections)
    return f"{updates} key updates on {connections} connections"
