"""Asks a server for what stands at each bound of openapi.json: what the description allows is taken, and nothing else is.

    python Tests/API/bounds.py http://127.0.0.1:8080

Each parameter and each member of a body takes every value at its bounds in turn, the rest of the request staying valid. The
description says whether the request is allowed; so does the server. Where the two disagree, this fails. The server must be
empty. Where it has accounts, this signs up, and asks about accounts alone; such a server must have mail, and no rate limit.
"""

import collections
import copy
import http.client
import json
import pathlib
import sys
import urllib.parse
import uuid

from description import OWN_ADDRESS, PUSHED, Description
from values import UUID, around, sample

ROOT = pathlib.Path(__file__).resolve().parents[2]
PASSWORD = "a long password"

#: What says that a value as such is wrong. Other codes are about what there is: a category that is unknown, too many of them.
WRONG = {
    "invalid_type", "unknown_member", "required", "blank", "too_short", "too_long", "control_character", "invalid_format",
    "invalid_value", "invalid_parameter", "unknown_parameter", "unknown_time_zone", "invalid_idempotency_key",
    "malformed_json", "bad_request", "invalid_reminder",
}
#: What says so only of a value that is not allowed anyway.
PERHAPS = {"id_mismatch", "too_many", "invalid_cursor", "invalid_recurrence", "invalid_reminder"}
#: In place of no body.
NOTHING = object()
#: Parameters that only make sense together.
TOGETHER = {"latitude": "&longitude=1", "longitude": "&latitude=1", "excel": "&format=csv"}


class Server:
    def __init__(self, address):
        self.host = urllib.parse.urlsplit(address).netloc
        self.connection = None
        self.fields = {}
        self.count = 0
        self.sources = 0

    def connect(self):
        # Each from another address: sign-ups and failures are counted by address.
        self.sources += 1
        source = f"127.91.{self.sources // 250}.{self.sources % 250 + 1}"
        self.connection = http.client.HTTPConnection(self.host, timeout=60, source_address=(source, 0))

    def send(self, method, target, body=NOTHING, fields=None):
        self.count += 1
        if self.connection is None or self.count % 5 == 0:
            self.connect()
        fields = {**self.fields, **(fields or {})}
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        if body is not NOTHING:
            fields["Content-Type"] = kind
        try:
            self.connection.request(method, target, None if body is NOTHING else json.dumps(body).encode(), fields)
            answer = self.connection.getresponse()
            text = answer.read()
        finally:
            if sys.exc_info()[0] is not None or answer.will_close:
                self.connection.close()
                self.connection = None
        return answer.status, json.loads(text) if "json" in (answer.headers["Content-Type"] or "") else None

    def log_in(self):
        status, _ = self.send("GET", "/tasks")
        if status != 401:
            return False
        who = {"email": OWN_ADDRESS, "password": PASSWORD}
        self.send("POST", "/accounts", who)
        self.fields["Authorization"] = f"Bearer {self.send('POST', '/sessions', who)[1]['token']}"
        return True


def is_wrong(status, answer, codes):
    """True if the server says by one of these codes that the request is wrong, or a mutation of it."""
    if not isinstance(answer, dict):
        return False
    problems = [answer] if status in (400, 422) else [
        result["problem"] for result in answer.get("results", []) if result.get("problem")] if status == 200 else []
    return any(
        codes & ({fault["code"] for fault in problem.get("errors", [])} or {problem["code"]}) for problem in problems)


class Comparison:
    def __init__(self, server):
        self.server = server
        self.description = Description(json.loads((ROOT / "openapi.json").read_text()))
        self.faults = collections.Counter()
        self.asked = collections.Counter()
        self.ids = {}

    def expect(self, place, value, allowed, status, answer):
        self.asked[allowed] += 1
        # A server without mail, weather or Apple says so before it reads a body.
        if status == 404 and isinstance(answer, dict) and str(answer.get("code")).endswith("_off"):
            return
        if status >= 500 and status not in (502, 503, 504, 507):
            self.fail(place, value, f"is answered {status}")
        elif allowed and is_wrong(status, answer, WRONG):
            self.fail(place, value, f"is allowed, and answered {status} {self.words(answer)}")
        elif not allowed and not is_wrong(status, answer, WRONG | PERHAPS):
            self.fail(place, value, f"is not allowed, and answered {status} {self.words(answer)}")

    @staticmethod
    def words(answer):
        if not isinstance(answer, dict):
            return ""
        return json.dumps(answer.get("errors") or answer.get("results") or answer.get("code") or "taken")[:200]

    def fail(self, place, value, words):
        self.faults[place] += 1
        if self.faults[place] <= 6:
            text = ascii(value)
            print(f"{place}: {text if len(text) < 120 else f'{text[:80]}… ({len(text)})'} {words}", flush=True)

    def parameters(self, method, path, operation):
        target = self.fill(path)
        needed = {
            one["name"]: f"&{one['name']}={one.get('example', sample(self.description, one['schema']))}"
            for one in operation["parameters"] if one["in"] == "query" and one.get("required")}
        for parameter in operation["parameters"]:
            name, schema, where = parameter["name"], parameter["schema"], parameter["in"]
            # An invalid id in a path is 404, as an unknown one. Conditions and languages may be any text.
            # What a file must be depends on its format.
            if path == "/import" and name in ("format", "rules"):
                continue
            if where == "path" or name in ("If-Match", "If-None-Match", "Accept-Language", "Last-Event-ID", "Prefer"):
                continue
            others = "".join(text for other, text in needed.items() if other != name)
            for text, value in self.description.texts(schema, around(self.description, schema)):
                # NUL is in no text.
                allowed = self.description.allows(schema, value) and "\0" not in text
                if where == "query":
                    query = f"?{name}={urllib.parse.quote(text, safe=',')}{TOGETHER.get(name, others)}"
                    answer = self.server.send(method, target + query, self.body(operation))
                else:
                    try:
                        field = text.encode("ascii").decode()
                    except UnicodeEncodeError:
                        continue
                    # Control characters are no field value, and white space around one is not part of it.
                    if field != field.strip() or not field.isprintable():
                        continue
                    answer = self.server.send(method, target, self.body(operation), {name: field})
                self.expect(f"{method} {path} {name}", text, allowed, *answer)
        # Links in mails take any query.
        if path != "/digest/end" and any(parameter["in"] == "query" for parameter in operation["parameters"]):
            self.expect(f"{method} {path}", "?unknown=1", False, *self.server.send(method, f"{target}?unknown=1", self.body(operation)))

    def body(self, operation):
        if operation["body"] is None:
            return NOTHING
        return self.completed(operation, sample(self.description, operation["body"]))

    def completed(self, operation, body):
        """With what a schema cannot say."""
        fixed = {
            "/accounts": {"email": f"new{self.server.count}@example.org"},
            "/account": {"password": PASSWORD, "id": self.ids.get("account"), "email": OWN_ADDRESS},
            "/tokens": {"scope": "read"}, "/account/identities": {"password": "not the password"},
            "/tasks/{id}": {"id": self.ids["task"]}, "/categories/{id}": {"id": self.ids["category"]},
            "/ddays/{id}": {"id": self.ids["dday"]},
        }
        if isinstance(body, dict):
            for name, value in fixed.get(operation["path"], {}).items():
                if value is not None and name in body:
                    body[name] = value
            # Everything else needs the account.
            if operation["method"] == "DELETE":
                body["password"] = "not the password"
            # New things have new ids, and names of their own.
            if operation["method"] == "POST" and body.get("id"):
                body["id"] = None
        return body

    def bodies(self, method, path, operation):
        schema = operation["body"]
        for place, value, body in self.description.variants(schema, self.body(operation), around):
            if path.endswith("/restore"):
                self.server.send("DELETE", self.fill(path.removesuffix("/restore")))
            body = self.renewed(body)
            target = self.fill(path) + ("?dryRun=true" if path == "/import" else "")
            answer = self.server.send(method, target, body)
            self.expect(f"{method} {path} {place}", value, self.description.allows(schema, body), *answer)

    def pushes(self):
        """The bodies of other calls, as values of mutations."""
        for (kind, op), name in PUSHED.items():
            schema = {"$ref": f"#/components/schemas/{name}"}
            base = sample(self.description, schema)
            # With the mutation's own.
            base.pop("id", None)
            target = "settings" if kind == "settings" else self.ids[kind]
            for place, value, body in self.description.variants(schema, base, around):
                if place == "#/id":
                    continue
                mutation = {
                    "mutationId": str(uuid.uuid4()), "type": kind, "op": op, "value": body,
                    "id": str(uuid.uuid4()) if op == "create" else target}
                allowed = self.description.allows({"$ref": "#/components/schemas/Mutation"}, mutation)
                answer = self.server.send("POST", "/sync", {"mutations": [mutation]})
                self.expect(f"{op} of a {kind} {place}", value, allowed, *answer)

    @staticmethod
    def renewed(body):
        """Each mutation has an id of its own, unless that is what is tried."""
        body = copy.deepcopy(body)
        mutations = body.get("mutations") if isinstance(body, dict) else None
        for mutation in mutations if isinstance(mutations, list) else []:
            if isinstance(mutation, dict) and mutation.get("mutationId") == UUID:
                mutation["mutationId"] = str(uuid.uuid4())
        return body

    def fill(self, path):
        kind = {"tasks": "task", "categories": "category", "ddays": "dday"}.get(path.split("/")[1])
        # Of other things none is there.
        return path.replace("{id}", self.ids.get(kind, "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e11"))

    def run(self):
        has_accounts = self.server.log_in()
        for kind, body in [("task", {}), ("category", {"name": "here"}), ("dday", {"title": "here", "date": "2026-12-01"})]:
            plural = "categories" if kind == "category" else f"{kind}s"
            self.ids[kind] = self.server.send("POST", f"/{plural}", body)[1]["id"]
        if has_accounts:
            self.ids["account"] = self.server.send("GET", "/account")[1]["id"]
        self.description.ids = self.ids
        for method, path, operation in self.description.operations():
            # Pages, pictures, and what ends the session.
            if "Pages" in operation["tags"] or path in ("/images/{id}", "/sessions/current", "/sessions") and method != "POST":
                continue
            # What a browser's key may be is no matter of its length; PushRoutesTests asks.
            if path == "/devices/{id}" and method == "PUT":
                continue
            # Everything else is asked without accounts.
            if ("Access" in operation["tags"]) != has_accounts:
                continue
            for kind in ("tasks", "categories", "ddays"):
                self.server.send("POST", self.fill(f"/{kind}/{{id}}/restore"))
            self.parameters(method, path, operation)
            if operation["body"] is not None:
                self.bodies(method, path, operation)
        if not has_accounts:
            self.pushes()
        print(f"{self.asked[True]} requests that are allowed and {self.asked[False]} that are not; "
              f"{sum(self.faults.values())} disagreements")
        return 1 if self.faults or not self.asked[True] or not self.asked[False] else 0


if __name__ == "__main__":
    sys.exit(Comparison(Server(sys.argv[1])).run())
