#!/usr/bin/env python3
"""One client, however hostile, harms nobody else: attacks on a server with `--auth required` and default limits.

Each attack of `attacks/` gets a fresh server. A polite stranger is measured alone, then beside the attack. The memory
of the process, the growth of its data, what the stranger waits for, and what it wrote must stay within bounds.
Times are judged only while other programs leave the processors alone; else they are reported. Those of writes may be as long
as the disk makes them, which is measured beside.
To add an attack, write one function: see `attack` in `stage.py`.
"""

import argparse
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "Crash"), str(HERE.parent / "Cluster")]

from harness import Gone, Server, run  # noqa: E402
from postgres import Postgres  # noqa: E402
from stage import ATTACKS, Accounts, Fault, start  # noqa: E402
from stranger import Stranger  # noqa: E402

ALONE = 1  # seconds that the stranger is measured without the attack
OTHERS = 0.1  # of the processors that other programs may take while times are judged
ATTEMPTS = 3
TICKS = os.sysconf("SC_CLK_TCK")
MIB = 1 << 20


def percentile(times, part):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * part))] if times else 0.0


def resident(process, name="VmHWM"):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith(name))


def on_disk(folder):
    return sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*") if file.is_file()) / MIB


def own_seconds(pids):
    """Processor time of these processes so far, and of children of theirs that have ended."""
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                # The name in parentheses may hold anything.
                fields = file.read().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def machine_seconds():
    """Processor time that programs took on the whole machine, and what there was in all. Stolen time was taken."""
    with open("/proc/stat") as file:
        user, nice, system, idle, wait, _, _, steal = map(int, file.readline().split()[1:9])
    taken = user + nice + system + steal
    return taken / TICKS, (taken + idle + wait) / TICKS


class Use:
    """What the processors did since it was made."""

    def __init__(self, pids):
        """Of the programs that are not meant with `pids()`."""
        self.pids, self.own, self.machine = pids, own_seconds(pids()), machine_seconds()

    def others(self):
        """The part that other programs took."""
        taken, all = (now - then for now, then in zip(machine_seconds(), self.machine))
        return max(0.0, taken - (own_seconds(self.pids()) - self.own)) / max(all, 0.01)


class Trial:
    """One attack on one server."""

    # Times beyond their bounds are printed and do not fail.
    tells_times = False
    # How many times as slow as an idle machine of two cores this one is.
    slack = 1.0

    def __init__(self, binary, function, accounts, folder):
        self.binary, self.function, self.accounts, self.folder = binary, function, accounts, folder
        self.data = os.path.join(folder, "data")
        self.faults = []
        self.postgres = None

    def run(self):
        if not self.function.database:
            shutil.copytree(self.accounts.data, self.data)
            self.against()
            result = run(self.binary, "check", "--data", self.data, check=False)
            self.expect(result.returncode == 0, f"check: {result.stderr}")
            return self.faults
        self.postgres = Postgres("fsync=off")
        try:
            self.postgres.start()
            run(self.binary, "copy", self.accounts.data, self.postgres.url)
            self.against("--database", self.postgres.url)
        finally:
            self.postgres.stop("immediate")
            self.postgres.remove()
        return self.faults

    def against(self, *options):
        environment = {name: text.format(folder=self.folder) for name, text in self.function.environment.items()}
        server = Server(
            self.binary, self.data, "--auth", "required", *options, *self.function.options, *self.encryption(), wrapper=self.function.wrapper,
            environment=environment)
        try:
            self.attack(server)
            server.stop()
        except BaseException:
            server.process.kill()
            raise

    def encryption(self):
        """Options for a certificate with the attack's kind of key, which is made here."""
        if not self.function.key:
            return ()
        certificate, key = (os.path.join(self.folder, name) for name in ("certificate.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", self.function.key, "-nodes", "-subj", "/CN=localhost", "-days", "2",
             "-keyout", key, "-out", certificate], check=True, capture_output=True)
        return "--tls-certificate", certificate, "--tls-key", key

    def attack(self, server):
        tokens = self.accounts.tokens
        attacker, pipe = start(self.function, server, tokens, self.folder)
        stranger = Stranger(server, tokens, self.folder, self.function.looks)
        self.wait(pipe, "prepared", 120)
        stranger.begin()
        self.memory_before, disk_before = resident(server.process, "VmRSS"), on_disk(self.data)
        # The stranger's first requests, on new connections, are not compared.
        time.sleep(0.2)
        pids = [os.getpid(), server.process.pid, attacker.pid, *(process.pid for process, _ in stranger.parts)]
        use = Use(lambda: pids + (self.postgres.processes() if self.postgres else []))
        began = time.monotonic()
        # A time without the attack, to compare with.
        time.sleep(ALONE)
        pipe.send("go")
        attacked = time.monotonic()
        said = self.wait(pipe, "done", self.function.seconds + 60)
        ended = min(time.monotonic(), attacked + self.function.seconds)
        self.others = use.others()
        attacker.join()
        stranger.stop()
        if server.process.poll() is not None:
            raise Fault(f"The server ended with {server.process.returncode}.\n{server.tail()}")
        self.said = said
        self.alone = [sample for sample in stranger.samples if began <= sample.began < attacked]
        self.beside = [sample for sample in stranger.samples if attacked <= sample.began < ended]
        self.memory, self.disk = resident(server.process), on_disk(self.data) - disk_before
        self.judge(stranger)

    def wait(self, pipe, word, seconds):
        if not pipe.poll(seconds):
            raise Fault(f"The attacker was not {word} within {seconds} s.")
        kind, said = pipe.recv()
        if kind != word:
            raise Fault(f"The attacker says: {said}")
        return said

    def judge(self, stranger):
        bounds = self.function.bounds
        self.expect(self.memory <= bounds.memory, f"{self.memory:.0f} MiB resident, {bounds.memory} are allowed")
        self.expect(self.disk <= bounds.disk, f"{self.disk:.0f} MiB of data more, {bounds.disk} are allowed")
        refused = [sample for sample in self.beside if sample.status != 200]
        self.expect(not refused, f"the stranger was refused {len(refused)} times: {refused[:5]}")
        # A machine may share its disk with others, and then a sync takes half a second now and then. A write has its own,
        # and may wait for that of a write before it.
        disk = 2 * self.worst(self.beside, "sync")
        for kind in self.kinds:
            alone, beside = self.slow(self.alone, kind), self.slow(self.beside, kind)
            floor, wait = bounds.floor[kind] * Trial.slack, disk if kind in ("write", "log-in") else 0
            allowed = max(bounds.factor * alone, floor) + wait
            self.expect_time(beside <= allowed, f"{kind}: {beside:.1f} ms beside it, {alone:.1f} alone")
            if kind == "log-in":
                continue
            alone, beside = self.median(self.alone, kind), self.median(self.beside, kind)
            allowed = max(bounds.factor * alone, floor / 2) + wait
            self.expect_time(beside <= allowed, f"half of {kind}: {beside:.1f} ms beside it, {alone:.1f} alone")
        worst = self.worst(self.beside, "ready")
        allowed = max(bounds.ready * Trial.slack, bounds.factor * self.worst(self.alone, "ready"))
        self.expect_time(worst <= allowed, f"/health/ready took {worst:.0f} ms")
        losses = stranger.losses()
        self.expect(not losses, f"{len(losses)} of the stranger's tasks are not as it wrote them")

    @property
    def kinds(self):
        return ["read", "write", "log-in", *(["search", "stats", "trash"] if self.function.looks else [])]

    @staticmethod
    def slow(samples, kind):
        """The 99th percentile; of the few log-ins the slowest."""
        return percentile([sample.took for sample in samples if sample.kind == kind], 0.99)

    @staticmethod
    def median(samples, kind):
        return percentile([sample.took for sample in samples if sample.kind == kind], 0.5)

    @staticmethod
    def worst(samples, kind):
        return max((sample.took for sample in samples if sample.kind == kind), default=0)

    def expect_time(self, condition, words):
        is_judged = self.others <= OTHERS and not Trial.tells_times
        if condition or is_judged:
            self.expect(condition, words)
        else:
            print(f"    slow: {words}; other programs took {self.others:.0%} of the processors", flush=True)

    def expect(self, condition, words):
        if not condition:
            self.faults.append(words)

    def figures(self):
        parts = [f"{self.memory:4.0f} MiB", f"{self.disk:+5.1f} MiB of data"]
        for kind in ("ready", *self.kinds):
            alone, beside = (f"{self.median(all, kind):.1f}/{self.slow(all, kind):.1f}" for all in (self.alone, self.beside))
            parts.append(f"{kind} {alone} -> {beside} ms")
        parts.append(f"sync of the disk {self.worst(self.alone, 'sync'):.1f} -> {self.worst(self.beside, 'sync'):.1f} ms")
        return ", ".join(parts) + (f"; {self.said}" if self.said else "")


def attempt(binary, function, accounts):
    with tempfile.TemporaryDirectory(prefix="kanbase-abuse-") as folder:
        trial = Trial(binary, function, accounts, folder)
        try:
            faults = trial.run()
        except (Fault, Gone, SystemExit, subprocess.TimeoutExpired) as fault:
            faults = [str(fault) or repr(fault)]
        if hasattr(trial, "beside"):
            print(f"    {trial.figures()}", flush=True)
        return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("names", nargs="*", help="attacks to run, by name; all of them without")
    parser.add_argument("--tell-times", action="store_true", help="print times beyond their bounds, and do not fail")
    parser.add_argument("--slack", type=float, default=1, help="how many times as slow as an idle machine this one is")
    parser.add_argument("--list", action="store_true", help="name the attacks")
    options = parser.parse_args()
    Trial.tells_times, Trial.slack = options.tell_times, options.slack
    for file in sorted((HERE / "attacks").glob("*.py")):
        importlib.import_module(f"attacks.{file.stem}")
    chosen = [function for function in ATTACKS if not options.names or function.__name__ in options.names]
    if options.list:
        return print("\n".join(f"{function.__name__:28} {function.title}" for function in chosen))

    with tempfile.TemporaryDirectory(prefix="kanbase-abuse-") as folder:
        failed = make(chosen, options.binary, Accounts(options.binary, os.path.join(folder, "data")))
    sys.exit(1 if failed else 0)


def make(attacks, binary, accounts):
    """Makes the attacks. Returns the names of those that were not withstood."""
    began, failed = time.monotonic(), []
    for function in attacks:
        print(f"{function.__name__}: {function.title}", flush=True)
        for count in range(ATTEMPTS):
            faults = attempt(binary, function, accounts)
            if not faults or count == ATTEMPTS - 1:
                break
            # What happens beside it on this machine can make one run slow, but not all of a sound server.
            print("    once more, because " + "; ".join(faults), flush=True)
        for fault in faults:
            print(f"    FAILED: {fault}", flush=True)
        if faults:
            failed.append(function.__name__)
    print(f"{len(attacks)} attacks in {time.monotonic() - began:.0f} s; not withstood: {', '.join(failed) or 'none'}")
    return failed


if __name__ == "__main__":
    main()
