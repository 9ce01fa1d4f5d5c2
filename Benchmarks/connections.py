#!/usr/bin/env python3
"""What very many connections do to a server: its memory, its descriptors, and everybody else's answers.

    Benchmarks/connections.py SCENARIO [--count N] -- SERVER ARGUMENT…

SERVER is started with the arguments and must serve GET /health/live on the port of --port. Scenarios:

    idle     10,000 kept-alive connections: resident memory of each (target: 8 KiB), and the speed of others meanwhile
    slow     5,000 connections that send a byte a second: others' p99 (target: 20 ms), and that all get 408 in time
    endings  100,000 connections that end in every way: descriptors and memory before and after
    exhaust  more connections than the server may have descriptors: it serves on, before, during and after

The others' answers are timed with wrk. Ends with 1 when a target is missed.
"""
import argparse, os, random, resource, selectors, signal, socket, struct, subprocess, sys, time

HOST = "127.0.0.1"
REQUEST = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"


def resident(pid):
    """Resident memory in bytes."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def connect(port):
    client = socket.socket()
    # Several loopback addresses, so that the ports of one do not run out.
    client.bind((f"127.0.0.{random.randint(1, 200)}", 0))
    client.connect((HOST, port))
    return client


def answer(client):
    data = b""
    client.settimeout(10)
    while b"\r\n\r\n" not in data:
        piece = client.recv(65536)
        if not piece:
            break
        data += piece
    return data


def serves(port):
    with socket.create_connection((HOST, port), 10) as client:
        client.sendall(REQUEST)
        return answer(client).startswith(b"HTTP/1.1 200")


def others(port, seconds):
    """p99 in milliseconds and requests a second of eight ordinary connections."""
    text = subprocess.run(
        ["wrk", "-t1", "-c8", f"-d{seconds}s", "--latency", f"http://{HOST}:{port}/health/live"],
        check=True, capture_output=True, text=True).stdout
    units = {"us": 0.001, "ms": 1, "s": 1000}
    p99 = next(line.split()[1] for line in text.splitlines() if line.strip().startswith("99%"))
    number = p99.rstrip("ums")
    rate = next(float(line.split()[1]) for line in text.splitlines() if line.startswith("Requests/sec"))
    return float(number) * units[p99[len(number):]], rate


def idle(pid, port, count):
    quiet = others(port, 3)
    before = resident(pid)
    clients = []
    for _ in range(count):
        client = connect(port)
        client.sendall(REQUEST)
        clients.append(client)
    for client in clients:
        if not answer(client).startswith(b"HTTP/1.1 200"):
            return ["a connection was not answered"]
    each = (resident(pid) - before) / count
    busy = others(port, 3)
    print(f"{count} idle connections: {each / 1024:.2f} KiB each; "
          f"others p99 {quiet[0]:.2f} -> {busy[0]:.2f} ms, {quiet[1]:.0f} -> {busy[1]:.0f} requests/s")
    return ["more than 8 KiB each"] if each > 8192 else []


def slow(pid, port, count):
    quiet = others(port, 3)
    clients = {}
    selector = selectors.DefaultSelector()
    for _ in range(count):
        client = connect(port)
        client.setblocking(False)
        clients[client.fileno()] = [client, time.monotonic()]
        selector.register(client, selectors.EVENT_READ)
    load = subprocess.Popen(
        ["wrk", "-t1", "-c8", "-d8s", "--latency", f"http://{HOST}:{port}/health/live"],
        stdout=subprocess.PIPE, text=True)
    head = b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"a" * 100
    refused, longest, position = 0, 0.0, 0
    deadline = time.monotonic() + 25
    while clients and time.monotonic() < deadline:
        began = time.monotonic()
        for number in list(clients):
            try:
                clients[number][0].send(head[position:position + 1])
            except OSError:
                pass
        position += 1
        while time.monotonic() < began + 1:
            for key, _ in selector.select(max(0, began + 1 - time.monotonic())):
                client, opened = clients.pop(key.fd)
                try:
                    data = client.recv(4096)
                except OSError:
                    data = b""
                refused += data.startswith(b"HTTP/1.1 408")
                longest = max(longest, time.monotonic() - opened)
                selector.unregister(client)
                client.close()
    text = load.communicate()[0]
    p99 = next(line.split()[1] for line in text.splitlines() if line.strip().startswith("99%"))
    number = p99.rstrip("ums")
    p99 = float(number) * {"us": 0.001, "ms": 1, "s": 1000}[p99[len(number):]]
    print(f"{count} slow senders: {refused} got 408, the last after {longest:.1f} s; "
          f"others p99 {quiet[0]:.2f} -> {p99:.2f} ms")
    faults = []
    if refused < count:
        faults.append(f"{count - refused} were not cut off with 408")
    if p99 > 20:
        faults.append("others waited longer than 20 ms")
    return faults


def endings(pid, port, count):
    reset = struct.pack("ii", 1, 0)

    def run(number):
        for index in range(number):
            client = connect(port)
            way = index % 10
            try:
                if way in (1, 2, 3):
                    client.sendall(REQUEST[:random.randrange(1, len(REQUEST))])
                if way >= 4:
                    client.sendall(REQUEST)
                if way in (5, 6):
                    client.recv(1)
                if way == 7:
                    client.sendall(b"POST /tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nab")
                if way == 8:
                    client.shutdown(socket.SHUT_WR)
                    answer(client)
                if way == 9:
                    client.sendall(b"\x00")
                    answer(client)
                if way in (0, 2, 5, 9):
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            except OSError:
                pass
            client.close()

    def settle(wanted):
        end = time.monotonic() + 30
        while descriptors(pid) > wanted and time.monotonic() < end:
            time.sleep(0.1)

    serves(port)
    base = descriptors(pid)
    # The first ones fill pools and caches.
    run(count // 10)
    settle(base)
    before = (descriptors(pid), resident(pid))
    run(count)
    settle(before[0])
    after = (descriptors(pid), resident(pid))
    print(f"{count} connections ended: descriptors {before[0]} -> {after[0]}, "
          f"resident {before[1] >> 10} -> {after[1] >> 10} KiB")
    faults = []
    if after[0] > before[0]:
        faults.append("descriptors were left behind")
    if after[1] > before[1] + (4 << 20):
        faults.append("memory was left behind")
    return faults if serves(port) else faults + ["it no longer serves"]


def exhaust(pid, port, count):
    limit = min(int(line.split()[3]) for line in open(f"/proc/{pid}/limits") if line.startswith("Max open files"))
    first = connect(port)
    first.sendall(REQUEST)
    faults = [] if answer(first).startswith(b"HTTP/1.1 200") else ["not even the first is served"]
    clients = []
    for _ in range(limit + 100):
        try:
            clients.append(connect(port))
        except OSError:
            break
    # Time in which a server that can accept nobody could drop its clients.
    time.sleep(1)
    first.sendall(REQUEST)
    if not answer(first).startswith(b"HTTP/1.1 200"):
        faults.append("the first is no longer served")
    open_then = descriptors(pid)
    for client in clients:
        client.close()
    if not serves(port):
        faults.append("it no longer serves")
    print(f"{len(clients)} connections at a limit of {limit}: {open_then} descriptors open")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", choices=["idle", "slow", "endings", "exhaust"])
    parser.add_argument("--count", type=int)
    parser.add_argument("--port", type=int, default=8093)
    parser.add_argument("server", nargs="+")
    arguments = parser.parse_args()
    scenarios = {"idle": (idle, 10_000), "slow": (slow, 5_000), "endings": (endings, 100_000), "exhaust": (exhaust, 0)}
    scenario, count = scenarios[arguments.scenario]
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))) if scenario is exhaust else None
    server = subprocess.Popen(arguments.server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
    try:
        for _ in range(200):
            try:
                if serves(arguments.port):
                    break
            except OSError:
                time.sleep(0.05)
        faults = scenario(server.pid, arguments.port, arguments.count or count)
    finally:
        server.send_signal(signal.SIGTERM)
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
    for fault in faults:
        print(f"  missed: {fault}")
    sys.exit(1 if faults else 0)


main()
