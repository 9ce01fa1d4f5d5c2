"""What no schema can say, for the property-based tests.

A value that fits its schema may still be refused, rightly, for what it means. In cases that are meant to be accepted,
such values are replaced by ones that mean something. Cases that are meant to be refused are left as they are.
"""

import base64
import zlib

import schemathesis
from schemathesis.generation import GenerationMode

# The beginning of a picture, which is all that the server looks at.
PNG = bytes.fromhex("89504e470d0a1a0a")

ZONES = ["Asia/Seoul", "Europe/Berlin", "UTC", "America/New_York"]

BROWSER_KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}

# Rules of repetition, whose grammar is RFC 5545's.
RULES = ["FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TH", "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "FREQ=YEARLY"]


@schemathesis.hook
def before_call(context, case, kwargs):
    meta = case.meta
    if meta is None or meta.generation.mode != GenerationMode.POSITIVE:
        return
    query, headers, body = case.query or {}, case.headers or {}, case.body
    # A name of the time zone database, of which the schema knows no list.
    if "timeZone" in query:
        query["timeZone"] = ZONES[len(str(query["timeZone"])) % len(ZONES)]
    if "rule" in query:
        query["rule"] = RULES[len(str(query["rule"])) % len(RULES)]
    # Opaque: only what a server gave out is one, and only with the query that it came with.
    for name in ("cursor", "since"):
        query.pop(name, None)
    if case.operation.path == "/sync" and isinstance(body, dict):
        body.pop("since", None)
        # A cursor, too.
        body.pop("planned", None)
    for name in ("dueAfter", "dueBefore", "start"):
        if name in query:
            query[name] = on_the_calendar(query[name])
    # One key belongs to one request, and the generator likes to repeat itself.
    for name in [name for name in headers if name.lower() == "idempotency-key"]:
        del headers[name]
    # One without the other says nothing.
    if ("latitude" in query) != ("longitude" in query):
        query.pop("latitude", None)
        query.pop("longitude", None)
    if query.get("excel"):
        query["format"] = "csv"
    # The same as the id of the path, or none.
    if isinstance(body, dict) and "id" in (case.path_parameters or {}) and "id" in body:
        body["id"] = case.path_parameters["id"]
    # What a file must be depends on its format, and what its words mean on the file.
    if case.operation.path == "/import":
        query.pop("format", None)
        query.pop("rules", None)
        if case.media_type == "text/csv":
            query.pop("mode", None)
            case.body = kwargs["data"] = "title,due\nRent,2026-12-31\n"
    # A key of a browser is a point of a curve (that of RFC 8291 §5), and its service one that the server knows.
    if case.operation.path == "/devices/{id}" and isinstance(body, dict) and "subscription" in body:
        body["subscription"] = {"endpoint": "https://fcm.googleapis.com/fcm/send/x", "keys": BROWSER_KEYS}
    # Without a due date a task that comes back would be refused, also where the body leaves the recurrence as it is.
    if case.operation.path == "/tasks/{id}" and case.method.upper() == "PUT" and isinstance(body, dict):
        body.setdefault("dueDate", "2027-01-31")
    # The bytes of no picture are refused, and those of another one under a used id.
    if case.operation.path == "/images/{id}" and case.method.upper() == "PUT":
        case.body = kwargs["data"] = PNG
    for thing in things(body):
        # The id of an image that is there; the generator knows none.
        if thing.get("image") is not None:
            thing["image"] = None
        if "content" in thing:
            thing["content"] = base64.b64encode(PNG).decode()
        # Durations of RFC 5545, which no pattern bounds.
        if thing.get("reminders"):
            thing["reminders"] = ["-P1D", "-PT30M"]
        # Only a task with a due date comes back.
        if isinstance(thing.get("recurrence"), dict):
            thing["recurrence"] = {"rule": RULES[len(str(thing["recurrence"])) % len(RULES)]}
            thing["dueDate"] = "2027-01-31"
        elif "dueDate" in thing and thing["dueDate"] is None:
            thing["recurrence"] = None
        # The id of a category that is there; the generator knows none unless it made one.
        if thing.get("categoryId") is not None:
            thing["categoryId"] = None
        # One of the two, else 422.
        if "categoryName" in thing:
            thing.pop("categoryId", None)
        if isinstance(thing.get("dueDate"), str):
            thing["dueDate"] = on_the_calendar(thing["dueDate"])
        # One grapheme that is an emoji: Unicode's tables are more than a pattern holds.
        if thing.get("emoji") is not None:
            thing["emoji"] = "📚"
        if thing.get("timeZone") is not None:
            thing["timeZone"] = "Asia/Seoul"
    # An address that mail could go to.
    if isinstance(body, dict) and isinstance(body.get("email"), str) and case.operation.path != "/sessions":
        body["email"] = f"a{zlib.crc32(body['email'].encode())}@example.org"
    if case.operation.path == "/account" and isinstance(body, dict):
        # The caller's own, which no path names.
        body.pop("id", None)
        # Only an account without an address may leave it so.
        if "email" in body and body["email"] is None:
            del body["email"]
        # The account has a password.
        if case.method.upper() == "DELETE":
            body["password"] = body.get("password") or "not the password"
        # Another address or password needs the present password; that of the generator is wrong, which is 403.
        if body.get("email") is not None or body.get("newPassword") is not None:
            body["password"] = body.get("password") or "not the password"
    # A token that opens everything needs the password.
    if case.operation.path == "/tokens" and isinstance(body, dict) and body.get("scope") == "full":
        body["password"] = body.get("password") or "not the password"
    # In the future.
    if case.operation.path in ("/tokens", "/invitations") and isinstance(body, dict) and body.get("expiresAt") is not None:
        body["expiresAt"] = "2999-12-31T23:59:59.000Z"
    # The one that the server is started with. What the generator makes is not a token of it, which is 401.
    if case.operation.path in ("/sessions", "/account/identities") and isinstance(body, dict) and "provider" in body:
        body["provider"] = "own"
        if case.operation.path == "/account/identities":
            body["password"] = body.get("password") or "not the password"
    # The ids of two tasks that are there.
    if case.operation.path in ("/tasks/{id}/move", "/tasks/{id}/restore") and isinstance(body, dict):
        body.pop("before", None)
        body.pop("after", None)
    if case.operation.path == "/import" and isinstance(body, dict):
        # Each id once, each name once.
        for member in ("tasks", "categories", "ddays", "images"):
            if isinstance(body.get(member), list):
                body[member] = body[member][:1]


def on_the_calendar(text):
    """The date or instant with a day that every month has: no pattern knows the length of the months and leap years, nor that
    second 60 stands at the end of a day in UTC."""
    second = "59" if text[17:19] == "60" else text[17:19]
    return text[:8] + min(text[8:10], "28") + text[10:17] + second + text[19:]


def things(body):
    """The body, and what lies in the lists of an import."""
    if not isinstance(body, dict):
        return []
    lists = [body.get(member) or [] for member in ("tasks", "categories", "ddays", "images")]
    inner = [thing for things in lists if isinstance(things, list) for thing in things]
    settings = [body["settings"]] if "settings" in body else []
    return [thing for thing in [body, *inner, *settings] if isinstance(thing, dict)]
