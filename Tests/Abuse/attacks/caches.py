"""Attacks by way of what lies between the server and a person."""

import http.client
import time

from stage import attack

TARGETS = (
    "/tasks", "/tasks?sort=title", "/tasks?q=task", "/tasks?expand=deadline", "/board", "/categories", "/ddays",
    "/settings", "/stats", "/today", "/upcoming", "/changes", "/export", "/calendar.ics", "/account", "/sessions",
    "/tokens",
)


@attack("Two accounts share the private cache of one device", seconds=3)
def shared_cache(stage):
    """Both do the same, so that their revisions are the same. The second one asks with the tags of the first."""
    tokens = [stage.account(), stage.account()]
    connections = [http.client.HTTPConnection("127.0.0.1", stage.port, source_address=("127.66.0.1", 0)) for _ in tokens]

    def ask(who, target, tag=None):
        fields = {"Authorization": f"Bearer {tokens[who]}"} | ({"If-None-Match": tag} if tag else {})
        connections[who].request("GET", target, headers=fields)
        answer = connections[who].getresponse()
        answer.read()
        return answer

    for who in (0, 1):
        for number in range(3):
            connections[who].request(
                "POST", "/tasks", f'{{"title": "task {number}"}}',
                {"Authorization": f"Bearer {tokens[who]}", "Content-Type": "application/json"})
            connections[who].getresponse().read()
    stage.begin()
    asked = 0
    while stage.goes_on():
        for target in TARGETS:
            first = ask(0, target)
            tag = first.getheader("ETag")
            stage.require(first.status == 200 and tag, target, "answers", first.status, "with the tag", tag)
            vary = first.getheader("Vary") or ""
            stage.require("Authorization" in vary, target, "varies with", vary)
            own, other = ask(0, target, tag), ask(1, target, tag)
            stage.require(own.status == 304, target, "does not know its own tag")
            stage.require(other.status == 200, target, "takes the tag of another account:", other.status)
            asked += 3
            if not stage.goes_on():
                break
            # The pace: within the rate limit of each account.
            time.sleep(0.05)
    return f"{asked} requests"
