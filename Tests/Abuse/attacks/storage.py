"""Attacks on the disk."""

import json
import time
import uuid

from harness import Client
from stage import attack

SOURCE = "127.66.0.1"
QUOTA = 1 << 20


def after_the_limit(client, *request):
    """One request, as soon as the rate limit allows it again."""
    while True:
        status, answer = client.send(*request)
        if status != 429:
            return status, answer
        time.sleep(0.1)


def usage(client):
    return after_the_limit(client, "GET", "/account")[1]["usage"]


def answers(statuses):
    return ", ".join(f"{count} times {status}" for status, count in sorted(statuses.items()))


def ask(stage, client, statuses, *request, **fields):
    """One request, a little slower than the rate limit."""
    status, answer = client.send(*request, **fields)
    statuses[status] = statuses.get(status, 0) + 1
    if status == 429:
        # Until the rate limit has room for a few requests.
        time.sleep(0.05)
    return status, answer


@attack("Almost empty pushes, each under a fresh idempotency key", seconds=6, disk=16)
def pushes_under_keys(stage):
    token = stage.account()
    stage.fill(token, 1_000, body="x" * 900)
    client, statuses = Client(stage.port, token, SOURCE), {}
    stage.begin()
    while stage.goes_on():
        ask(stage, client, statuses, "POST", "/sync", {"since": None, "mutations": []}, Idempotency_Key=str(uuid.uuid4()))
    return answers(statuses)


@attack("Bodies that are toggled all the time", seconds=8, disk=24, options=("--account-bytes", str(QUOTA)))
def toggled_bodies(stage):
    """By pushes of 100 changes, of which each keeps the old body in the history and a result for repeats."""
    token = stage.account()
    client, statuses = Client(stage.port, token, SOURCE), {}
    id = client.send("POST", "/tasks", {"title": "task"})[1]["id"]
    stage.begin()
    number = 0
    while stage.goes_on():
        mutations = []
        for _ in range(100):
            number += 1
            mutations.append({
                "mutationId": str(uuid.uuid4()), "type": "task", "op": "patch", "id": id,
                "value": {"body": "ab"[number % 2] * 1_000}})
        ask(stage, client, statuses, "POST", "/sync", {"mutations": mutations})
        ask(stage, client, statuses, "PATCH", f"/tasks/{id}", {"body": "cd"[number % 2] * 1_000})
    taken = usage(client)
    stage.require(taken["bytes"] <= taken["bytesLimit"], "The account takes", taken)
    stage.require(not statuses.get(507), "What lives takes little, and yet edits were refused:", answers(statuses))
    status, _ = after_the_limit(client, "DELETE", f"/tasks/{id}")
    stage.require(status == 204, "A full account cannot delete:", status)
    return f"{answers(statuses)}; {taken['bytes']} bytes"


@attack("Refused mutations with names of 100,000 letters", seconds=5, disk=16)
def long_names(stage):
    token = stage.account()
    client, statuses = Client(stage.port, token, SOURCE), {}
    stage.begin()
    while stage.goes_on():
        mutation = {
            "mutationId": str(uuid.uuid4()), "type": "task", "op": "create", "value": {"n" * 100_000: None}}
        status, answer = ask(stage, client, statuses, "POST", "/sync", {"mutations": [mutation]})
        stage.require(status != 200 or len(json.dumps(answer)) < 20_000, "A refusal has", len(json.dumps(answer)), "bytes")
    return answers(statuses)


@attack("More tasks than an account may have", seconds=5, options=("--account-tasks", "2000"))
def too_many_tasks(stage):
    token = stage.account()
    stage.fill(token, 1_990)
    client, statuses = Client(stage.port, token, SOURCE), {}
    stage.begin()
    while stage.goes_on():
        ask(stage, client, statuses, "POST", "/tasks", {"title": "one more"})
    stage.require(usage(client)["tasks"] == 2_000, "The account has", usage(client))
    return answers(statuses)
