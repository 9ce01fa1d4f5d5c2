#!/usr/bin/env python3
"""A disk that is full, and one that may not be written: a small tmpfs, filled by writes.

Writes get a problem with 507 (full) or 503 and are not applied, reads go on, what was acknowledged stays, also when the
server is killed meanwhile, and the server goes on by itself when there is room again. Needs root, to mount.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

from harness import Client, Server, run


class Fault(Exception):
    pass


def expect(condition, *said):
    if not condition:
        raise Fault(" ".join(map(str, said)))


class Disk:
    """A tmpfs of some MiB."""

    def __init__(self, folder, mebibytes):
        self.path = os.path.join(folder, "disk")
        os.mkdir(self.path)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "kanbase-test", self.path], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True)

    def unmount(self):
        subprocess.run(["umount", self.path], check=True)


class Board:
    """The server on the disk, and what it acknowledged."""

    def __init__(self, binary, disk):
        self.binary, self.data = binary, os.path.join(disk.path, "data")
        self.acknowledged = set()
        self.refused = set()
        self.number = 0
        self.start()

    def start(self):
        self.server = Server(self.binary, self.data)
        self.client = Client(self.server.port)

    def write(self):
        """One task more. Returns the status."""
        self.number += 1
        title = f"task {self.number}"
        status, answer = self.client.send("POST", "/tasks", {"title": title, "body": "가" * 900})
        if status == 201:
            self.acknowledged.add(title)
        else:
            self.refused.add(title)
            expect(answer["type"].startswith("/problems/") and answer["status"] == status, "no problem:", answer)
        return status

    def write_until(self, wanted, tries=20_000):
        """Until a write is answered so; returns how many it took."""
        for count in range(1, tries):
            status = self.write()
            if status == wanted:
                return count
            expect(status in (201, 503, 507), f"a write answers {status}")
        raise Fault(f"no write of {tries} answers {wanted}")

    def verify(self):
        """Everything acknowledged is there, nothing that was refused is."""
        titles = {task["title"] for task in self.client.walk("/tasks?limit=200&sort=position")}
        expect(self.acknowledged <= titles, "lost:", self.acknowledged - titles)
        expect(not self.refused & titles, "refused, but there:", self.refused & titles)
        status, _ = self.client.send("GET", "/health/live")
        expect(status == 200, "health answers", status)

    def kill(self):
        self.server.kill()


def full(binary, folder):
    disk = Disk(folder, 6)
    try:
        board = Board(binary, disk)
        count = board.write_until(507)
        print(f"full after {count} writes", flush=True)
        for _ in range(20):
            expect(board.write() == 507, "a write on the full disk succeeds")
        board.verify()
        disk.remount("size=12m")
        count = board.write_until(201)
        expect(count == 1, f"with room again {count} writes failed first")
        for _ in range(50):
            expect(board.write() == 201, "a write fails though there is room")
        board.verify()
        # Full once more, and killed there.
        board.write_until(507)
        board.kill()
        disk.remount("size=24m")
        board.start()
        board.verify()
        expect(board.write() == 201, "no write after the restart")
        board.server.stop()
        run(binary, "check", "--data", board.data)
    finally:
        disk.unmount()
        os.rmdir(disk.path)


def imports(binary, folder):
    """Imports that have no room leave it to others, also one of which the disk takes the first parts."""
    body = "x" * 500
    for mebibytes, rows in (20, 30_000), (100, 60_000):
        disk = Disk(folder, mebibytes)
        try:
            board = Board(binary, disk)
            tasks = [{"id": str(uuid.uuid4()), "title": f"row {row}", "body": body} for row in range(rows)]
            for _ in range(2):
                status, answer = board.client.send("POST", "/import", {"tasks": tasks})
                expect(status == 507, f"an import of {rows} rows on {mebibytes} MiB answers {status}:", answer)
                for _ in range(20):
                    expect(board.write() == 201, "the import left no room")
            board.verify()
            board.server.stop()
            board.start()
            board.verify()
            board.server.stop()
            run(binary, "check", "--data", board.data)
        finally:
            disk.unmount()
            os.rmdir(disk.path)
        print(f"an import without room on {mebibytes} MiB left it to others", flush=True)


def read_only(binary, folder):
    disk = Disk(folder, 16)
    try:
        board = Board(binary, disk)
        for _ in range(20):
            expect(board.write() == 201, "a write fails")
        filler = os.path.join(disk.path, "filler")
        with open(filler, "wb") as file:
            file.write(bytes(os.statvfs(disk.path).f_bavail * os.statvfs(disk.path).f_frsize - (16 << 10)))
        backup = os.path.join(disk.path, "backup")
        ended = subprocess.run([binary, "backup", "--data", board.data, backup], capture_output=True, text=True, timeout=60)
        expect(ended.returncode == 74 and f"no room left for {backup}." in ended.stderr, "a backup ends with", ended)
        os.unlink(filler)
        board.server.stop()
        disk.remount("ro")
        ended = subprocess.run(
            [binary, "serve", "--port", "0", "--data", board.data], capture_output=True, text=True, timeout=60)
        expect(ended.returncode not in (0, -6, -11), "it serves, or crashes:", ended.returncode)
        expect(board.data in ended.stderr, "the message names no directory:", ended.stderr)
        print(f"on a disk that may not be written it ends with {ended.returncode}: {ended.stderr.strip()}", flush=True)
        disk.remount("rw")
        board.start()
        board.verify()
        board.server.stop()
    finally:
        disk.unmount()
        os.rmdir(disk.path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    binary = os.path.abspath(parser.parse_args().binary)
    folder = tempfile.mkdtemp(prefix="kanbase-disk-")
    try:
        full(binary, folder)
        imports(binary, folder)
        read_only(binary, folder)
    except Fault as fault:
        print(f"FAULT: {fault}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(folder)
    print("nothing acknowledged was lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
