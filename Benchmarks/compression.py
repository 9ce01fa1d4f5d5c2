#!/usr/bin/env python3
"""What compression makes of a page of 1,000 changes, and what it takes: in the server's answer, and of zlib.

    Benchmarks/compression.py SERVER

SERVER is a `kanbase`. Two boards of 1,000 tasks: one written in a row, as people do, and one whose ids and times lie anywhere
in a year, as after many imports. The share is that of the server's answer; the time is the least of 15 that this machine's
zlib takes for the same bytes with the same level, in one core's milliseconds. Targets: 15 %, and 3 ms for 347 KB.
"""
import datetime, gzip, json, os, random, subprocess, sys, tempfile, time, urllib.request, uuid, zlib

# As in `GzipEncoder`.
LEVEL = 4
WORDS = """회의 준비 API 문서 쓰기 장보기 우유 사기 review the pull request call mom pay rent 책 읽기 write report fix login bug
운동 30분 병원 예약 deploy server 보고서 제출 plan trip to Busan""".split()
START = 1_795_000_000_000
YEAR = 365 * 86_400_000


def fetch(url, method="GET", body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def instant(milliseconds):
    moment = datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03}Z"


def fill(url, chance):
    names = ["일", "집", "Shopping", "Study", "Health"]
    ids = [json.loads(fetch(f"{url}/categories", "POST", {"name": name}))["id"] for name in names]
    for _ in range(1_000):
        task = {"title": " ".join(chance.sample(WORDS, chance.randrange(2, 5))),
                "status": chance.choice(["todo", "todo", "doing", "done"])}
        if chance.random() < 0.5:
            task["categoryId"] = chance.choice(ids)
        if chance.random() < 0.4:
            task["dueDate"] = f"2026-{chance.randrange(1, 13):02}-{chance.randrange(1, 28):02}"
        fetch(f"{url}/tasks", "POST", task)


def scatter(url, chance):
    document = json.loads(fetch(f"{url}/export"))
    for task in document["tasks"]:
        made = START - chance.randrange(YEAR)
        changed = made + chance.randrange(YEAR // 12)
        random_bits = chance.getrandbits(12) << 64 | 2 << 62 | chance.getrandbits(62)
        task["id"] = str(uuid.UUID(int=made << 80 | 7 << 76 | random_bits))
        task["createdAt"], task["updatedAt"] = instant(made), instant(changed)
        task["completedAt"] = task["completedAt"] and instant(changed)
    fetch(f"{url}/import?mode=replace", "POST", document)


def report(url, name):
    plain = fetch(f"{url}/changes?limit=1000")
    sent = fetch(f"{url}/changes?limit=1000", **{"Accept-Encoding": "gzip"})
    assert gzip.decompress(sent) == plain
    times = []
    for _ in range(15):
        start = time.process_time()
        encoder = zlib.compressobj(LEVEL, zlib.DEFLATED, 31, 8)
        encoder.compress(plain) + encoder.flush()
        times.append(time.process_time() - start)
    share, milliseconds = len(sent) / len(plain), min(times) * 1_000
    print(f"{name}: {len(plain):,} bytes, {share:.1%}, {milliseconds:.2f} ms, "
          f"{milliseconds * 347_000 / len(plain):.2f} ms for 347 KB")


with tempfile.TemporaryDirectory() as folder:
    server = subprocess.Popen(
        [sys.argv[1], "serve", "--port", "0", "--data", os.path.join(folder, "data"), "--log-level", "error"],
        stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split()[-1]
        chance = random.Random(5)
        fill(address, chance)
        report(address, "written in a row")
        scatter(address, chance)
        report(address, "scattered over a year")
    finally:
        server.terminate()
        server.wait()
