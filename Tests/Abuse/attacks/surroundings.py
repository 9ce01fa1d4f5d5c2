"""Attacks where the server has little, or where its clock is not to be trusted."""

import glob
import os
import time

from stage import attack


@attack("A client takes every connection of a server with 256 descriptors", seconds=4, wrapper=["prlimit", "--nofile=256"])
def few_descriptors(stage):
    stage.begin()
    held = []
    while stage.goes_on():
        connection = stage.connect()
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        held.append(connection)
        if len(held) > 600:
            held.pop(0).close()
    return f"{len(held)} connections"


@attack("Bodies of 1 MiB stop just before their end where the server may have 1 GiB of addresses", seconds=4,
        wrapper=["prlimit", f"--as={1 << 30}"])
def little_memory(stage):
    tokens = [stage.account() for _ in range(12)]
    stage.begin()
    held = []
    for number in range(600):
        if not stage.goes_on():
            break
        token = tokens[number % len(tokens)]
        held.append(stage.connect())
        held[-1].settimeout(0.2)
        try:
            held[-1].sendall(
                stage.head("POST", "/sync", token, Content_Type="application/json", Content_Length=1 << 20)
                + b" " * ((1 << 20) - 10))
        except OSError:
            pass
    stage.rest()
    return f"{len(held)} bodies"


def fake_time():
    """The library that lets a process see another time; `Scripts/need faketime` installs it."""
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    return found[0] if found else "libfaketime.so.1"


# `env` runs with the library first: it sets a variable, and Swift finds its arguments by where the environment began.
@attack("The clock jumps by weeks, back and forth", seconds=4, wrapper=["env"], environment={
    "LD_PRELOAD": fake_time(), "FAKETIME_TIMESTAMP_FILE": "{folder}/time", "FAKETIME_NO_CACHE": "1",
    "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    # A clock that is set does not change the times of files.
    "NO_FAKE_STAT": "1"})
def clock_jumps(stage):
    def jump(offset):
        with open(os.path.join(stage.folder, "time.new"), "w") as file:
            file.write(offset + "\n")
        os.rename(os.path.join(stage.folder, "time.new"), os.path.join(stage.folder, "time"))

    jump("+0")
    stage.begin()
    jumps = ["+20d", "-20d", "+1d", "-400d", "+30d", "+0"]
    seen = set()
    while stage.goes_on():
        jump(jumps[len(seen) % len(jumps)])
        # Timers and upkeep run under this time for a moment.
        time.sleep(0.3)
        status, answer = stage.ask(stage.connect(), stage.head("GET", "/health/live", Connection="close"))
        stage.require(status == 200, "No answer after the clock jumped.")
        seen.add(next((line for line in answer.split(b"\r\n") if line.startswith(b"Date:")), b"")[:22])
    stage.require(len(seen) > 2, "The clock did not jump:", seen)
    return f"{len(seen)} dates"
