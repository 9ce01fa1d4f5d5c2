#!/usr/bin/env python3
"""Faults of all kinds in any order, for as long as you like: three servers over a PostgreSQL server with a synchronous
standby, with four accounts, all connections through a wire that is cut.

    chaos.py [--seconds N] [--seed N] [--other BINARY] BINARY

Writers, readers and the look at the end are those of cluster.py: what was acknowledged is there once, streams and pulls saw
every revision once and in order, the servers show the same. With --other, servers of two versions serve at the same time.
"""

import argparse
import collections
import random
import signal
import subprocess
import sys
import time

from cluster import Cluster
from postgres import Postgres, Wire, make_accounts, require_synchrony


class Chaos:
    def __init__(self, binary, other):
        self.binaries = [binary] + ([other] if other else [])
        self.primary = Postgres("fsync=off")
        self.nodes = [self.primary]
        self.wire = None
        self.counts = collections.Counter()

    def prepare(self):
        self.primary.start()
        self.standby = self.primary.standby("fsync=off")
        self.nodes.append(self.standby)
        self.standby.start()
        require_synchrony(self.primary)
        self.wire = Wire(self.primary)

    def run(self, seconds):
        end = time.monotonic() + seconds
        # Their writes share transactions.
        subprocess.run([self.binaries[-1], "migrate", "--database", self.primary.url], check=True, capture_output=True)
        tokens = make_accounts(self.primary, 4)
        options = [
            "--auth", "required", "--rate-limit", "0", "--database-lanes", "1", "--database-durability", "synchronous"]
        with Cluster(
                self.binaries[0], self.wire.url, self.primary.directory, *options, count=3,
                seconds=seconds + 300, tokens=tokens) as cluster:
            self.cluster = cluster
            for board in cluster.boards:
                board.patience = 5
                board.pause = 0.02
            cluster.load(2)
            events = [
                self.crash, self.fail_over, self.cut, self.cut, self.cut, self.kill, self.kill, self.replace, self.hang]
            # Each of them once, then any.
            plan = random.sample(list(dict.fromkeys(events)), len(set(events)))
            while time.monotonic() < end:
                event = plan.pop() if plan else random.choice(events)
                event()
                self.counts[event.__name__] += 1
                cluster.grow(random.randint(1, 60))
                if any(board.faults for board in cluster.boards):
                    break
            require_synchrony(self.primary)
            for board in cluster.boards:
                board.patience = 20
            return cluster.finish(self.primary.url)

    def remove(self):
        if self.wire:
            self.wire.remove()
        for node in self.nodes:
            node.remove()

    # What happens

    def crash(self):
        """PostgreSQL ends without a word, and comes back."""
        self.primary.stop("immediate")
        # How long it is away.
        time.sleep(random.uniform(0, 1))
        self.primary.start()

    def fail_over(self):
        """The primary is lost, the standby takes over, and another standby is made."""
        require_synchrony(self.primary)
        self.primary.stop("immediate")
        self.standby.promote()
        self.wire.lead_to(self.standby)
        self.cluster.grow(5)
        self.primary.remove_data()
        self.primary.copy(self.standby)
        self.primary.start()
        self.primary, self.standby = self.standby, self.primary
        require_synchrony(self.primary)

    def cut(self):
        """All connections end in the middle of an answer."""
        self.wire.cut(after=random.randint(1, 5000))

    def kill(self):
        """A server ends without a word; the next may be of the other version."""
        server = random.choice(self.cluster.servers)
        server.stop()
        server.binary = random.choice(self.binaries)
        server.start()

    def replace(self):
        """A rolling restart: one server after the other ends in good order."""
        for server in self.cluster.servers:
            server.stop(signal.SIGTERM)
            server.binary = random.choice(self.binaries)
            server.start()

    def hang(self):
        """A server stands still for a while, perhaps with locks."""
        process = random.choice(self.cluster.servers).process
        process.send_signal(signal.SIGSTOP)
        # How long it stands still.
        time.sleep(random.uniform(1, 6))
        process.send_signal(signal.SIGCONT)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--seed", type=int, default=None, help="of the order of events; printed")
    parser.add_argument("--other", help="a kanbase of another version")
    parser.add_argument("binary")
    arguments = parser.parse_args()
    seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
    print(f"chaos of {arguments.seconds} s, seed {seed}", flush=True)
    random.seed(seed)
    chaos = Chaos(arguments.binary, arguments.other)
    try:
        chaos.prepare()
        board = chaos.run(arguments.seconds)
    finally:
        chaos.remove()
    happened = ", ".join(f"{name} {count}" for name, count in sorted(chaos.counts.items()))
    print(f"chaos: {len(board.acknowledged)} tasks acknowledged over {happened}", flush=True)
    for fault in board.faults:
        print(f"chaos: {fault}", file=sys.stderr)
    sys.exit(1 if board.faults else 0)


if __name__ == "__main__":
    main()
