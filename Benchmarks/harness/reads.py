"""Reading one task or a page of the list, beside nginx that returns bytes from memory. Each function is a row or a few."""

import random
import subprocess

from . import board, machine
from .load import Requests, Writes
from .report import all_answered, most_bars, ratio_bars
from .run import mebibytes, padded, task_target
from .servers import FastAPI, Kanbase, Nginx, Node


def at_hand(run):
    """1,000 of 100,000 tasks, which are in memory: from many connections and from two, and conditionally."""
    kanbase = run.large
    targets = [task_target(number) for number in range(0, 100_000, 100)]
    requests = Requests.get(run.path("one"), targets)
    nginx = run.nginx.at("task")
    node = Node("node", run.document(100_000))
    contest = run.contest({"kanbase": (kanbase, requests), "nginx": (nginx, requests), "node": (node, requests)})
    node.stop()
    tail = contest.ratio("kanbase", "nginx", "p99")
    run.report.add("GET one task, at hand, 64 connections", contest.figures(), [
        *ratio_bars(contest, "kanbase", "nginx", 0.85),
        *most_bars(contest, "kanbase", "nginx", "cpu", 1.25, "nginx's CPU a request"),
        ("p99 ≤ nginx's", f"{tail:.2f} ×", tail <= 1),
        *ratio_bars(contest, "kanbase", "node", 2), all_answered(contest)])

    contest = run.contest({"kanbase": (kanbase, requests), "nginx": (nginx, requests)}, connections=2)
    run.report.add("the same, 2 connections", contest.figures(), [
        *ratio_bars(contest, "kanbase", "nginx", 0.9),
        *most_bars(contest, "kanbase", "nginx", "cpu", 1.25, "nginx's CPU a request"), all_answered(contest)])

    conditional = Requests(run.path("conditional"), (
        ("GET", target, kanbase.get(target)[1]["ETag"], "") for target in targets))
    contest = run.contest({"kanbase": (kanbase, conditional), "nginx": (run.nginx.at("unchanged"), conditional)})
    run.report.add("the same, answered 304, 64 connections", contest.figures(), [
        *ratio_bars(contest, "kanbase", "nginx", 0.85), all_answered(contest)])


def not_at_hand(run):
    """The 100,000 tasks in a shuffled order, again and again. Their JSON takes 58 MB, more than the 50 MiB of the memory,
    which keeps what came last: so none is at hand."""
    targets = [task_target(number) for number in range(100_000)]
    random.Random(21).shuffle(targets)
    # Each with a place of its own.
    contenders = {server.name: (server, Requests.get(run.path(f"walk-{server.name}"), targets, in_order=True))
                  for server in (run.large, run.nginx.at("task"))}
    contest = run.contest(contenders)
    run.report.add("GET one task, not at hand, 64 connections", contest.figures(), [
        *most_bars(contest, "kanbase", "nginx", "cpu", 1.6, "nginx's CPU a request"), all_answered(contest)])


def at_random(run):
    """Any of the 100,000 tasks: about four in five are at hand."""
    kanbase = run.large
    requests = Requests.get(run.path("random"), [task_target(number) for number in range(100_000)])
    contest = run.contest({"kanbase": (kanbase, requests), "nginx": (run.nginx.at("task"), requests)})
    memory = machine.resident(kanbase.pid)
    run.report.add("GET one task, random over 100,000, 64 connections", contest.figures() | mebibytes(memory), [
        *ratio_bars(contest, "kanbase", "nginx", 0.75),
        ("≤ 96 MiB resident", f"{memory['all']:.1f} MiB", memory["all"] <= 96), all_answered(contest)])


def pages(run):
    """10,000 tasks: a page that stays the same, then random pages while the account is written to."""
    kanbase = run.small
    first = Requests.get(run.path("page"), ["/tasks?limit=50"])
    contest = run.contest({"kanbase": (kanbase, first), "nginx": (run.nginx.at("page"), first)})
    run.report.add("page of 50 tasks of 10,000, unchanged data", contest.figures(), [
        *ratio_bars(contest, "kanbase", "nginx", 0.8), all_answered(contest)])

    node = Node("node", run.document(10_000))
    fastapi = FastAPI(run.python, run.document(10_000), run.path("fastapi-small.db"))
    targets = [task_target(number) for number in range(10_000)]
    contenders = {server.name: (server, Requests.get(run.path(f"pages-{server.name}"), walk(server)))
                  for server in (kanbase, node, fastapi)}
    contest = run.contest(contenders, beside=lambda server: Writes(server, targets))
    run.report.add("random pages of that list, 100 writes/s to the account", contest.figures(), [
        *ratio_bars(contest, "kanbase", "node", 3), *ratio_bars(contest, "kanbase", "fastapi", 5),
        all_answered(contest)])
    node.stop()
    fastapi.stop()


def tls(run):
    """One task of 10,000 over TLS 1.3, on connections that are kept; nginx with the same certificate."""
    certificate, key = run.path("certificate.pem"), run.path("key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-days", "2", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    numbers = range(0, 10_000, 10)
    data = run.path("data-tls")
    Kanbase.load(data, run.document(10_000))
    kanbase = Kanbase(data, "--tls-certificate", certificate, "--tls-key", key)
    answer = padded(kanbase.get(task_target(board.average(numbers))))
    nginx = Nginx(data, {"task": answer}, (certificate, key))
    requests = Requests.get(run.path("tls"), [task_target(number) for number in numbers])
    contest = run.contest({"kanbase": (kanbase, requests), "nginx": (nginx, requests)})
    run.report.add("GET one task, at hand, over TLS 1.3, 64 connections", contest.figures(), [
        *ratio_bars(contest, "kanbase", "nginx", 0.8), all_answered(contest)])
    kanbase.stop()
    nginx.stop()


def walk(server):
    """The addresses of all pages of 50 of the list, in the form in which the server gives its cursors."""
    from urllib.parse import quote
    targets, cursor = [], None
    while True:
        target = "/tasks?limit=50" + (f"&cursor={quote(cursor)}" if cursor else "")
        targets.append(target)
        cursor = server.json(target)["nextCursor"]
        if cursor is None:
            return targets[:-1]
