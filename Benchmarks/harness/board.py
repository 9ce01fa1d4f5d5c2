"""The board that every server is filled with: the same tasks each time, made from a fixed seed."""

import datetime
import json
import random

EPOCH = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
ENGLISH = "report milk backup invoice sketch garden review the for with plan before Monday call release notes and garage key".split()
KOREAN = "회의 준비 보고서 배포 전에 정리 테스트 우유 월요일 예약 확인 문서를 다시 보내기 여행 계획과 청소".split()
JAPANESE = "会議の 準備 報告書を 送る 予約 確認 月曜日までに 庭の 手入れ 牛乳 リリース 計画 請求書 見直し".split()


def prose(words):
    source = random.Random(21)
    return " ".join(source.choice(words) for _ in range(5_000))


# A third of all tasks are Korean or Japanese.
PROSE = [prose(words) for words in (ENGLISH, ENGLISH, ENGLISH, ENGLISH, KOREAN, JAPANESE)]


def task_id(number):
    return f"0199a3c4-6b1e-7c3a-8000-{number:012x}"


def position(number):
    """A whole number of four digits of base 62, as the server itself counts."""
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return "d" + "".join(digits[number // 62 ** place % 62] for place in (3, 2, 1, 0))


def instant(seconds):
    return (EPOCH + datetime.timedelta(seconds=seconds)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def passage(source, text, length):
    """So many characters from somewhere in the text, without a space at either end."""
    start = text.index(" ", source.randrange(len(text) - 2_000)) + 1
    cut = text[start:start + length]
    return cut[:-1] + "." if cut.endswith(" ") else cut


def tasks(count):
    """Realistic tasks: titles of 10 to 60 characters, bodies of 0 to 1,000 with a median of 120, a third of both in Korean
    or Japanese; half of the tasks with a due date within two years; a third in each column."""
    source = random.Random(8)
    for number in range(count):
        text = source.choice(PROSE)
        rank = source.random()
        length = 240 * rank if rank < 0.5 else 120 + 880 * (2 * rank - 1) ** 3
        status = ("todo", "doing", "done")[source.randrange(3)]
        day = EPOCH.date() + datetime.timedelta(days=source.randrange(730))
        created = instant(number)
        yield {
            "id": task_id(number),
            "title": passage(source, text, source.randint(10, 60)),
            "body": passage(source, text, int(length)),
            "status": status,
            "categoryId": None,
            "dueDate": None if source.random() < 0.5 else day.isoformat(),
            "position": position(number),
            "createdAt": created,
            "updatedAt": created,
            "completedAt": created if status == "done" else None,
        }


def average(numbers):
    """The one of the tasks whose JSON is nearest to the average length, for a rival that gives one answer to everything."""
    sizes = {number: len(as_json(task).encode()) for number, task in enumerate(tasks(numbers[-1] + 1)) if number in numbers}
    mean = sum(sizes.values()) / len(sizes)
    return min(sizes, key=lambda number: abs(sizes[number] - mean))


def as_json(task):
    return json.dumps(task, ensure_ascii=False, separators=(",", ":"))


def write_document(path, count):
    """The board as `kanbase import` reads it, written piece by piece."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"exportedAt":"%s","categories":[],"ddays":[],' % instant(0))
        file.write('"settings":{"timeZone":null,"locale":null,"custom":{}},"tasks":[\n')
        for number, task in enumerate(tasks(count)):
            file.write(",\n" if number else "")
            file.write(as_json(task))
        file.write("\n]}\n")
    return path
