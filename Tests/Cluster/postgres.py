"""PostgreSQL servers, standbys and poolers that a test makes and removes. They run as the user `postgres`
when the test runs as root, because PostgreSQL refuses to run as root."""

import contextlib
import glob
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def programs():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
    if not found:
        sys.exit("PostgreSQL is not installed: apt-get install postgresql")
    return found[-1]


def make_directory():
    """A directory that PostgreSQL may write to."""
    directory = tempfile.mkdtemp(prefix="kanbase-cluster-")
    if os.geteuid() == 0:
        user = pwd.getpwnam("postgres")
        os.chown(directory, user.pw_uid, user.pw_gid)
    return directory


def as_postgres(*command):
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)


class Postgres:
    """A PostgreSQL server that is reached through a socket in its directory."""

    def __init__(self, *settings, encoding="UTF8"):
        self.programs = programs()
        self.directory = make_directory()
        self.data = f"{self.directory}/data"
        self.settings = [*settings]
        self.url = f"postgres:///postgres?host={self.directory}&user=kanbase"
        self.make(encoding)

    def make(self, encoding):
        self.run("initdb", "-D", self.data, "-U", "kanbase", "-A", "trust", "-E", encoding, "--locale=C", "--no-sync")

    def run(self, program, *arguments, **options):
        result = subprocess.run(
            as_postgres(f"{self.programs}/{program}", *arguments), cwd="/", capture_output=True, text=True, **options)
        if result.returncode != 0:
            raise RuntimeError(f"{program}: {result.stdout}{result.stderr}")
        return result.stdout

    def start(self):
        settings = ["listen_addresses=", "max_connections=200", *self.settings]
        options = " ".join([f"-k {self.directory}", *(f"-c {setting}" for setting in settings)])
        # The server keeps what it inherits open: its output goes to a file, for a pipe would never end.
        command = as_postgres(
            f"{self.programs}/pg_ctl", "-D", self.data, "-o", options, "-l", f"{self.directory}/log", "-w", "start")
        done = subprocess.run(command, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if done.returncode != 0:
            raise RuntimeError("PostgreSQL does not start: " + open(f"{self.directory}/log").read()[-2000:])

    def stop(self, mode="fast"):
        """`immediate` is like a crash."""
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def processes(self):
        """The first, and those that it made."""
        first = int(open(f"{self.data}/postmaster.pid").readline())
        children = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split()
        return [first, *map(int, children)]

    @contextlib.contextmanager
    def held(self):
        """Stands still: takes no connection and answers nothing."""
        os.kill(self.processes()[0], signal.SIGSTOP)  # Makes no further processes from now on.
        processes = self.processes()
        for process in processes[1:]:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(processes):
                os.kill(process, signal.SIGCONT)

    def execute(self, sql):
        """Runs statements and returns what they printed."""
        return self.run("psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", self.url, "-c", sql).strip()

    def standby(self, *settings):
        """A server that follows this one, which must run."""
        return Standby(self, *settings)

    def copy(self, primary):
        """Becomes a standby of the primary, which must run."""
        self.run("pg_basebackup", "-D", self.data, "-R", "-X", "stream", "-c", "fast", "--no-sync", "-d", primary.url)
        # By this name the primary waits for it, when it has to.
        with open(f"{self.data}/postgresql.auto.conf", "a") as settings:
            settings.write(
                f"primary_conninfo = 'host={primary.directory} user=kanbase application_name=standby'\n"
                "synchronous_standby_names = ''\n")

    def remove_data(self):
        shutil.rmtree(self.data)

    def promote(self):
        self.run("pg_ctl", "-D", self.data, "-w", "promote")

    def remove(self):
        if os.path.exists(f"{self.data}/postmaster.pid"):
            try:
                self.stop("immediate")
            except RuntimeError:
                pass  # It ended in the meantime.
        shutil.rmtree(self.directory, ignore_errors=True)


class Standby(Postgres):
    def __init__(self, primary, *settings):
        self.primary = primary
        super().__init__(*settings)

    def make(self, encoding):
        self.copy(self.primary)


class Pooler:
    """A pgbouncer in front of a PostgreSQL server."""

    def __init__(self, postgres, mode):
        self.directory = make_directory()
        self.url = f"postgres:///postgres?host={self.directory}&port=6432&user=kanbase"
        settings = f"{self.directory}/pgbouncer.ini"
        with open(settings, "w") as file:
            file.write(
                f"[databases]\npostgres = host={postgres.directory} user=kanbase\n[pgbouncer]\nlisten_port = 6432\n"
                f"listen_addr =\nunix_socket_dir = {self.directory}\nauth_type = any\npool_mode = {mode}\n"
                f"max_client_conn = 200\ndefault_pool_size = 40\nignore_startup_parameters = extra_float_digits\n")
        self.settings = settings
        self.start()

    def start(self):
        with open(f"{self.directory}/log", "ab") as log:
            self.process = subprocess.Popen(
                as_postgres("/usr/sbin/pgbouncer", "-q", self.settings), stdout=log, stderr=log, cwd="/")
        wait_for(lambda: os.path.exists(f"{self.directory}/.s.PGSQL.6432"), "pgbouncer starts")

    def stop(self):
        # The process of the user switch passes the signal on.
        self.process.terminate()
        self.process.wait(timeout=120)

    def restart(self):
        """Ends all connections at once."""
        self.stop()
        wait_for(lambda: not os.path.exists(f"{self.directory}/.s.PGSQL.6432"), "pgbouncer ends")
        self.start()

    def remove(self):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)


class Wire:
    """Passes bytes between a port of this machine and a PostgreSQL server, until a test cuts them."""

    def __init__(self, postgres):
        self.lead_to(postgres)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.listener.getsockname()[1]
        self.url = f"postgres://kanbase@127.0.0.1:{self.port}/postgres?sslmode=disable"
        self.lock = threading.Lock()
        self.pairs = set()
        # How many more bytes of answers pass before all connections are cut; None for as many as come.
        self.allowance = None
        threading.Thread(target=self.accept, daemon=True).start()

    def lead_to(self, postgres):
        """Leads new connections to this server."""
        self.target = f"{postgres.directory}/.s.PGSQL.5432"

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # Closed.
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            with self.lock:
                self.pairs.add(pair)
            threading.Thread(target=self.copy, args=(client, server, pair, False), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, pair, True), daemon=True).start()

    def copy(self, source, target, pair, answers):
        try:
            while data := source.recv(1 << 20):
                if answers and self.allowance is not None:
                    with self.lock:
                        left = self.allowance
                        if left is not None:
                            data, self.allowance = data[:left], left - len(data)
                    target.sendall(data)
                    if left is not None and left <= len(data):
                        return self.cut()
                else:
                    target.sendall(data)
        except OSError:
            pass  # The other side is gone.
        finally:
            self.end(pair)

    def end(self, pair):
        with self.lock:
            self.pairs.discard(pair)
        for side in pair:
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It is closed already.

    def cut(self, after=0):
        """Ends all connections, after this number of further bytes of answers."""
        if after:
            self.allowance = after
            return
        self.allowance = None
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self.end(pair)

    def remove(self):
        self.listener.close()
        self.cut()


def wait_for(condition, what, seconds=60):
    """Returns what the condition gives once it is true."""
    end = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} s in vain until {what}")
        time.sleep(0.02)
    return result


def make_accounts(postgres, count):
    """Accounts by a statement, each with a token: a sign-up takes the time of a password's hash."""
    postgres.execute(
        f"""
        INSERT INTO accounts (number, id, epoch, email, email_folded, email_verified, created_at)
        SELECT 1000 + n, md5('account' || n)::uuid, n, n || '@example.org', n || '@example.org', 1, 0
        FROM generate_series(1, {count}) n;
        INSERT INTO tokens (account, id, token_hash, name, scope, created_at, last_used_at)
        SELECT 1000 + n, md5('token' || n)::uuid, sha256(('kb_' || lpad(n::text, 40, 'a'))::bytea), 'test', 'full', 0,
            floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
        FROM generate_series(1, {count}) n
        """)
    return [f"kb_{number:a>40}" for number in range(1, count + 1)]


def require_synchrony(primary):
    """Makes the primary wait for its standby, which must be there."""
    primary.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    primary.execute("SELECT pg_reload_conf()")
    wait_for(
        lambda: primary.execute("SELECT sync_state FROM pg_stat_replication") == "sync", "the standby is synchronous")
