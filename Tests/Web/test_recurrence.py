"""Recurrence as values: the rules over the vectors that the server runs and successors, in Chromium and Node; quick add and words, on the board."""

import re
import uuid

import pytest

from harness import ROOT, Server, modules
from stage import rules_in


BEGINNING = """
    const { readRule, nextOccurrence, uuidOf, emptyMirror, apply, mutate, view, outbox, settle } = library;
    const series = (text, start, zone, count, after = start) => {
        const rule = readRule(text), found = [];
        for (let due = after; found.length < count && (due = nextOccurrence(rule, due, start, zone)); ) found.push(due);
        return found;
    };
"""


@pytest.fixture(scope="module", params=["chromium", "node"])
def rules(request, chromium, tmp_path_factory):
    with rules_in(request.param, chromium, tmp_path_factory.mktemp("rules"), BEGINNING) as run:
        yield run


@pytest.fixture(scope="module")
def page_rules(chromium):
    """The rules of the board alone, which needs a page."""
    with modules(chromium, "const { readQuick } = await import('/board/shell.js');") as run:
        yield run


def test_the_days_of_a_rule_are_those_of_dateutil(request, rules):
    lines = (ROOT / "Tests/Cases/recurrence.txt").read_text().splitlines()
    assert len(lines) >= 5000
    # All in Node, and every tenth in Chromium: both have the same engine, V8.
    if request.node.callspec.params["rules"] == "chromium":
        lines = lines[::10]
    found = rules("return argument.map(([rule, start]) => series(rule, start, 'UTC', 5));", [line.split(" ")[:2] for line in lines])
    assert [(line, days) for line, days in zip(lines, found, strict=True) if days != line.split(" ")[2:]] == []


def test_days_that_people_mean(rules):
    swift = (ROOT / "Tests/KanbanTests/Recurrence/RecurrenceRuleTests.swift").read_text()
    rows = re.findall(r'\("(.+)", "(.+)", "(.*)"\)', swift.partition("@Test(arguments: [\n")[2].partition("    ])")[0])
    assert len(rows) > 10
    found = rules("return argument.map(([rule, start]) => series(rule, start, 'UTC', 3).join(' '));", rows)
    assert [(row, days) for row, days in zip(rows, found, strict=True) if days != row[2]] == []


@pytest.mark.parametrize(
    "rule, start, after, zone, due",
    [
        ("FREQ=WEEKLY;UNTIL=20270415T000000Z", "2027-03-01T14:00:00.000Z", None, "America/New_York", "2027-03-08T14:00:00.000Z"),
        ("FREQ=WEEKLY", "2027-03-01T14:00:00.000Z", "2027-03-14T00:00:00Z", "America/New_York", "2027-03-15T13:00:00.000Z"),
        ("FREQ=WEEKLY;UNTIL=20270415T000000Z", "2027-03-01T14:00:00.000Z", "2027-04-12T13:00:00Z", "America/New_York", None),
        # 02:30 is left out on 28 March and comes twice on 31 October.
        ("FREQ=DAILY", "2027-03-27T01:30:00.000Z", None, "Europe/Berlin", "2027-03-28T01:30:00.000Z"),
        ("FREQ=DAILY", "2027-03-27T01:30:00.000Z", "2027-03-28T01:30:00.000Z", "Europe/Berlin", "2027-03-29T00:30:00.000Z"),
        ("FREQ=DAILY", "2027-10-30T00:30:00.000Z", None, "Europe/Berlin", "2027-10-31T00:30:00.000Z"),
        ("FREQ=DAILY", "2027-10-30T00:30:00.000Z", "2027-10-31T00:30:00.000Z", "Europe/Berlin", "2027-11-01T01:30:00.000Z"),
        ("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "2027-01-31T14:59:59.999Z", None, "Asia/Seoul", "2027-02-28T14:59:59.999Z"),
        # The zone left out 30 December.
        ("FREQ=DAILY", "2011-12-29T20:00:00.000Z", None, "Pacific/Apia", "2011-12-30T20:00:00.000Z"),
    ],
)
def test_the_local_time_stays(rules, rule, start, after, zone, due):
    assert rules("return series(argument[0], argument[1], argument[3], 1, argument[2] ?? argument[1])[0] ?? null;", [rule, start, after, zone]) == due


@pytest.mark.parametrize(
    "line, title, rule, due",
    [
        ("Water the plants every monday", "Water the plants", "WEEKLY;BYDAY=MO", "2026-11-30"),
        ("Every friday stand-up", "stand-up", "WEEKLY;BYDAY=FR", "2026-11-27"),
        ("Gym every mon, wed and fri 7pm", "Gym", "WEEKLY;BYDAY=MO,WE,FR", "2026-11-27T10:00:00.000Z"),
        ("Gym every mon, thu 7am", "Gym", "WEEKLY;BYDAY=MO,TH", "2026-11-29T22:00:00.000Z"),
        ("Review every 2 weeks", "Review", "WEEKLY;INTERVAL=2;BYDAY=FR", "2026-11-27"),
        ("Review every other week on tue", "Review", "WEEKLY;INTERVAL=2;BYDAY=TU", "2026-12-01"),
        ("Bins every other thursday #home", "Bins", "WEEKLY;INTERVAL=2;BYDAY=TH", "2026-12-03"),
        ("Vitamins every day", "Vitamins", "DAILY", "2026-11-27"),
        ("Stretch every weekday 9am", "Stretch", "WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-11-30T00:00:00.000Z"),
        ("Rest every weekend", "Rest", "WEEKLY;BYDAY=SA,SU", "2026-11-28"),
        ("Rent every month on the 31st", "Rent", "MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "2026-11-30"),
        ("Rent every 25th", "Rent", "MONTHLY;BYMONTHDAY=25", "2026-12-25"),
        ("Books every last day of the month", "Books", "MONTHLY;BYMONTHDAY=-1", "2026-11-30"),
        ("Council every 2nd tuesday", "Council", "MONTHLY;BYDAY=2TU", "2026-12-08"),
        ("Drinks every last friday", "Drinks", "MONTHLY;BYDAY=-1FR", "2026-11-27"),
        ("Filter every three months", "Filter", "MONTHLY;INTERVAL=3;BYMONTHDAY=27", "2026-11-27"),
        ("Taxes every may 31", "Taxes", "YEARLY;BYMONTH=5;BYMONTHDAY=31", "2027-05-31"),
        ("Leap every feb 29", "Leap", "YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP=BACKWARD", "2027-02-28"),
        ("Water every 3 days tomorrow", "Water", "DAILY;INTERVAL=3", "2026-11-28"),
        ("Rent every month 2026-12-31", "Rent", "MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "2026-12-31"),
        ("Haircut every! 3 days", "Haircut", "! DAILY;INTERVAL=3", "2026-11-27"),
        ("Haircut every! month", "Haircut", "! MONTHLY;SKIP=BACKWARD", "2026-11-27"),
        ("매주 금요일 회의", "회의", "WEEKLY;BYDAY=FR", "2026-11-27"),
        ("매주 월, 목요일 운동 저녁 7시", "운동", "WEEKLY;BYDAY=MO,TH", "2026-11-30T10:00:00.000Z"),
        ("격주 화요일 분리수거", "분리수거", "WEEKLY;INTERVAL=2;BYDAY=TU", "2026-12-01"),
        ("월요일마다 보고", "보고", "WEEKLY;BYDAY=MO", "2026-11-30"),
        ("매일 약", "약", "DAILY", "2026-11-27"),
        ("평일마다 영어", "영어", "WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-11-27"),
        ("월세 매월 31일", "월세", "MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "2026-11-30"),
        ("카드값 매달 25일에", "카드값", "MONTHLY;BYMONTHDAY=25", "2026-12-25"),
        ("정산 매월 말일", "정산", "MONTHLY;BYMONTHDAY=-1", "2026-11-30"),
        ("모임 매월 둘째 화요일", "모임", "MONTHLY;BYDAY=2TU", "2026-12-08"),
        ("생일 매년 12월 3일", "생일", "YEARLY;BYMONTH=12;BYMONTHDAY=3", "2026-12-03"),
        ("필터 3개월마다", "필터", "MONTHLY;INTERVAL=3;BYMONTHDAY=27", "2026-11-27"),
        ("화분 완료 후 3일마다", "화분", "! DAILY;INTERVAL=3", "2026-11-27"),
        ("화분 3일마다!", "화분", "! DAILY;INTERVAL=3", "2026-11-27"),
        ("家賃 毎月25日", "家賃", "MONTHLY;BYMONTHDAY=25", "2026-12-25"),
        ("毎月２５日に家賃", "家賃", "MONTHLY;BYMONTHDAY=25", "2026-12-25"),
        ("毎週月・木曜の会議 10時", "会議", "WEEKLY;BYDAY=MO,TH", "2026-11-30T01:00:00.000Z"),
        ("隔週火曜日 ゴミ", "ゴミ", "WEEKLY;INTERVAL=2;BYDAY=TU", "2026-12-01"),
        ("毎日の薬", "薬", "DAILY", "2026-11-27"),
        ("毎月末 締め", "締め", "MONTHLY;BYMONTHDAY=-1", "2026-11-30"),
        ("毎月第2火曜 集会", "集会", "MONTHLY;BYDAY=2TU", "2026-12-08"),
        ("毎年12月3日 誕生日", "誕生日", "YEARLY;BYMONTH=12;BYMONTHDAY=3", "2026-12-03"),
        ("3日ごとに水やり", "水やり", "DAILY;INTERVAL=3", "2026-11-27"),
        ("完了後3日ごと 水やり", "水やり", "! DAILY;INTERVAL=3", "2026-11-27"),
        # An end is not the beginning.
        ("Standup every monday until dec 31", "Standup", "WEEKLY;BYDAY=MO;UNTIL=20261231", "2026-11-30"),
        ("Stretch every day for 5 days", "Stretch", "DAILY;COUNT=5", "2026-11-27"),
        ("Stretch every day for 3 weeks", "Stretch", "DAILY;COUNT=21", "2026-11-27"),
        ("Standup every monday 5 times", "Standup", "WEEKLY;BYDAY=MO;COUNT=5", "2026-11-30"),
        ("Rent every month, 5 times", "Rent", "MONTHLY;BYMONTHDAY=27;COUNT=5", "2026-11-27"),
        ("매주 월요일 12월 31일까지 회의", "회의", "WEEKLY;BYDAY=MO;UNTIL=20261231", "2026-11-30"),
        ("매주 월요일 5번 회의", "회의", "WEEKLY;BYDAY=MO;COUNT=5", "2026-11-30"),
        ("5일 동안 매일 운동", "운동", "DAILY;COUNT=5", "2026-11-27"),
        ("12月31日まで毎週月曜に会議", "会議", "WEEKLY;BYDAY=MO;UNTIL=20261231", "2026-11-30"),
        ("毎週月曜 5回 会議", "会議", "WEEKLY;BYDAY=MO;COUNT=5", "2026-11-30"),
        # That often on each day.
        ("Pills every day 3 times", "Pills 3 times", "DAILY", "2026-11-27"),
        ("약 매일 3번", "약 3번", "DAILY", "2026-11-27"),
        ("Gym every day starting monday", "Gym", "DAILY", "2026-11-30"),
        ("다음 주 월요일부터 매일 운동", "운동", "DAILY", "2026-11-30"),
        # All days that it names.
        ("Call mom every monday and every friday", "Call mom", "WEEKLY;BYDAY=MO,FR", "2026-11-27"),
        ("Gym every mon wed fri", "Gym", "WEEKLY;BYDAY=MO,WE,FR", "2026-11-27"),
        ("Gym every monday to wednesday", "Gym", "WEEKLY;BYDAY=MO,TU,WE", "2026-11-30"),
        ("Call mom every saturday", "Call mom", "WEEKLY;BYDAY=SA", "2026-11-28"),
        ("매주 월요일 금요일 운동", "운동", "WEEKLY;BYDAY=MO,FR", "2026-11-27"),
        ("매주 월~수요일 운동", "운동", "WEEKLY;BYDAY=MO,TU,WE", "2026-11-30"),
        ("毎週月〜水曜 会議", "会議", "WEEKLY;BYDAY=MO,TU,WE", "2026-11-30"),
    ],
)
def test_a_line_says_how_something_repeats(page_rules, line, title, rule, due):
    read = page_rules("return readQuick(argument, { today: '2026-11-27', zone: 'Asia/Seoul', now: '10:00' });", line)
    mark, _, rest = rule.rpartition("! ")
    recurrence = {"rule": f"FREQ={rest}", "from": "completion" if "!" in rule else "due", "timeZone": None}
    assert (read["title"], read["recurrence"], read["dueDate"]) == (title, recurrence, due), mark


@pytest.mark.parametrize(
    "line",
    [
        'Read "every day" aloud',
        "「毎日」を読む",
        "“매일 아침” 듣기",
        "every monday",
        "Meet everyone every blursday",
        "Every one of them",
        "Mop every 0 days",
        "Mop every 5000 days",
        "Rent every 32nd",
        "Rent every feb 30",
        "Pay every month on mon",
        "매일유업 주문",
        "월세 매월 40일",
        "毎日新聞を読む",
        "毎月25日払い",
        "毎週水やり",
        "Write weekly report",
        "everyday bag",
        "Standup every monday until june",
        "Standup every monday until 3pm",
        "Standup every monday until today",
        "Standup every day until dec 31 for 5 days",
        "Mow every month for 2 days",
        "Call every monday and every other friday",
        "Gym every monday or friday",
        "Gym every day except sunday",
        "Rent every 1st and 15th",
        "매주 월요일 또는 금요일 운동",
        "매일 일요일 제외 운동",
        "매일 연말까지 운동",
    ],
)
def test_what_is_not_understood_stays_in_the_title(page_rules, line):
    read = page_rules("return readQuick(argument, { today: '2026-11-27', zone: 'Asia/Seoul', now: '10:00' });", line)
    assert (read["title"], read["recurrence"], read["dueDate"]) == (line, None, None)


@pytest.mark.parametrize(
    "line",
    [
        "Dentist fri 3pm",
        "3pm fri dentist",
        "Sync Monday, 3pm",
        "Sync this monday 3pm",
        "Photos monday last week 3pm",
        "Plan next month 5pm",
        "Hike weekend 10am",
        "Flight Feb 30 9am",
        "Trip Mar 3-5 9am",
        "Dinner Dec 24th, 6pm",
        "Dentist the 5th at 3pm",
        "Dentist 3pm on the 5th",
        "Call 13/1 at 3pm",
        "Arzt 5.12. 15:00",
        "Flight 2027/1/5 3pm",
        "글피 오후 2시 약속",
        "지난주 금요일 3시 사진",
        "다음 주 3시 회의",
        "금 3시 회의",
        "5일 3시 치과",
        "2026.12.5 오후 3시 치과",
        "来月5日15時 家賃",
        "昨日15時 電話",
        "土 15時 映画",
    ],
)
def test_a_time_is_not_of_today_where_the_line_names_another_day(page_rules, line):
    read = page_rules("return readQuick(argument, { today: '2026-11-27', zone: 'Asia/Seoul', now: '10:00' });", line)
    assert (read["title"], read["dueDate"]) == (line, None)


@pytest.mark.parametrize(
    "line, title",
    [
        ("Meet 3pm 4th floor", "Meet 4th floor"),
        ("Meet on the 4th floor at 3pm", "Meet on the 4th floor"),
        ("Call May 3pm", "Call May"),
        ("Buy sun cream 3pm", "Buy sun cream"),
        ("일요신문 3시 구독", "일요신문 구독"),
        ("3일간 여행 짐 3시", "3일간 여행 짐"),
        ("日本語 15時 授業", "日本語 授業"),
    ],
)
def test_a_time_alone_is_its_next_occurrence(page_rules, line, title):
    read = page_rules("return readQuick(argument, { today: '2026-11-27', zone: 'Asia/Seoul', now: '10:00' });", line)
    assert (read["title"], read["dueDate"]) == (title, "2026-11-27T06:00:00.000Z")


@pytest.mark.parametrize(
    "rule, english, korean, japanese",
    [
        ("DAILY", "every day", "매일", "毎日"),
        ("DAILY;INTERVAL=2", "every other day", "2일마다", "2日ごと"),
        ("WEEKLY;INTERVAL=2;BYDAY=MO,TH", "every other week on Mon, Thu", "격주 월, 목요일", "隔週の月・木曜"),
        ("WEEKLY;BYDAY=FR", "every week on Fri", "매주 금요일", "毎週金曜"),
        ("WEEKLY;BYDAY=FR,TU,WE,TH,MO", "every weekday", "평일마다", "平日毎日"),
        ("MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", "every month on the 31st", "매월 31일", "毎月31日"),
        ("MONTHLY;BYMONTHDAY=-1", "every month on the last day", "매월 말일", "毎月末日"),
        ("MONTHLY;BYDAY=2TU,-1FR", "every month on the 2nd Tue, the last Fri", "매월 둘째 화, 마지막 금요일", "毎月第2火・最終金曜"),
        ("MONTHLY;INTERVAL=3;BYMONTHDAY=12", "every 3 months on the 12th", "3개월마다 12일", "3か月ごとの12日"),
        ("MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "every month on the last weekday", "매월 마지막 평일", "毎月最後の平日"),
        ("YEARLY;BYMONTH=3;BYMONTHDAY=1", "every year on Mar 1", "매년 3월 1일", "毎年3月1日"),
        ("! DAILY;INTERVAL=3", "3 days after completion", "완료 3일 후", "完了の3日後"),
        ("! WEEKLY;BYDAY=MO", "every week on Mon after completion", "완료 후 매주 월요일", "完了後毎週月曜"),
        ("DAILY;UNTIL=20271231", "every day, until Dec 31, 2027", "매일, 2027. 12. 31.까지", "毎日、2027/12/31まで"),
        ("DAILY;UNTIL=20271231T150000Z", "every day, until Jan 1, 2028", "매일, 2028. 1. 1.까지", "毎日、2028/01/01まで"),
        ("WEEKLY;COUNT=5", "every week, 5 times", "매주, 5번", "毎週、5回"),
        ("SECONDLY", "FREQ=SECONDLY", "FREQ=SECONDLY", "FREQ=SECONDLY"),
    ],
)
def test_a_rule_has_words(rules_page, rule, english, korean, japanese):
    written = [f"FREQ={rule.removeprefix('! ')}", "completion" if "!" in rule else "due"]
    assert [words(rules_page, language, written) for language in ("en", "ko", "ja")] == [english, korean, japanese]


@pytest.fixture(scope="module")
def rules_page(chromium):
    """Pages by language, whose modules speak it."""
    server = Server()
    pages = {}
    for language in ("en", "ko", "ja"):
        context = chromium.new_context(locale={"en": "en-US", "ko": "ko-KR", "ja": "ja-JP"}[language])
        pages[language] = context.new_page()
        pages[language].goto(server.url)
    yield pages
    for page in pages.values():
        page.context.close()
    server.close()


def words(pages, language, written):
    return pages[language].evaluate(
        "async ([rule, from]) => (await import('/board/shell.js')).repeatWords({ rule, from, timeZone: null }, 'Asia/Seoul')", written
    )


def test_a_name_has_one_id(rules):
    space = "2f1acc6c-3f31-4f77-9d8e-1f6a4a5d2b90"
    names = ["1", "2", "10000", "한글", "x" * 200]
    assert rules("return argument[1].map((name) => uuidOf(name, argument[0]));", [space, names]) == [str(uuid.uuid5(uuid.UUID(space), name)) for name in names]


SERIES = """const mirror = emptyMirror();
    mirror.settings.set('settings', { timeZone: 'Asia/Seoul', revision: 1 });
    let number = 0;
    const edit = (op, id, value, at = '2027-01-31T03:00:00.000Z') => {
        number += 1;
        apply(mirror, mutate(mirror, { type: 'task', op, id, value, position: 'a' + number }, { mutationId: 'm' + number, key: String(number).padStart(4, '0'), at }));
    };
    const first = '2f1acc6c-3f31-4f77-9d8e-1f6a4a5d2b90';
    const id = (occurrence, of = first) => uuidOf(String(occurrence), of);
    const rent = { rule: 'FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD', from: 'due', timeZone: null };
    const create = (dueDate = '2027-01-31', recurrence = rent) => edit('create', first, { title: 'Rent', body: 'to Kim', dueDate, recurrence });
    const done = (id, at) => edit('move', id, { status: 'done', place: 'last' }, at);
    const reopen = (id) => edit('move', id, { status: 'todo', place: 'last' });
    const see = (id) => { const task = view(mirror, 'task', id); return task && [task.title, task.status, task.dueDate, task.occurrence, task.recurrence?.rule === rent.rule]; };
    """


@pytest.mark.parametrize(
    "steps, seen",
    [
        # It keeps its words and follows in its column.
        ("create(); done(first); const next = view(mirror, 'task', id(2)); return [see(first), see(id(2)), next.body, next.position > 'a1'];",
         [["Rent", "done", "2027-01-31", 1, False], ["Rent", "todo", "2027-02-28", 2, True], "to Kim", True]),
        # The end of a short month does not stay.
        ("create(); done(first); done(id(2)); return [see(id(2))[1], see(id(3))];", ["done", ["Rent", "todo", "2027-03-31", 3, True]]),
        # Missed ones are left out: what is done in May is due at its end.
        ("create(); done(first, '2027-05-30T16:00:00.000Z'); return see(id(2));", ["Rent", "todo", "2027-06-30", 2, True]),
        ("create(); done(first); reopen(first); return [see(first), see(id(2)) ?? null];", [["Rent", "todo", "2027-01-31", 1, True], None]),
        ("create(); done(first); reopen(first); done(first); return [see(first)[4], see(id(2))[3]];", [False, 2]),
        # Somebody touched it: both stay.
        ("create(); done(first); edit('patch', id(2), { title: 'More rent' }); reopen(first); return [see(first)[4], see(id(2))];",
         [False, ["More rent", "todo", "2027-02-28", 2, True]]),
        # An old copy that is sent again begins no second series.
        ("create(); done(first); edit('patch', id(2), { body: 'x' }); edit('patch', first, { status: 'todo', recurrence: rent }); return [see(first), see(id(2))[4]];",
         [["Rent", "todo", "2027-01-31", 1, False], True]),
        # An edit of the rule goes where the rule is.
        ("create(); done(first); done(id(2)); edit('patch', first, { recurrence: { ...rent, rule: 'FREQ=DAILY' } }); return [see(first)[4], view(mirror, 'task', id(3)).recurrence.rule];",
         [False, "FREQ=DAILY"]),
        ("create(); done(first); done(first); return [see(first)[4], see(id(2))[3], see(id(3)) ?? null];", [False, 2, None]),
        # So does its end.
        ("create(); done(first); edit('patch', first, { recurrence: null }); return [see(first)[4], see(id(2))];",
         [False, ["Rent", "todo", "2027-02-28", 2, False]]),
        ("create(); done(first); edit('patch', first, { status: 'todo', recurrence: null }); return [see(first), see(id(2)) ?? null];",
         [["Rent", "todo", "2027-01-31", 1, False], None]),
        # A rule that comes after the completion counts from it.
        ("create('2027-01-31', null); done(first, '2027-03-02T03:00:00.000Z'); edit('patch', first, { recurrence: rent }, '2027-05-31T03:00:00.000Z'); return [see(first)[4], see(id(2))];",
         [False, ["Rent", "todo", "2027-03-31", 2, True]]),
        ("create('2027-01-31', { ...rent, rule: 'FREQ=DAILY;COUNT=1' }); done(first); edit('patch', first, { recurrence: rent }); return see(id(2));",
         ["Rent", "todo", "2027-02-28", 2, True]),
        # A deleted one ends the series.
        ("create(); done(first); edit('delete', id(2)); return [see(id(2)) ?? null, see(first)[4]];", [None, False]),
        ("create('2027-01-31', { ...rent, rule: 'FREQ=DAILY;COUNT=2' }); done(first); done(id(2)); return [see(id(2)), see(id(3)) ?? null];",
         [["Rent", "done", "2027-02-01", 2, False], None]),
        ("create('2027-01-31', { ...rent, rule: 'FREQ=DAILY;UNTIL=20270131' }); done(first); return [see(first)[1], see(id(2)) ?? null];", ["done", None]),
        ("create('2027-01-10', { ...rent, rule: 'FREQ=DAILY;INTERVAL=3', from: 'completion' }); done(first); return see(id(2)).slice(2, 4);", ["2027-02-03", 2]),
        # 09:00 in Seoul stays.
        ("create('2027-01-31T00:00:00.000Z'); done(first); return see(id(2))[2];", "2027-02-28T00:00:00.000Z"),
        ("create('2027-03-13T14:00:00.000Z', { ...rent, rule: 'FREQ=DAILY', timeZone: 'America/New_York' }); done(first); return see(id(2))[2];", "2027-03-14T13:00:00.000Z"),
        # A new date that is not one of the rule restarts its dates.
        ("create('2027-01-31', { ...rent, rule: 'FREQ=DAILY;INTERVAL=3' }); edit('patch', first, { dueDate: '2027-02-01' }); done(first); return see(id(2))[2];", "2027-02-04"),
        ("create('2027-01-31', null); edit('patch', first, { recurrence: rent }); done(first); return see(id(2));", ["Rent", "todo", "2027-02-28", 2, True]),
        # A rule that was taken away and given again is another series.
        ("create(); edit('patch', first, { recurrence: null }); edit('patch', first, { recurrence: rent }); done(first); return [see(id(2)) ?? null, see(id(2, uuidOf(first, first)))];",
         [None, ["Rent", "todo", "2027-02-28", 2, True]]),
    ],
)
def test_a_completed_task_is_followed_by_the_same_one_as_on_the_server(rules, steps, seen):
    assert rules(SERIES + steps) == seen


def test_what_the_server_answers_takes_the_place_of_what_follows(rules):
    assert rules(
        SERIES
        + """create(); done(first);
        const answer = (status, id, revision, more) => ({ mutationId: 'm' + revision, status, revision, value: { id, title: 'Rent', status: 'todo', createdAt: 'x', updatedAt: 'x', revision }, ...more });
        const sent = outbox(mirror);
        apply(mirror, settle(mirror, sent, [answer('applied', first, 1), answer('applied', first, 2, { successor: { ...answer('', id(2), 3).value, recurrence: rent } })], 'now'));
        const stored = [mirror.outbox.size, mirror.task.get(id(2)).revision];
        done(id(2));
        return [...stored, outbox(mirror)[0].mutation.baseRevision];"""
    ) == [0, 3, 3]
