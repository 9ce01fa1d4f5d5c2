"""Databases that Kanbase cannot use: what the program says, how it ends, and that it writes nothing."""

import http.client
import os
import re
import signal
import socket
import subprocess

from servers import Server
from strangers import SECRET, Stub, old_postgres, silent, web_server


class Refusals:
    def __init__(self, binary):
        self.binary = binary
        self.found = []

    def expect(self, condition, what):
        if not condition:
            self.found.append(what)

    def refuses(self, what, url, code, words, command=("serve", "--port", "0"), secrets=(SECRET,)):
        """The program ends by itself with the code and one line, which has the words and no secret."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("KANBASE_", "PG"))}
        try:
            ended = subprocess.run(
                [self.binary, *command], env={**environment, "KANBASE_DATABASE": url}, capture_output=True, text=True,
                stdin=subprocess.DEVNULL, timeout=60)
        except subprocess.TimeoutExpired:
            self.found.append(f"{what}: the program does not end")
            return
        said = ended.stderr.strip().removesuffix("See 'kanbase --help'.").strip()
        self.expect(ended.returncode == code, f"{what}: exit code {ended.returncode} for {code}: {said}")
        self.expect(len(said.splitlines()) == 1, f"{what}: not one line: {said}")
        self.expect(re.search(words, said), f"{what}: says {said}")
        for secret in secrets:
            self.expect(secret not in ended.stdout + said, f"{what}: tells the password: {said}")

    def ask(self, server, path, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        try:
            connection.request(method, path, body=body, headers={"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def strangers(self):
        closed = socket.create_server(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        closed.close()
        self.refuses("nobody", f"postgres://kanbase:{SECRET}@127.0.0.1:{port}/kanbase", 69, "refused")
        self.refuses("no such host", f"postgres://kanbase:{SECRET}@nowhere.invalid/kanbase", 69, "nowhere.invalid")
        self.refuses("no address", f"mysql://kanbase:{SECRET}@127.0.0.1/kanbase", 78, "KANBASE_DATABASE")
        self.refuses("no port", f"postgres://kanbase:{SECRET}@127.0.0.1:99999/kanbase", 78, "port")
        self.refuses("a slash in the password", f"postgres://kanbase:{SECRET}/x@127.0.0.1/kanbase", 78, "port")
        self.refuses(
            "no port on the command line", "postgres:///kanbase", 64, "port",
            command=("serve", "--port", "0", "--database", f"postgres://kanbase:{SECRET}@127.0.0.1:99999/kanbase"))
        self.refuses("a web server", Stub(web_server).url, 76, "not a PostgreSQL server")
        self.refuses("a server that hangs up", Stub(silent).url, 69, "closed")
        self.refuses("PostgreSQL 12", Stub(old_postgres).url, 76, "version 12")

    def closed_doors(self, postgres):
        postgres.execute(f"CREATE ROLE anna LOGIN PASSWORD '{SECRET}'")
        postgres.execute("CREATE ROLE reader LOGIN")
        lines = open(f"{postgres.data}/pg_hba.conf").read()
        with open(f"{postgres.data}/pg_hba.conf", "w") as file:
            file.write("local all anna scram-sha-256\nlocal all stranger reject\n" + lines)
        postgres.execute("SELECT pg_reload_conf()")
        place = f"/postgres?host={postgres.directory}"
        wrong = f"postgres://anna:{SECRET}2@{place}"
        self.refuses("a wrong password", wrong, 77, "password")
        self.refuses("no password", f"postgres://anna@{place}", 77, "password")
        self.refuses("a role that is shut out", f"postgres://stranger@{place}", 77, "pg_hba|role")
        self.refuses("no such role", f"postgres://nobody@{place}", 77, "role")
        self.refuses("no such database", f"postgres:///nothing?host={postgres.directory}&user=kanbase", 66, "nothing")
        self.refuses("a role that may make no tables", f"postgres://reader@{place}", 77, "permission denied")
        self.refuses("a wrong password of a command", wrong, 77, "password", command=("account", "list"))
        self.refuses("a wrong password of a check", wrong, 77, "password", command=("check",))

    def database(self, postgres, name, *statements, encoding="UTF8"):
        postgres.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LOCALE 'C'")
        url = f"postgres:///{name}?host={postgres.directory}&user=kanbase"
        self.alter(postgres, url, *statements)
        return url

    def alter(self, postgres, url, *statements):
        for statement in statements:
            postgres.run("psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", statement)

    def contents(self, postgres, url):
        # A line of its own has a word that is another each time.
        lines = postgres.run("pg_dump", "-d", url).splitlines()
        return [line for line in lines if not line.startswith(("\\restrict", "\\unrestrict"))]

    def other_contents(self, postgres):
        def database(*arguments, **options):
            return self.database(postgres, *arguments, **options)

        cases = [
            ("somebody else's tables", database("other", "CREATE TABLE invoices (n int)"), 65, "something else"),
            ("another table of our name", database("named", "CREATE TABLE kanbase (n int)"), 65, "something else"),
            ("a newer Kanbase", database(
                "newer", "CREATE TABLE kanbase (version bigint NOT NULL, made_at bigint NOT NULL)",
                "INSERT INTO kanbase VALUES (1000, 0)"), 65, "newer Kanbase"),
            ("another encoding", database("latin", encoding="LATIN1"), 78, "LATIN1"),
        ]
        for what, url, code, words in cases:
            self.leaves(postgres, what, url, code, words, ("serve", "--port", "0"), ("check",), ("account", "list"), ("export",))

    def leaves(self, postgres, what, url, code, words, *commands):
        """All commands end with the code and the words, and write nothing into the database."""
        before = self.contents(postgres, url)
        for command in commands:
            self.refuses(f"{what}, {' '.join(command[:2])}", url, code, words, command=command)
        self.expect(self.contents(postgres, url) == before, f"{what}: something was written")

    READING = (
        ("account", "list"), ("account", "show", "a@b.example"), ("account", "events", "a@b.example"),
        ("token", "list", "a@b.example"), ("export",), ("check",), ("renew",))

    def silence(self, postgres):
        """A role that may not ask for the history of the server, as hosted databases have it."""
        postgres.execute("CREATE ROLE guest LOGIN")
        url = self.database(
            postgres, "discreet", "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
            "GRANT CREATE ON SCHEMA public TO guest").replace("user=kanbase", "user=guest")
        needed = "GRANT EXECUTE ON FUNCTION pg_control_system.*--database-durability synchronous"
        self.leaves(postgres, "a discreet database", url, 77, needed, ("serve", "--port", "0"))
        with open(f"{postgres.directory}/servers.log", "ab") as log:
            server = Server(self.binary, url, log, "--database-durability", "synchronous")
            server.start()
            status = self.ask(server, "/tasks", "POST", '{"title": "there"}')[0]
            self.expect(status == 201, f"a create in a discreet database is answered {status}")
            server.stop(signal.SIGTERM)
        add = [self.binary, "account", "add", "a@b.example", "--database", url, "--database-durability", "synchronous"]
        added = subprocess.run(add, input="a long password\n", capture_output=True, text=True)
        self.expect(added.returncode == 0, f"an account is refused by a discreet database: {added.stderr}")

    def emptiness(self, postgres):
        """Only what fills a database makes its tables."""
        url = self.database(postgres, "empty")
        backup = ("backup", f"{postgres.directory}/empty.backup")
        self.leaves(postgres, "an empty database", url, 66, "is empty", *self.READING, backup)

    def damage(self, postgres):
        """Somebody took tables or columns away."""
        for number, (statement, words) in enumerate((
                ("DROP TABLE history, mails", "the table history, the table mails"),
                ("ALTER TABLE tasks DROP COLUMN title", r"the column tasks\.title"),
                ("ALTER TABLE accounts DROP COLUMN revision", r"the column accounts\.revision"))):
            url = self.database(postgres, f"damaged{number}")
            subprocess.run([self.binary, "migrate", "--database", url], check=True, capture_output=True)
            self.alter(postgres, url, statement)
            self.leaves(
                postgres, statement, url, 65, words, ("serve", "--port", "0"), ("migrate",), *self.READING, ("invite",),
                ("backup", f"{postgres.directory}/damaged.backup"), ("copy", url, f"{postgres.directory}/damaged"))

    def copies(self, postgres):
        """What `kanbase copy` cannot do."""
        place = f"{postgres.directory}/copies"
        os.makedirs(place)
        open(f"{place}/text", "w").write("no data")
        for name in ("filled", "bare"):
            postgres.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")

        def url(name):
            return f"postgres:///{name}?host={postgres.directory}&user=kanbase"

        full, bare = url("filled"), url("bare")
        board = '{"title": "there"}'
        for where, options in ((full, ()), (f"{place}/full", ("--auth", "open"))):
            with open(f"{postgres.directory}/servers.log", "ab") as log:
                server = Server(self.binary, where, log, *options)
                server.start()
                self.ask(server, "/tasks", "POST", board)
                server.stop(signal.SIGTERM)
        secret = f"postgres://anna:{SECRET}"
        spelled = f"postgresql://kanbase@/filled?host={postgres.directory}&port=5432&options=-c%20work_mem%3D8MB"
        for what, source, target, code, words in (
                ("neither is a database", f"{place}/full", f"{place}/new", 64, "must be a database"),
                ("both are the same", full, full, 64, "the same database"),
                ("both are the same, spelled otherwise", full, spelled, 64, "the same database"),
                ("another address", f"mysql://u:{SECRET}@h/d", full, 64, "FROM must be"),
                ("a parameter that nobody knows", f"{place}/full", f"{secret}@h/d?no=1", 64, "TO must be"),
                ("no data", f"{place}/nothing", full, 66, "no data"),
                ("a database without tables", bare, f"{place}/new", 66, "is empty"),
                ("no such database", url("nothing"), f"{place}/new", 66, "nothing"),
                ("a file that is no backup", f"{place}/text", bare, 65, "damaged|no data"),
                ("somebody else's tables", url("other"), f"{place}/new", 65, "something else"),
                ("a newer Kanbase", url("newer"), f"{place}/new", 65, "newer"),
                ("a database with accounts", f"{place}/full", full, 73, "already"),
                ("a directory with data", full, f"{place}/full", 73, "already"),
                ("a file", full, f"{place}/text", 73, "is a file"),
                ("a wrong password", f"{secret}2@/postgres?host={postgres.directory}", f"{place}/new", 77, "password")):
            self.refuses(f"a copy, {what}", "", code, words, command=("copy", source, target))
        self.expect(postgres.execute("SELECT 1") == "1", "PostgreSQL is gone")
        self.expect(not os.path.exists(f"{place}/new"), "a copy that was refused left something")

    def standby(self, postgres):
        standby = postgres.standby()
        try:
            standby.start()
            self.refuses("a standby", standby.url, 75, "standby")
            self.refuses("a standby of a command", standby.url, 75, "standby", command=("account", "list"))
        finally:
            standby.remove()
