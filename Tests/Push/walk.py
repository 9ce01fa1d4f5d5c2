#!/usr/bin/env python3
"""A server with stand-ins for a browser's push service and for Apple's, over sockets.

    Tests/Push/walk.py .build/debug/kanbase

Each check prints a line; the exit code is the number of those that failed.
"""
import json, re, sys, time
from datetime import datetime, timedelta, timezone

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import services
from services import PushService, Stage, check, unb64, until


def main():
    stage = Stage(sys.argv[1])
    server = stage.start()
    browser, phone = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    features = server.call("GET", "/health/ready")[1]["features"]
    check("the features name reminders and push", {"reminders", "push"} <= set(features))
    ways = server.call("GET", "/push")[1]
    public = unb64(ways["webPush"]["publicKey"])
    check("the ways are listed", ways["apns"] == {"topics": ["com.example.board"]} and len(public) == 65)
    check("an endpoint elsewhere is refused",
          server.call("PUT", f"/devices/{browser}", stage.subscription("https://localhost:1/x"))[1]["code"] == "unknown_push_service")
    check("a browser registers", server.call("PUT", f"/devices/{browser}", stage.subscription(f"https://{stage.place}/send/secret"))[0] == 201)
    check("a phone registers", server.call("PUT", f"/devices/{phone}", {
        "kind": "apns", "token": "ab" * 32, "topic": "com.example.board", "locale": "ko"})[0] == 201)
    check("a test is taken", server.call("POST", f"/devices/{browser}/test")[0] == 202)
    check("the test arrives", until(lambda: PushService.taken))
    headers, path, body = PushService.taken[0]
    check("the browser reads it", stage.owner.decrypt(body)["kind"] == "test" and path == "/send/secret")
    token, key = re.fullmatch(r"vapid t=(\S+), k=(\S+)", headers["Authorization"]).groups()
    head, claims, signature = token.split(".")
    raw = unb64(signature)
    ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), unb64(key)).verify(
        utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
        f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    claims = json.loads(unb64(claims))
    check("the server identifies itself", unb64(key) == public and claims["aud"] == f"https://{stage.place}"
          and claims["sub"] == "https://kanbase.example.org")

    due = datetime.now(timezone.utc) + timedelta(seconds=6)
    text = due.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    task = server.call("POST", "/tasks", {"title": "Secret", "dueDate": text, "reminders": ["PT0S", "-PT2S"]})[1]
    # It ends when it knows of the reminders, and before the first is due.
    time.sleep(1)
    server.kill()
    server = stage.start()
    check("a reminder of a killed server arrives at the browser", until(lambda: len(PushService.taken) >= 3))
    messages = stage.messages()[1:]
    check("each once, with the task's id alone", sorted(message["notificationId"] for message in messages) == [
        f"{task['id']}/-PT2S", f"{task['id']}/PT0S"] and "Secret" not in json.dumps(messages))
    check("and at the phone, over HTTP/2", until(lambda: len(stage.apples) >= 2) and all(
        message["taskId"] == task["id"] and message["aps"]["alert"]["title"] == "알림" for message in stage.apples))
    check("the key pair stays", unb64(server.call("GET", "/push")[1]["webPush"]["publicKey"]) == public)
    PushService.status = 410
    server.call("POST", f"/devices/{browser}/test")
    check("a subscription that is gone is removed",
          until(lambda: [device["id"] for device in server.call("GET", "/devices")[1]["items"]] == [phone]))
    server.process.terminate()
    check("the server stops", server.process.wait(20) == 0)
    written = open(f"{stage.room}/log").read()
    check("no log has a token, an endpoint or a title", not any(word in written for word in ["ab" * 32, "/send/secret", "Secret"]))
    if services.failures:
        print(written[-3000:])
    sys.exit(services.failures)


main()
