"""openapi.json as a validator: what it allows, with what its words add to its schemas."""

import base64
import datetime
import re
import unicodedata
import zoneinfo

METHODS = ("get", "put", "post", "patch", "delete")


def instant(text):
    """The seconds since year 1 of an RFC 3339 date-time, which may be below 0; `None` for what is none."""
    parts = re.fullmatch(
        r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|([+-])(\d\d):(\d\d))", text, re.ASCII)
    if not parts:
        return None
    year, month, day, hour, minute, second = map(int, parts.groups()[:6])
    try:
        days = datetime.date(year, month, day).toordinal()
    except ValueError:
        return None
    offset = 0
    if parts[9]:
        if int(parts[10]) > 23 or int(parts[11]) > 59:
            return None
        offset = (int(parts[10]) * 60 + int(parts[11])) * (1 if parts[9] == "+" else -1)
    if hour > 23 or minute > 59 or second > 60:
        return None
    minutes = (days - 1) * 1440 + hour * 60 + minute - offset
    # A leap second stands at the end of a day in UTC.
    if second == 60 and minutes % 1440 != 1439:
        return None
    return minutes * 60 + second


def is_instant(text):
    # Shown in UTC, with a year of four digits.
    seconds = instant(text)
    return seconds is not None and 0 <= seconds < datetime.date.max.toordinal() * 86_400


def is_day(text):
    try:
        return bool(re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII)) and bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def is_later(text):
    now = datetime.datetime.now(datetime.timezone.utc)
    days = now.date().toordinal() - 1
    return (instant(text) or 0) > days * 86_400 + now.hour * 3600 + now.minute * 60 + now.second


def is_address(text):
    """Of the addresses of `values.py`."""
    text = text.strip()
    return bool(re.fullmatch(r"[^@\s\x00-\x20\x7f\u200b\u202e]+@[^@\s\x00-\x20\x7f\u200b\u202e]+", text)) and len(text) <= 254


def is_one_grapheme(text):
    """Of the texts of `values.py`."""
    starts = [one for one in text if not unicodedata.category(one).startswith("M") and one != "\u200d"]
    joined = text.count("\u200d") + sum("\U0001f1e6" <= one <= "\U0001f1ff" for one in text) // 2
    return len(starts) - joined == 1


def is_picture(text):
    try:
        return base64.b64decode(text, validate=True).startswith(bytes.fromhex("89504e470d0a1a0a"))
    except ValueError:
        return False


#: By format.
FORMATS = {"date": is_day, "date-time": is_instant, "uuid": lambda text: True}
def is_reminder(text):
    """A duration of RFC 5545 before the due time, at most 30 days, or an instant."""
    units = re.fullmatch(
        r"([+-]?)P(?=.)(?:(\d{1,7})W|(?:(\d{1,7})D)?(?:T(?=\d)(?:(\d{1,7})H(?:(\d{1,7})M(?:(\d{1,7})S)?)?"
        r"|(\d{1,7})M(?:(\d{1,7})S)?|(\d{1,7})S))?)", text, re.ASCII)
    if not units:
        return is_instant(text)
    lengths = (7 * 86_400, 86_400, 3_600, 60, 1, 60, 1, 1)
    seconds = sum(int(number or 0) * length for number, length in zip(units.groups()[1:], lengths))
    return seconds == 0 or units[1] == "-" and seconds <= 30 * 86_400


#: The bodies that a mutation's value is, by its type and op.
PUSHED = {
    ("task", "create"): "NewTask", ("task", "put"): "TaskEdit", ("task", "patch"): "TaskEdit", ("task", "move"): "Move",
    ("task", "restore"): "Restore", ("task", "skip"): "Skip", ("category", "create"): "NewCategory", ("category", "put"): "CategoryReplacement",
    ("category", "patch"): "CategoryPatch", ("dday", "create"): "NewDDay", ("dday", "put"): "DDayReplacement",
    ("dday", "patch"): "DDayPatch", ("settings", "patch"): "SettingsPatch",
}
#: What the words of a description say of a text beyond its schema, by the name of the schema or of the member.
WORDS = {
    "DueDateInput": lambda text: is_day(text) if len(text) == 10 else is_instant(text),
    "DueDateBound": lambda text: is_day(text) if len(text) == 10 else is_instant(text),
    "ReminderInput": is_reminder, "Emoji": is_one_grapheme, "EmailInput": is_address, "OptionalEmailInput": is_address,
    "NewToken.expiresAt": is_later, "NewInvitation.expiresAt": is_later,
    "ImportedImage.content": is_picture,
    "RecurrenceInput.timeZone": lambda text: text in zoneinfo.available_timezones(),
    "SettingsPatch.timeZone": lambda text: text in zoneinfo.available_timezones(),
    "timeZone": lambda text: text in zoneinfo.available_timezones(),
}
#: Bodies that need the password of the account, which has one.
PROVEN = {
    "PasswordProof": lambda body: True, "IdentityLink": lambda body: True, "NewToken": lambda body: body.get("scope") == "full",
    "AccountPatch": lambda body: body.get("newPassword") is not None or body.get("email", OWN_ADDRESS) != OWN_ADDRESS,
}
OWN_ADDRESS = "bounds@example.org"
#: Null for other accounts alone.
NOT_NULL = {"AccountPatch.email"}


class Description:
    def __init__(self, document):
        self.document = document
        schemas = document["components"]["schemas"].values()
        #: The names of all members that there are.
        self.members = sorted({name for schema in schemas for name in schema.get("properties", {})} | {"unknown"})

    def resolved(self, schema):
        """The schema, with the names under which it stands."""
        names = []
        while "$ref" in schema:
            names.append(schema["$ref"].rpartition("/")[2])
            target = self.document
            for part in schema["$ref"].split("/")[1:]:
                target = target[part]
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
        return schema, names

    def operations(self):
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method not in item:
                    continue
                operation = item[method]
                parameters = [self.resolved(one)[0] for one in item.get("parameters", []) + operation.get("parameters", [])]
                for one in parameters:
                    if one["name"] == "timeZone":
                        one["schema"] = {**one["schema"], "words": "timeZone"}
                body = None
                if "requestBody" in operation:
                    content = self.resolved(operation["requestBody"])[0]["content"]
                    body = next((one["schema"] for kind, one in content.items() if kind.endswith("json")), None)
                yield method.upper(), path, {
                    "parameters": parameters, "body": body, "path": path, "method": method.upper(),
                    "tags": operation.get("tags", [])}

    def allows(self, schema, value, name=None):
        schema, names = self.resolved(schema)
        if value is None and name in NOT_NULL:
            return False
        for one in ("anyOf", "oneOf"):
            if one in schema:
                count = sum(self.allows(option, value) for option in schema[one])
                if count < 1 or one == "oneOf" and count > 1:
                    return False
        types = schema.get("type", [])
        if types and not any(self.is_a(value, kind) for kind in ([types] if isinstance(types, str) else types)):
            return False
        if "Mutation" in names and isinstance(value, dict) and not self.allows_mutation(value):
            return False
        if "enum" in schema and not any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in schema["enum"]):
            return False
        if isinstance(value, str):
            return self.allows_text(schema, value, [*names, name, schema.get("words")])
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            if schema.get("format") == "int64" and not -2**63 <= value < 2**63:
                return False
            return schema.get("minimum", value) <= value <= schema.get("maximum", value)
        if isinstance(value, list):
            return schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)) and all(
                self.allows(schema.get("items", {}), one) for one in value)
        if isinstance(value, dict):
            return self.allows_object(schema, value, names)
        return True

    def allows_text(self, schema, text, names):
        # Python's `$` matches before a line break at the end, too.
        pattern = schema.get("pattern", "")
        if pattern and not re.search(pattern.removesuffix("$") + (r"\Z" if pattern.endswith("$") else ""), text):
            return False
        if not schema.get("minLength", 0) <= len(text) <= schema.get("maxLength", len(text)):
            return False
        if not FORMATS.get(schema.get("format"), lambda text: True)(text):
            return False
        return all(WORDS[name](text) for name in names if name in WORDS)

    def allows_object(self, schema, value, names):
        properties = schema.get("properties", {})
        if any(name not in value for name in schema.get("required", [])):
            return False
        if any(PROVEN[name](value) and value.get("password") is None for name in names if name in PROVEN):
            return False
        if schema.get("additionalProperties") is False and any(name not in properties for name in value):
            return False
        where = names[-1] if names else ""
        return all(self.allows(properties[name], one, f"{where}.{name}") for name, one in value.items() if name in properties)

    def allows_mutation(self, mutation):
        """What the words of `Mutation` say."""
        kind, op, target, value = (mutation.get(name) for name in ("type", "op", "id", "value"))
        base = mutation.get("baseRevision")
        # Of the future.
        if isinstance(base, (int, float)) and base >= 2**31:
            return False
        if kind == "settings":
            if op != "patch" or target not in (None, "settings"):
                return False
        elif op in ("move", "skip") and kind != "task" or target == "settings" or target is None and op != "create":
            return False
        if op == "delete" or op in ("restore", "skip") and value is None:
            return True
        # A task that was made elsewhere says when.
        if (kind, op) == ("task", "create") and isinstance(value, dict) and not all(
                self.allows({"$ref": "#/components/schemas/OptionalTimestampInput"}, value.get(name))
                for name in ("createdAt", "completedAt")):
            return False
        body = PUSHED.get((str(kind), str(op)))
        return body is None or self.allows({"$ref": f"#/components/schemas/{body}"}, value)

    @staticmethod
    def is_a(value, kind):
        match kind:
            case "null": return value is None
            case "boolean": return isinstance(value, bool)
            case "string": return isinstance(value, str)
            case "array": return isinstance(value, list)
            case "object": return isinstance(value, dict)
            case "number": return isinstance(value, (int, float)) and not isinstance(value, bool)
            case "integer": return not isinstance(value, bool) and (
                isinstance(value, int) or isinstance(value, float) and value.is_integer())

    def texts(self, schema, values):
        """The values of a parameter as text, and what the description takes that for."""
        schema, _ = self.resolved(schema)
        kind = schema.get("type", "string")
        for value in values:
            if value is None or isinstance(value, dict):
                continue
            if kind == "array":
                items = value if isinstance(value, list) else [value]
                if all(isinstance(item, str) for item in items) and not any("," in item for item in items):
                    yield ",".join(items), items or [""]
            elif isinstance(value, list):
                continue
            elif kind in ("integer", "number", "boolean") and isinstance(value, str):
                # A text of digits is a number here.
                if not value.isdecimal():
                    yield value, value
            elif kind == "string" and not isinstance(value, str):
                continue
            elif isinstance(value, float) and kind == "integer" and value.is_integer():
                # No standard says if `1.0` in an address is an integer.
                continue
            else:
                yield str(value).lower() if isinstance(value, bool) else str(value), value

    def variants(self, schema, body, around, place="#"):
        """The body with each of its parts at each bound: where, what, and the whole."""
        schema, _ = self.resolved(schema)
        for option in schema.get("oneOf", []) + schema.get("anyOf", []):
            option, _ = self.resolved(option)
            if option.get("type") == "null":
                continue
            whole = body if self.allows(option, body) else None
            if whole is None:
                from values import sample
                whole = sample(self, option)
            yield from self.variants(option, whole, around, place)
        for value in around(self, schema, body):
            yield place, value, value
        if isinstance(body, dict):
            for name in self.members:
                if name not in schema.get("properties", {}) and name not in body:
                    yield place, f"the member {name}", {**body, name: 1}
            for name in body:
                yield f"{place}/{name}", "left out", {key: value for key, value in body.items() if key != name}
            for name, part in schema.get("properties", {}).items():
                for inner, value, new in self.variants(part, body.get(name), around, f"{place}/{name}"):
                    yield inner, value, {**body, name: new}
        if isinstance(body, list) and body:
            for inner, value, new in self.variants(schema["items"], body[0], around, f"{place}/0"):
                yield inner, value, [new, *body[1:]]
