"""The machine: what is installed, what a process uses, how long the disk takes."""

import glob
import os
import platform
import re
import shutil
import statistics
import subprocess
import time

# The processors of the servers and of what makes the load: the same, unless they are set apart.
ALL = sorted(os.sched_getaffinity(0))
servers, load = ALL, ALL
TICK = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def need(root, programs):
    """Installs the Debian packages of the programs that are missing; `programs` maps one to the other."""
    missing = [package for program, package in programs.items() if find(program) is None]
    if missing:
        subprocess.run([f"{root}/Scripts/need", *missing], check=True)


def find(program):
    return shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")


def set_apart():
    """From now on servers run on the first processor, and this process with all that it starts on the others."""
    global servers, load
    if len(ALL) < 2:
        raise SystemExit("One processor cannot be shared out.")
    servers, load = ALL[:1], ALL[1:]
    os.sched_setaffinity(0, load)


def on_servers_processors(command):
    return command if servers == ALL else ["taskset", "--cpu-list", ",".join(map(str, servers)), *command]


def facts():
    """What the figures depend on, and nothing that tells whose machine it is."""
    with open("/proc/cpuinfo") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1])
    return {
        "processor": model.group(1) if model else platform.machine(),
        "cores": len(ALL),
        "loadSetApart": load != ALL,
        "memoryMiB": memory // 1024,
        "kernel": platform.release().split("-")[0],
        "loadAverage": round(os.getloadavg()[0], 1),
    }


def family(pid):
    """The process and all that come from it."""
    pids = [pid]
    for name in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(name) as file:
                children = file.read().split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # The thread ended meanwhile.
        for child in children:
            pids += family(int(child))
    return pids


def cpu_seconds(pid):
    """User and kernel time of the process and its children, from the kernel's accounting."""
    total = 0
    for member in family(pid):
        with open(f"/proc/{member}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total * TICK


def resident(pid):
    """Resident MiB: all, what is the process's own, and what is pages of files (which the kernel can take back)."""
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return {name: int(fields[key].split()[0]) / 1024
            for name, key in (("all", "VmRSS"), ("own", "RssAnon"), ("file", "RssFile"), ("peak", "VmHWM"))}


def forget_pages(paths):
    """Asks the kernel to drop what it keeps of the files in memory."""
    for path in paths:
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


def sync_milliseconds(directory, count=200):
    """The median of one append of a log page and its fdatasync."""
    path = os.path.join(directory, "sync-probe")
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.posix_fallocate(file, 0, count * 8240)
    times = []
    for _ in range(count):
        began = time.perf_counter()
        os.write(file, bytes(8240))
        os.fdatasync(file)
        times.append(time.perf_counter() - began)
    os.close(file)
    os.unlink(path)
    return statistics.median(times) * 1000
