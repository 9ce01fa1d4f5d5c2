"""Values at the bounds of a schema, and one well inside of it."""

import re

UUID = "0199a3c4-6b1e-7c3a-9a55-3f0d2f4f8e12"

TEXTS = [
    "", " ", "\t", "\u200b", "\ufeff", "\u3000", "\u00a0", "\u2028", "\u115f", "\u0000", "a\u0000b", "a", " a ", "a\n", "\ta", "\u200ba",
    "e\u0301", "한", "\U0001f600", "null", "x" * 5_000,
]
IDS = [
    UUID, UUID.upper(), UUID.replace("-", ""), "{" + UUID + "}", "urn:uuid:" + UUID, UUID[:-1], UUID + "0", UUID[:-1] + "g",
    UUID + "\n", " " + UUID, UUID.replace("-", "_"), "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff", "settings", "Settings", "none", "None",
]
DAYS = [
    "0000-01-01", "0001-01-01", "0001-01-02", "9999-12-30", "9999-12-31", "10000-01-01", "2024-02-29", "2023-02-29",
    "1900-02-29", "2000-02-29", "2026-04-30", "2026-04-31", "2026-1-01", "2026-01-1", "2026-13-01", "2026-00-10", "2026-01-00",
    "2026-01-32", "20260101", "2026-01-01 ", "2026-01-01\n", "-001-01-01", "+2026-01-01", "2026/01/01", "２０２６-01-01",
    "2026-W01-1", "2026-001",
]
INSTANTS = [
    *(f"2026-06-30T{time}" for time in (
        "12:00:00Z", "12:00:00z", "12:00:00", "12:00Z", "12:00:00+09:00", "12:00:00-09:00", "12:00:00+0900", "12:00:00+09",
        "12:00:00+23:59", "12:00:00-23:59", "12:00:00+24:00", "12:00:00+09:60", "12:00:00-00:00", "12:00:00 Z", "12:00:00ZZ",
        "12:00:00.Z", "12:00:00.1Z", "12:00:00.123456789Z", "12:00:00.1234567890123456789012345Z", "12:00:00,5Z", "00:00:00Z",
        "23:59:59Z", "24:00:00Z", "12:60:00Z", "23:59:60Z", "23:59:60.5Z", "23:59:61Z", "22:59:60Z", "12:59:60Z",
        "23:59:60+09:00", "08:59:60+09:00", "2:00:00Z", "12:0:00Z", "12:00:0Z", "12:00:00Z\n")),
    "2026-07-01T08:59:60+09:00", "2026-06-30t12:00:00Z", "2026-06-30 12:00:00Z", "2026-06-31T12:00:00Z", "2023-02-29T00:00:00Z",
    "2024-02-29T23:59:59Z", "2026-13-01T00:00:00Z", "0000-12-31T23:59:59Z", "0000-12-31T23:00:00-01:00", "0001-01-01T00:00:00Z",
    "0001-01-01T00:59:59+01:00", "0001-01-01T01:00:00+01:00", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:60Z",
    "9999-12-31T22:59:59-01:00", "9999-12-31T23:00:00-01:00", "10000-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "2099-01-01T00:00:00Z",
]
COLORS = ["#1e90ff", "#1E90FF", "#1e90f", "#1e90fff", "#1e90fg", "1e90ff", "#12345678", "#fff", "red", "#1e90ff\n", "＃1e90ff"]
EMOJI = ["📚", "📚📚", "👨‍👩‍👧", "🇰🇷", "a", "ab", "e\u0301", "\u200d", "\ufe0f", "1" * 32, "1" * 33, "e" + "\u0301" * 32]
ADDRESSES = [
    "a@b.example", "A@B.example", "a@b", "a", "@", "a@", "@b.example", "a b@c.example", "a@b c.example", "a@b@c.example",
    "a\u0000@b.example", "a\u200b@b.example", "a\u202e@b.example", "a\n@b.example", "á@b.example", "a@bücher.example",
    "a" * 65 + "@b.example", "a@" + "b" * 63 + ".example", "a@" + "b" * 64 + ".example", " a@b.example ",
]
NAMES = ["Asia/Seoul", "asia/seoul", "Europe/Berlin", "UTC", "Mars/Olympus", "+09:00", "../etc/passwd"]
OTHERS = [None, True, 0, 1.5, [], {}, "5"]


def counts(schema):
    """The lengths that a schema names, also in its pattern."""
    named = [schema[name] for name in ("minLength", "maxLength") if name in schema]
    # A pattern names how many characters stand between the first and the last one.
    named += [int(one) + extra for one in re.findall(r"\{\d+,(\d+)\}", schema.get("pattern", "")) for extra in (0, 2)]
    return named


def texts(schema):
    for text in TEXTS:
        yield text
    for count in counts(schema):
        for length in {max(0, count - 1), count, count + 1}:
            for one in ("a", "한", "\U0001f600"):
                yield one * length
            yield f"  {'a' * length}\n"
    pattern, form = schema.get("pattern", ""), schema.get("format")
    if "A-Fa-f]{8}" in pattern or form == "uuid":
        yield from IDS
    if "[0-9]{4}-" in pattern or form in ("date", "date-time"):
        yield from DAYS
        yield from INSTANTS
    if pattern.startswith("^#"):
        yield from COLORS
    if schema.get("maxLength") == 32:
        yield from EMOJI
    if "@" in pattern:
        yield from ADDRESSES
    yield from NAMES


def around(description, schema, present=None):
    """Values at the bounds of the schema, inside and outside; of an object or a list only those of another kind.

    `present` is a value that is allowed."""
    schema, _ = description.resolved(schema)
    if schema.get("type") is None and "enum" not in schema:
        # Anything, or one of several: these have bounds of their own.
        yield from OTHERS
        return
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    yield from OTHERS
    for one in schema.get("enum", []):
        yield one
        if isinstance(one, str):
            yield from (one.upper() + "X", one + " ", one[:-1], one.title())
    if "string" in types and "enum" not in schema:
        yield from texts(schema)
    if "integer" in types or "number" in types:
        step = 1 if "integer" in types else 0.000_001
        for bound in (schema.get("minimum"), schema.get("maximum")):
            if bound is not None:
                yield from (bound - step, bound, bound + step, bound - 1, bound + 1)
        yield from (-1, 1, 1.0, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 10**30, -(2**63) - 1)
    if "array" in types:
        item = present[0] if isinstance(present, list) and present else sample(description, schema["items"])
        yield [item]
        if "maxItems" in schema:
            yield [item] * schema["maxItems"]
            yield [item] * (schema["maxItems"] + 1)
        for one in around(description, schema["items"]):
            if isinstance(one, str):
                yield [item, one]


def sample(description, schema):
    """A value that the schema allows."""
    schema, names = description.resolved(schema)
    if "example" in schema:
        return schema["example"]
    for one in ("oneOf", "anyOf"):
        if one in schema:
            return sample(description, schema[one][0])
    if "enum" in schema:
        return schema["enum"][0]
    types = schema.get("type", "null")
    types = [types] if isinstance(types, str) else types
    if "object" in types:
        ids = getattr(description, "ids", {})
        value = {name: sample(description, part) for name, part in schema.get("properties", {}).items()}
        # One of each pair that excludes the other.
        for name in ("categoryName", "before", "after", "place", "image"):
            if name in value:
                value[name] = None
        if "Mutation" in names:
            value |= {"op": "patch", "type": "task", "id": ids.get("task", UUID), "value": {}, "baseRevision": None}
        if "ImportedImage" in names:
            value |= {"content": "iVBORw0KGgo="}
        return value
    if "array" in types:
        return [sample(description, schema["items"])]
    if "null" in types:
        return None
    if "integer" in types or "number" in types:
        return schema.get("minimum", 1)
    if "boolean" in types:
        return False
    return {"uuid": UUID, "date": "2026-12-01", "date-time": "2026-12-01T18:00:00+09:00"}.get(
        schema.get("format"), "a" * max(10, schema.get("minLength", 1)))
