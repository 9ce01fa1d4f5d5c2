#!/usr/bin/env python3
"""Databases that Kanbase cannot use, and one that goes away: what the program says, how it ends, and what it answers.

    faults.py BINARY
"""

import http.client
import signal
import sys
import threading
import time

from postgres import Postgres, Wire, wait_for
from refusals import Refusals
from servers import Server
from strangers import SECRET


class Faults(Refusals):
    """A database that goes away."""

    def absence(self, postgres):
        postgres.execute(f"CREATE ROLE owner SUPERUSER LOGIN PASSWORD '{SECRET}'")
        log = open(f"{postgres.directory}/servers.log", "w+b")
        # On the command line, where other users of the machine can read it.
        url = f"postgres://owner:{SECRET}@/postgres?host={postgres.directory}"
        server = Server(self.binary, url, log, on_command_line=True)
        server.start()
        try:
            line = open(f"/proc/{server.process.pid}/cmdline").read()
            self.expect(SECRET not in line, f"the process list shows the password: {line!r}")
            stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            stream.request("GET", "/changes", headers={"Accept": "text/event-stream"})
            events = stream.getresponse()
            self.expect(events.status == 200, f"a stream is answered {events.status}")
            postgres.stop("immediate")
            said = []
            for path, method, body in (
                    ("/tasks", "GET", None), ("/tasks", "POST", '{"title": "x"}'), ("/health/ready", "GET", None)):
                status, headers, text = self.ask(server, path, method, body)
                said.append(text)
                self.expect(status == 503, f"{method} {path} without the database is answered {status}")
                self.expect(headers["Retry-After"], f"{method} {path} without the database has no Retry-After")
                self.expect(
                    headers["Content-Type"] == "application/problem+json", f"{method} {path}: {headers['Content-Type']}")
            self.expect(self.ask(server, "/health/live")[0] == 200, "the server does not live without the database")
            wait_for(lambda: "kanbase_database_up 0" in self.ask(server, "/metrics")[2], "the metrics say that it is away")
            said.append(self.ask(server, "/metrics")[2])
            self.refuses_at_once(server)
            postgres.start()
            wait_for(lambda: self.ask(server, "/health/ready")[0] == 200, "the server is ready again")
            wait_for(lambda: "kanbase_database_up 1" in self.ask(server, "/metrics")[2], "the metrics say that it is back")
            status, _, text = self.ask(server, "/tasks", "POST", '{"title": "after"}')
            self.expect(status == 201, f"a create after the return is answered {status}: {text}")
            line = b"?"
            while line and b'"after"' not in line:
                line = events.readline()
            self.expect(line, "the stream ended instead of going on")
            server.stop(signal.SIGTERM)
            log.seek(0)
            said.append(log.read().decode())
            self.expect("the database cannot be reached" in said[-1], "the log does not tell of the absence")
            for text in said:
                self.expect(SECRET not in text and "owner" not in text, f"a secret of the address is shown: {text}")
        finally:
            server.end()

    def refuses_at_once(self, server):
        """After some seconds nobody waits for the database."""
        def is_quick():
            began = time.monotonic()
            status = self.ask(server, "/tasks")[0]
            self.expect(status == 503, f"a list without the database is answered {status}")
            return time.monotonic() - began < 1
        wait_for(lambda: all(is_quick() for _ in range(5)), "a request without the database is refused at once")

    def standstill(self, postgres, *options):
        """PostgreSQL does not answer, and its connections stay."""
        log = open(f"{postgres.directory}/servers.log", "w+b")
        server = Server(self.binary, postgres.url, log, *options)
        server.start()
        try:
            with postgres.held():
                answers = []
                clients = [
                    threading.Thread(target=lambda: answers.append(self.ask(server, "/tasks", "POST", '{"title": "x"}')[0]))
                    for _ in range(20)]
                for client in clients:
                    client.start()
                self.refuses_at_once(server)
                self.expect(self.ask(server, "/health/ready")[0] == 503, "a server is ready while PostgreSQL stands still")
                for client in clients:
                    client.join()
                self.expect(answers == [503] * 20, f"writes while PostgreSQL stands still are answered {answers}")
            wait_for(lambda: self.ask(server, "/health/ready")[0] == 200, "the server is ready again")
            status, _, text = self.ask(server, "/tasks", "POST", '{"title": "after"}')
            self.expect(status == 201, f"a create after the standstill is answered {status}: {text}")
        finally:
            server.end()

    def servers(self, postgres, url, *options):
        """One that has another way to notifications, and one without."""
        log = open(f"{postgres.directory}/servers.log", "w+b")
        return Server(self.binary, url, log, *options), Server(self.binary, postgres.url, log)

    def solitude(self, postgres):
        """A synchronous standby is away: writes wait for it, and nothing else does."""
        server, other = self.servers(postgres, postgres.url)
        try:
            server.start()
            other.start()
            postgres.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            postgres.execute("SELECT pg_reload_conf()")
            last = postgres.execute("SELECT max(seen_at) FROM servers")
            seen = f"SELECT count(*) FROM servers WHERE seen_at > {last}"
            wait_for(lambda: postgres.execute(seen) == "2", "servers without a standby say that they live", 20)
            self.expect(self.ask(server, "/tasks")[0] == 200, "a list without a standby is not answered")
            said = open(f"{postgres.directory}/servers.log").read()
            self.expect("cannot be reached" not in said, "without a standby the database counts as away")
        finally:
            postgres.execute("ALTER SYSTEM RESET synchronous_standby_names")
            postgres.execute("SELECT pg_reload_conf()")
            server.end()
            other.end()

    def detour(self, postgres):
        """Where notifications should come from is away, and requests have another way."""
        server, other = self.servers(
            postgres, postgres.url, "--database-direct", "postgres://kanbase@127.0.0.1:1/postgres")
        try:
            server.start()
            other.start()
            # As long as requests wait for a database that is away, and longer.
            for number in range(5):
                self.expect("kanbase_database_up 1" in self.ask(server, "/metrics")[2], "the metrics look at another way")
                self.hears(server, other, f"around {number}")
                time.sleep(1)
        finally:
            server.end()
            other.end()

    def hears(self, server, other, title):
        """A stream of one server tells what the other writes."""
        stream = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        # As browsers and URLSession ask: compressed events would wait in the server.
        stream.request("GET", "/changes", headers={"Accept": "text/event-stream", "Accept-Encoding": "gzip"})
        events = stream.getresponse()
        self.expect(events.status == 200, f"a stream is answered {events.status}")
        self.ask(other, "/tasks", "POST", f'{{"title": "{title}"}}')
        try:
            line = b"?"
            while line and f'"{title}"'.encode() not in line:
                line = events.readline()
            self.expect(line, f"the stream ended before {title}")
        except TimeoutError:
            self.found.append(f"a stream does not tell of {title}")
        finally:
            stream.close()

    def pooler(self, postgres):
        """The pooler on the way of requests is away, and PostgreSQL is not."""
        wire = Wire(postgres)
        server, other = self.servers(postgres, wire.url, "--database-direct", postgres.url)
        try:
            server.start()
            other.start()
            self.hears(server, other, "before the pooler goes")
            wire.target = f"{postgres.directory}/nobody"
            wire.cut()
            self.refuses_at_once(server)
            status, headers, _ = self.ask(server, "/tasks", "POST", '{"title": "x"}')
            self.expect(
                status == 503 and headers["Retry-After"], f"a create without the pooler is answered {status}: {headers}")
            self.expect("kanbase_database_up 0" in self.ask(server, "/metrics")[2], "the metrics do not tell of the pooler")
            wire.lead_to(postgres)
            wait_for(lambda: self.ask(server, "/health/ready")[0] == 200, "the server is ready again")
            self.hears(server, other, "after the pooler is back")
        finally:
            server.end()
            other.end()
            wire.remove()


def main():
    faults = Faults(sys.argv[1])
    postgres = Postgres("wal_level=replica", "fsync=off")
    try:
        postgres.start()
        faults.strangers()
        faults.closed_doors(postgres)
        faults.other_contents(postgres)
        faults.emptiness(postgres)
        faults.silence(postgres)
        faults.damage(postgres)
        faults.copies(postgres)
        faults.standby(postgres)
        faults.absence(postgres)
        faults.standstill(postgres)
        faults.standstill(postgres, "--database-direct", postgres.url)
        faults.solitude(postgres)
        faults.detour(postgres)
        faults.pooler(postgres)
    finally:
        postgres.remove()
    for fault in faults.found:
        print(fault, file=sys.stderr)
    print("databases that cannot be used are refused" if not faults.found else f"{len(faults.found)} faults")
    sys.exit(1 if faults.found else 0)


if __name__ == "__main__":
    main()
