"""What answers connections in another way than PostgreSQL 13 does."""

import socket
import threading

SECRET = "s3cr3t-Passw0rd"


class Stub:
    """Takes connections and answers them, by itself."""

    def __init__(self, answer):
        self.answer = answer
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"postgres://kanbase:{SECRET}@127.0.0.1:{self.listener.getsockname()[1]}/kanbase?sslmode=disable"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                self.answer(connection)
            except OSError:
                pass  # The client is gone, as it should.


def web_server(connection):
    connection.recv(1000)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def silent(connection):
    connection.recv(1000)


def old_postgres(connection):
    """The protocol of version 12: takes every statement and says that it is done."""

    def message(kind, payload=b""):
        return kind + (len(payload) + 4).to_bytes(4, "big") + payload

    def parameter(name, value):
        return message(b"S", name + b"\0" + value + b"\0")

    ready = message(b"Z", b"I")
    connection.recv(1000)
    connection.sendall(
        message(b"R", bytes(4)) + parameter(b"server_version", b"12.22") + parameter(b"client_encoding", b"UTF8")
        + parameter(b"standard_conforming_strings", b"on") + ready)
    stream = connection.makefile("rb")
    while head := stream.read(5):
        stream.read(int.from_bytes(head[1:], "big") - 4)
        if head[:1] == b"Q":  # SHOW transaction_read_only
            column = b"transaction_read_only\0" + bytes(6) + (25).to_bytes(4, "big") + b"\xff\xff" + b"\xff" * 4 + bytes(2)
            connection.sendall(
                message(b"T", b"\0\1" + column) + message(b"D", b"\0\1\0\0\0\3off") + message(b"C", b"SHOW\0") + ready)
            continue
        answer = {b"P": message(b"1"), b"B": message(b"2"), b"D": message(b"n"), b"E": message(b"C", b"SET\0"), b"S": ready}
        connection.sendall(answer.get(head[:1], b""))
