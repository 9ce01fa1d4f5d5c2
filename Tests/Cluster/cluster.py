#!/usr/bin/env python3
"""Servers over throw-away PostgreSQL servers: load and faults of every kind, and then a look for what was lost, doubled or
reported in the wrong order.

    cluster.py [--only NAME,...] [--kills N] BINARY

Writers create tasks through a server of their choice, each with a key that they repeat until the answer is certain.
A reader follows the stream of a server, and goes on from its last id when it ends; another pulls pages from either. At the
end every acknowledged task must be there once, both readers must have seen every revision once and in order, and
`kanbase check` must find nothing.
"""

import argparse
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from board import Board
from postgres import Pooler, Postgres, Wire, as_postgres, make_accounts, require_synchrony, wait_for
from servers import Server

WRITERS = 6


class Cluster:
    """Servers with clients over a database, for one scene."""

    def __init__(self, binary, url, directory, *options, count=2, seconds=240, tokens=(None,)):
        self.binary, self.url = binary, url
        log = open(f"{directory}/servers.log", "ab") if os.access(directory, os.W_OK) else subprocess.DEVNULL
        self.servers = [Server(binary, url, log, *options) for _ in range(count)]
        # One for each account.
        self.boards = [Board(self.servers, seconds, token) for token in tokens]
        self.board = self.boards[0]

    def __enter__(self):
        for server in self.servers:
            server.start()
        return self

    def __exit__(self, *error):
        for board in self.boards:
            board.is_over.set()
            board.may_stop.set()
            board.is_abandoned.set()
        for server in self.servers:
            server.end()

    def load(self, writers=WRITERS):
        for board in self.boards:
            board.run(writers)

    def acknowledged(self):
        return sum(len(board.acknowledged) for board in self.boards)

    def grow(self, count=20):
        """Waits until `count` more writes were acknowledged."""
        goal = self.acknowledged() + count
        wait_for(
            lambda: self.acknowledged() >= goal or any(board.faults for board in self.boards), f"{count} more writes", 120)

    def finish(self, url=None):
        """Lets the clients end and looks at what they know."""
        self.grow()
        for board in self.boards:
            board.is_over.set()
        for board in self.boards:
            board.end()
            board.check(self.binary, url or self.url)
        for board in self.boards[1:]:
            self.board.faults += board.faults
            self.board.acknowledged |= board.acknowledged
        return self.board


def kills(binary, count):
    """PostgreSQL is stopped like in a crash, servers are killed, and started again."""
    postgres = Postgres()
    try:
        postgres.start()
        with Cluster(binary, postgres.url, postgres.directory) as cluster:
            cluster.load()
            for number in range(count):
                cluster.grow(random.randint(10, 60))
                if number % 2 == 0:
                    postgres.stop("immediate")
                    # How long it is away.
                    time.sleep(random.uniform(0, 0.5))
                    postgres.start()
                else:
                    server = random.choice(cluster.servers)
                    server.stop()
                    server.start()
            return cluster.finish()
    finally:
        postgres.remove()


def cuts(binary, count):
    """Connections end in the middle of any answer, that of a COMMIT included."""
    postgres = Postgres("fsync=off")
    try:
        postgres.start()
        wire = Wire(postgres)
        with Cluster(binary, wire.url, postgres.directory) as cluster:
            cluster.load()
            for _ in range(4 * count):
                cluster.grow(5)
                wire.cut(after=random.randint(1, 3000))
            board = cluster.finish(postgres.url)
            # Sessions that were cut off are over soon: then everybody can tell what became of their commits.
            if board.unsettled:
                board.faults.append(f"{board.unsettled} answers said that the outcome of a commit is unknown")
            return board
    finally:
        postgres.remove()


def groups(binary, count):
    """Writes of many accounts share the transactions of a lane: connections are cut in the middle of an answer, PostgreSQL is
    stopped like in a crash, and a server is killed."""
    postgres = Postgres()
    try:
        postgres.start()
        subprocess.run([binary, "migrate", "--database", postgres.url], check=True, capture_output=True)
        tokens = make_accounts(postgres, 12)
        wire = Wire(postgres)
        with Cluster(
                binary, wire.url, postgres.directory, "--auth", "required", "--rate-limit", "0", "--database-lanes", "1",
                tokens=tokens) as cluster:
            cluster.load(2)
            for number in range(2 * count):
                cluster.grow(30)
                if number % 4 == 0:
                    postgres.stop("immediate")
                    postgres.start()
                elif number % 4 == 2:
                    server = random.choice(cluster.servers)
                    server.stop()
                    server.start()
                else:
                    wire.cut(after=random.randint(1, 3000))
            cluster.grow(60)
            writes, commits = shares(cluster)
            board = cluster.finish(postgres.url)
            if writes <= commits:
                board.faults.append(f"{writes} writes had {commits} transactions: there were no groups")
            return board
    finally:
        postgres.remove()


def shares(cluster):
    """The writes of all servers since their last start, and the transactions that they shared."""
    texts = []
    for server in cluster.servers:
        status, body = cluster.board.request(server, "GET", "/metrics")
        if status != 200:
            raise AssertionError(f"/metrics: {status} {body.decode()}")
        texts.append(body.decode())
    return [sum(float(re.search(rf"^kanbase_store_{name}_total (\S+)", text, re.M)[1]) for text in texts)
            for name in ("writes", "commits")]


def hangs(binary, count):
    """A server stands still, perhaps with locks; the others go on when PostgreSQL has ended its sessions."""
    postgres = Postgres("fsync=off")
    try:
        postgres.start()
        with Cluster(binary, postgres.url, postgres.directory, count=2) as cluster:
            cluster.load()
            cluster.grow()
            # A client repeats elsewhere what is not answered.
            cluster.board.patience = 1
            still = cluster.servers[0]
            still.process.send_signal(signal.SIGSTOP)
            cluster.grow(30)
            still.process.send_signal(signal.SIGCONT)
            return cluster.finish()
    finally:
        postgres.remove()


def promotions(binary, count):
    """The primary is lost and its standby, which has all that was acknowledged, takes over."""
    nodes = [Postgres("fsync=off")]
    try:
        nodes[0].start()
        nodes.append(nodes[0].standby("fsync=off"))
        nodes[1].start()
        hosts = [node.directory for node in nodes]
        url = f"postgres:///postgres?host={','.join(hosts)}&user=kanbase"
        with Cluster(binary, url, hosts[0], "--database-durability", "synchronous") as cluster:
            primary, standby = nodes
            for number in range(max(1, count // 4)):
                require_synchrony(primary)
                if number == 0:
                    cluster.load()
                cluster.grow(50)
                primary.stop("immediate")
                standby.promote()
                cluster.grow()
                # The lost primary comes back as a standby of the new one.
                primary.remove_data()
                primary.copy(standby)
                primary.start()
                primary, standby = standby, primary
            require_synchrony(primary)
            return cluster.finish()
    finally:
        for node in nodes:
            node.remove()


def losses(binary, count):
    """A failover to a standby that lacks the last commits: their changes are reported again, under other revisions."""
    primary = Postgres("fsync=off")
    nodes = [primary]
    faults = []
    try:
        primary.start()
        standby = primary.standby("fsync=off")
        nodes.append(standby)
        url = f"postgres:///postgres?host={primary.directory},{standby.directory}&user=kanbase"
        with Cluster(binary, url, primary.directory) as cluster:
            one, two = cluster.servers
            board = cluster.board

            def create(server, title):
                def answer():
                    status, body = board.request(server, "POST", "/tasks", {"title": title})
                    return json.loads(body) if status == 201 else None
                return wait_for(answer, f"{title} is made")

            def pull(cursor=None):
                since = f"&since={cursor}" if cursor else ""
                return board.request(two, "GET", f"/changes?limit=500{since}")

            for number in range(10):
                create(one, f"kept {number}")
            standby.start()
            end = primary.execute("SELECT pg_current_wal_flush_lsn()")
            wait_for(
                lambda: standby.execute(f"SELECT pg_last_wal_replay_lsn() >= '{end}'") == "t", "the standby has it all")
            # What comes now is only on the primary, and was acknowledged and pulled.
            standby.stop("immediate")
            lost = [create(one, f"lost {number}")["revision"] for number in range(5)]
            cursor = json.loads(pull()[1])["cursor"]
            primary.stop("immediate")
            standby.start()
            standby.promote()
            made = [create(random.choice((one, two)), f"new {number}")["revision"] for number in range(5)]
            status, body = pull(cursor)
            if status != 410:
                faults.append(f"a cursor of the lost history is answered {status}: {body[:200]}")
            if set(made) & set(lost) or min(made) <= max(lost):
                faults.append(f"revisions of the lost history are used again: {lost}, {made}")
            wanted = sorted([f"kept {number}" for number in range(10)] + [f"new {number}" for number in range(5)])
            page = json.loads(pull()[1])
            titles = sorted(change["value"]["title"] for change in page["changes"] if change["type"] == "task")
            if titles != wanted:
                faults.append(f"after the failover a full pull shows {titles}")
            if sorted(title for title, _ in board.listed(one)) != wanted:
                faults.append("after the failover a list shows something else")
            board.require_soundness(binary, url)
            board.faults += faults
            return board
    finally:
        for node in nodes:
            node.remove()


def poolers(binary, count):
    """pgbouncer in front, in both of its modes, which the servers find out, restarted under load."""
    postgres = Postgres("fsync=off")
    postgres.start()
    boards = []
    try:
        for mode, options in (
                ("session", []), ("transaction", ["--database-direct", postgres.url])):
            postgres.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            pooler = Pooler(postgres, mode)
            try:
                with Cluster(binary, pooler.url, postgres.directory, "--database-readers", "3", *options) as cluster:
                    cluster.load(4)
                    cluster.board.read_everything()
                    if cluster.board.faults:
                        return cluster.board
                    cluster.grow(60)
                    cluster.board.command(binary, pooler.url)
                    if "cannot be reached" in open(f"{postgres.directory}/servers.log").read():
                        cluster.board.faults.append(f"a pooler in {mode} mode counted as away")
                    pooler.restart()
                    boards.append(cluster.finish(postgres.url))
            finally:
                pooler.remove()
                os.truncate(f"{postgres.directory}/servers.log", 0)
        boards[0].faults += boards[1].faults
        boards[0].acknowledged |= boards[1].acknowledged
        return boards[0]
    finally:
        postgres.remove()


def moves(binary, count):
    """The data moves from a directory into a database, into another one, and back into a directory. Clients, with what they
    repeat, their cursors and the ids of their streams, go on where they were."""
    databases = [Postgres("fsync=off"), Postgres("fsync=off")]
    try:
        for database in databases:
            database.start()
        directory = databases[0].directory
        places = [f"{directory}/first", databases[0].url, databases[1].url, f"{directory}/last"]
        with Cluster(binary, places[0], directory, count=1) as cluster:
            server, board = cluster.servers[0], cluster.board
            cluster.load()
            for source, target in zip(places, places[1:]):
                cluster.grow(30)
                expect_code(board, copy(binary, source, target), 75, f"a copy of {source}, which is served")
                server.stop(signal.SIGTERM)
                database = databases[0] if target == databases[0].url else databases[1]
                interrupted(binary, database, source, target)
                expect_code(board, copy(binary, source, target), 0, f"a copy of {source}")
                expect_code(board, copy(binary, source, target), 73, f"a second copy into {target}")
                server.work_on(target)
                server.start()
            cluster.grow(30)
            return cluster.finish(places[-1])
    finally:
        for database in databases:
            database.remove()


def copy(binary, source, target):
    return subprocess.run([binary, "copy", source, target], capture_output=True, text=True, timeout=120)


def expect_code(board, ended, code, what):
    if ended.returncode != code:
        board.faults.append(f"{what} ends with {ended.returncode} instead of {code}: {ended.stderr}")


def interrupted(binary, database, source, target):
    """A copy is killed in the middle of its work on the database, where it waits for a lock."""
    subprocess.run([binary, "migrate", "--database", database.url], check=True, capture_output=True)
    lock = "BEGIN; LOCK TABLE history IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(600)"
    holder = subprocess.Popen(
        as_postgres(f"{database.programs}/psql", "-Xq", "-d", database.url, "-c", lock), cwd="/",
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(
        lambda: database.execute("SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted") == "1",
        "the lock is held")
    process = subprocess.Popen([binary, "copy", source, target], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    copies = "FROM pg_stat_activity WHERE application_name = 'kanbase copy'"
    wait_for(
        lambda: process.poll() is not None
        or database.execute(f"SELECT count(*) {copies} AND wait_event_type = 'Lock'") == "1", "the copy waits")
    process.kill()
    said = b"".join(process.communicate())
    if said:
        raise RuntimeError(f"a copy did not wait for a lock: {said.decode()}")
    database.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)'")
    holder.wait()
    wait_for(lambda: database.execute(f"SELECT count(*) {copies}") == "0", "the session of the copy is over")
    if "://" in target and database.execute("SELECT count(*) FROM tasks") != "0":
        raise RuntimeError("half a copy is in the database")
    if "://" not in target and subprocess.run([binary, "export", "--data", target], capture_output=True).returncode != 66:
        raise RuntimeError("half a copy passes for data")


SCENES = {scene.__name__: scene for scene in (kills, cuts, groups, hangs, promotions, losses, poolers, moves)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=8, help="how often something is killed in each scene, about")
    parser.add_argument("--only", default=",".join(SCENES), help="the scenes: " + ", ".join(SCENES))
    parser.add_argument("binary")
    arguments = parser.parse_args()
    random.seed(17)
    failed = False
    for name in arguments.only.split(","):
        began = time.monotonic()
        board = SCENES[name](arguments.binary, arguments.kills)
        seconds = time.monotonic() - began
        print(f"{name}: {len(board.acknowledged)} tasks acknowledged, {seconds:.0f} s", flush=True)
        for fault in board.faults:
            failed = True
            print(f"{name}: {fault}", file=sys.stderr, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
