"""What a request costs in a way that is the same on every machine: instructions and allocations in user space, counted by
callgrind in HotPath, which is a whole server with a client of a few instructions."""

import collections
import glob
import json
import os
import re
import subprocess
import tempfile

from .servers import HERE

ROOT = os.path.dirname(HERE)
LIMITS = f"{HERE}/limits.json"
# As in HotPath, with the number of requests, or of edits that are pushed.
WORKLOADS = {"get": 200, "unchanged": 200, "get apart": 200, "page": 200, "page rebuilt": 200, "create": 200, "patch": 200,
             "move": 200, "push": 2000}
# What the project has set itself as the aim, beside the limits that a change must stay within.
TARGETS = {
    "get": {"instructions": 9_000, "allocations": 2}, "unchanged": {"instructions": 8_500},
    "get apart": {"instructions": 20_000}, "page": {"instructions": 15_000}, "page rebuilt": {"instructions": 150_000},
    "create": {"instructions": 140_000}, "patch": {"instructions": 140_000}, "move": {"instructions": 140_000},
    "push": {"instructions": 60_000}}
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc"}


def counted(in_image=False):
    """Builds HotPath and counts. `in_image` as the image has it, beside what is built of it already."""
    subprocess.run([f"{ROOT}/Scripts/need", "valgrind"], check=True)
    if in_image:
        subprocess.run([f"{ROOT}/Scripts/image-build", "HotPath"], check=True)
        return count(f"{ROOT}/.build/image/release/HotPath")
    subprocess.run(["swift", "build", "-c", "release", "--product", "HotPath"], cwd=ROOT, check=True)
    return count(f"{ROOT}/.build/release/HotPath")


def count(binary):
    """For each workload the instructions and allocations of one request."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(
            ["valgrind", "--quiet", "--tool=callgrind", "--dump-before=*HotPath4mark*",
             f"--callgrind-out-file={directory}/out", binary],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # How long a search in a dictionary is depends on the seed of its hashes.
            env=os.environ | {"TMPDIR": directory, "SWIFT_DETERMINISTIC_HASHING": "1"})
        parts = sorted(glob.glob(f"{directory}/out.*"), key=lambda path: int(path.rsplit(".", 1)[1]))
        # A part ends at each mark: one before the requests of a workload, one after.
        return {name: figures(part, repeats)
                for (name, repeats), part in zip(WORKLOADS.items(), parts[1::2], strict=True)}


def figures(path, repeats):
    instructions, calls, names = 0, collections.Counter(), {}
    callee = None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.startswith("totals:"):
                instructions = int(line.split()[1])
            elif line.startswith(("fn=", "cfn=")):
                # A name is written out once, and then named by its number.
                number, name = re.match(r"c?fn=(\(\d+\))(?: (.*))?", line).groups()
                names.setdefault(number, name)
                callee = names[number] if line.startswith("cfn=") else callee
            elif line.startswith("calls="):
                calls[callee] += int(line[6:].split()[0])
    allocations = sum(count for name, count in calls.items() if name in ALLOCATORS)
    return {"instructions": round(instructions / repeats), "allocations": round(allocations / repeats, 1)}


def limits():
    with open(LIMITS, encoding="utf-8") as file:
        return json.load(file)


def instructions(run):
    """The counts of Benchmarks/guard with the targets; each limit is a target, too."""
    allowed = limits()
    for name, costs in counted().items():
        targets = [(f"≤ {limit:,} {key} ({kind})", f"{costs[key]:,}", costs[key] <= limit)
                for kind, wanted in (("target", TARGETS[name]), ("limit", allowed[name])) for key, limit in wanted.items()]
        run.report.add(f"{name}, a request in user space", costs, targets)
