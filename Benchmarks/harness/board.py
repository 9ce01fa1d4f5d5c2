"""The board that every server is filled with: the same tasks each time, made from a fixed seed."""

import datetime
import json
import random

EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
WORDS = ("report", "API 문서", "milk", "회의 준비", "backup", "테스트", "invoice", "sketch", "배포", "garden", "review", "정리")


def task_id(number):
    return f"0199a3c4-6b1e-7c3a-8000-{number:012x}"


def position(number):
    """A whole number of four digits of base 62, as the server itself counts."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "d" + "".join(digits[number // 62 ** place % 62] for place in (3, 2, 1, 0))


def instant(seconds):
    return (EPOCH + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def tasks(count):
    """A third in each column, most of them with a due date within two years."""
    source = random.Random(8)
    for number in range(count):
        status = ("todo", "doing", "done")[source.randrange(3)]
        day = EPOCH.date() + datetime.timedelta(days=source.randrange(730))
        created = instant(number)
        yield {
            "id": task_id(number),
            "title": f"{source.choice(WORDS)} {source.choice(WORDS)} {number}",
            "body": " ".join(source.choice(WORDS) for _ in range(source.randrange(12))),
            "status": status,
            "categoryId": None,
            "dueDate": None if source.random() < 0.2 else day.isoformat(),
            "position": position(number),
            "createdAt": created,
            "updatedAt": created,
            "completedAt": created if status == "done" else None,
        }


def write_document(path, count):
    """The board as `kanbase import` reads it, written piece by piece."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"exportedAt":"%s","categories":[],"ddays":[],' % instant(0))
        file.write('"settings":{"timeZone":null,"locale":null,"custom":{}},"tasks":[\n')
        for number, task in enumerate(tasks(count)):
            file.write(",\n" if number else "")
            file.write(json.dumps(task, ensure_ascii=False, separators=(",", ":")))
        file.write("\n]}\n")
    return path
