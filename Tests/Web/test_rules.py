"""The rules of sync and order as values, in Chromium and Node; quick add, days and notes, on the board."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from harness import modules
from stage import rules_in


@pytest.fixture(scope="module", params=["chromium", "node"])
def rules(request, chromium, tmp_path_factory):
    with rules_in(request.param, chromium, tmp_path_factory.mktemp("rules"), "const sync = library;") as run:
        yield run


@pytest.fixture(scope="module")
def page_rules(chromium):
    """The rules of the board alone, which needs a page."""
    with modules(chromium, "const quick = await import('/board/shell.js');") as run:
        yield run


ENTRY = "const made = (n) => ({ mutationId: 'm' + n, key: String(n).padStart(4, '0'), at: '2026-11-20T08:00:00.000Z' });"


def test_a_position_is_always_strictly_between(rules):
    assert rules(
        """let random = 7; const next = () => (random = random * 48271 % 2147483647);
        const list = ['a0', 'a1', 'a1V', 'b00'];
        for (let round = 0; round < 3000; round++) {
            const at = next() % (list.length + 1);
            const made = sync.between(list[at - 1] ?? null, list[at] ?? null);
            if ((at > 0 && !(list[at - 1] < made)) || (at < list.length && !(made < list[at]))) return [list[at - 1], made, list[at]];
            list.splice(at, 0, made);
            if (list.length > 400) list.splice(next() % 400, 1);
        }
        return true;"""
    ) is True


def test_edits_lie_on_top_of_the_servers_copy_until_they_are_answered(rules):
    assert rules(
        ENTRY
        + """const mirror = sync.emptyMirror();
        sync.apply(mirror, sync.receive(mirror, [{ type: 'task', id: 't', revision: 3, deleted: false, value: { id: 't', title: 'a', body: '', status: 'todo', position: 'a0', revision: 3 } }], 'e-3'));
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', op: 'patch', id: 't', value: { title: 'b' } }, made(1)));
        sync.apply(mirror, sync.receive(mirror, [{ type: 'task', id: 't', revision: 4, deleted: false, value: { id: 't', title: 'a', body: 'theirs', status: 'todo', position: 'a0', revision: 4 } }], 'e-4'));
        const seen = sync.view(mirror, 'task', 't');
        const { sent, body } = sync.request(mirror);
        sync.apply(mirror, sync.settle(mirror, sent, [{ mutationId: 'm1', status: 'merged', value: { id: 't', title: 'b', body: 'theirs', status: 'todo', position: 'a0', revision: 5 }, conflicts: [] }], 'now'));
        return [seen.title, seen.body, body.mutations[0].baseRevision, mirror.outbox.size, mirror.task.get('t').revision, mirror.issue.size];"""
    ) == ["b", "theirs", 3, 0, 5, 0]


REPEATED = (
    ENTRY
    + """const task = (revision, title = 'a') => ({ id: 't', title, status: 'todo', position: 'a0', revision });
    const change = (revision, deleted = false) => ({ type: 'task', id: 't', revision, deleted, value: deleted ? null : task(revision) });
    const mirror = sync.emptyMirror();
    const receive = (...changes) => sync.apply(mirror, sync.receive(mirror, changes, 'e-' + changes.at(-1).revision));
    receive(change(3));
    const answered = (intent, result) => {
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', id: 't', ...intent }, made(1)));
        result.mutationId = 'm1';
        sync.apply(mirror, sync.settle(mirror, sync.outbox(mirror), [{ status: 'applied', value: null, conflicts: [], ...result }], 'now'));
    };
    const patched = () => answered({ op: 'patch', value: { title: 'mine' } }, { revision: 4, value: task(4, 'mine') });
    const deleted = (revision) => answered({ op: 'delete' }, { revision });
    """
)


@pytest.mark.parametrize(
    "then, seen",
    [
        ("patched();", ["mine", 4]),
        ("receive(change(4), change(5, true)); patched();", None),
        ("receive(change(6)); patched();", ["a", 6]),
        ("receive({ ...change(9), id: 'other' }); patched();", ["mine", 4]),
        ("deleted(4);", None),
        ("receive(change(4, true), change(5)); deleted(4);", ["a", 5]),
        # The server has purged it.
        ("deleted(null);", None),
    ],
)
def test_the_first_result_of_a_repeat_does_not_hide_what_came_after_it(rules, then, seen):
    task = rules(REPEATED + then + "return [mirror.outbox.size, sync.view(mirror, 'task', 't') ?? null];")
    assert task == [0, None if seen is None else {"id": "t", "title": seen[0], "status": "todo", "position": "a0", "revision": seen[1]}]


def test_what_is_made_and_deleted_in_one_go_is_gone(rules):
    assert rules(
        """const mirror = sync.emptyMirror();
        const change = (revision, deleted) => ({ type: 'task', id: 't', revision, deleted, value: deleted ? null : { id: 't', title: 'a', revision } });
        sync.apply(mirror, sync.receive(mirror, [change(3, false), change(4, true)], 'e-4'));
        const gone = mirror.task.size;
        sync.apply(mirror, sync.receive(mirror, [change(5, false), change(6, true), change(7, false)], 'e-7'));
        return [gone, mirror.task.get('t').revision, sync.receive(mirror, [{ ...change(8, true), id: 'unknown' }], null).length];"""
    ) == [0, 7, 0]


def test_an_edit_made_while_an_earlier_one_was_on_its_way_names_it(rules):
    assert rules(
        ENTRY
        + """const mirror = sync.emptyMirror();
        sync.apply(mirror, [{ store: 'task', key: 't', value: { id: 't', title: 'a', revision: 3 } }]);
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', op: 'patch', id: 't', value: { title: 'b' } }, made(1)));
        const first = sync.request(mirror);
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', op: 'patch', id: 't', value: { title: 'c' } }, made(2)));
        sync.apply(mirror, sync.settle(mirror, first.sent, [{ mutationId: 'm1', status: 'applied', value: { id: 't', title: 'b', revision: 4 } }], 'now'));
        const second = sync.request(mirror);
        sync.apply(mirror, sync.settle(mirror, second.sent, [{ mutationId: 'm2', status: 'applied', value: { id: 't', title: 'c', revision: 5 } }], 'now'));
        return [second.body.known, second.body.mutations.length, mirror.meta.has('known')];"""
    ) == [["m1"], 1, False]


def test_a_category_that_was_there_already_takes_the_place_of_ours(rules):
    assert rules(
        ENTRY
        + """const mirror = sync.emptyMirror();
        sync.apply(mirror, sync.mutate(mirror, { type: 'category', op: 'create', id: 'mine', value: { name: 'Work' } }, made(1)));
        const { sent } = sync.request(mirror);
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', op: 'create', id: 't', value: { title: 'x', categoryId: 'mine' } }, made(2)));
        sync.apply(mirror, sync.settle(mirror, sent, [{ mutationId: 'm1', status: 'merged', value: { id: 'theirs', name: 'work', revision: 2 } }], 'now'));
        return [sync.view(mirror, 'task', 't').categoryId, mirror.category.has('mine'), mirror.category.has('theirs')];"""
    ) == ["theirs", False, True]


def test_what_was_refused_is_kept_with_its_words(rules):
    issue = rules(
        ENTRY
        + """const mirror = sync.emptyMirror();
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', op: 'create', id: 't', value: { title: 'words' } }, made(1)));
        const { sent } = sync.request(mirror);
        sync.apply(mirror, sync.settle(mirror, sent, [{ mutationId: 'm1', status: 'rejected', problem: { code: 'too_long', detail: 'Full.' } }], 'now'));
        return [...mirror.issue.values()][0];"""
    )
    assert (issue["kind"], issue["value"]["title"], issue["code"]) == ("refused", "words", "too_long")


FULL = (
    ENTRY
    + """const mirror = sync.emptyMirror();
    const held = new Set();
    const edit = (n, type, op, id, value) => sync.apply(mirror, sync.mutate(mirror, { type, op, id, value }, made(n)));
    const names = () => (sync.request(mirror, 200, held)?.sent ?? []).map(({ mutation }) => mutation.mutationId);
    const answer = (...results) => sync.apply(mirror, sync.settle(mirror, sync.request(mirror, 200, held).sent,
        results.map(([n, status, code]) => ({ mutationId: 'm' + n, status, ...(code && { problem: { code } }) })), 'now', held));
    """
)


def test_what_the_account_has_no_room_for_waits_with_what_builds_on_it(rules):
    assert rules(
        FULL
        + """sync.apply(mirror, [{ store: 'task', key: 'old', value: { id: 'old', title: 'a', revision: 3 } }]);
        edit(1, 'task', 'create', 'new', { title: 'n' });
        edit(2, 'task', 'patch', 'new', { title: 'm' });
        edit(3, 'task', 'patch', 'old', { title: 'b' });
        answer([1, 'rejected', 'quota_exceeded'], [2, 'rejected', 'not_found'], [3, 'applied']);
        edit(4, 'task', 'move', 'old', { after: 'new' });
        edit(5, 'task', 'create', 'other', { title: 'o' });
        const then = names();
        held.clear();
        return [then, names(), mirror.issue.size, sync.view(mirror, 'task', 'new').title];"""
    ) == [["m5"], ["m1", "m2", "m4", "m5"], 0, "m"]


def test_a_deletion_ends_what_waits_for_room(rules):
    assert rules(
        FULL
        + """edit(1, 'task', 'create', 'new', { title: 'n' });
        answer([1, 'rejected', 'quota_exceeded']);
        edit(2, 'task', 'delete', 'new');
        const then = names();
        answer([2, 'rejected', 'not_found']);
        return [then, mirror.outbox.size, held.size, mirror.issue.size];"""
    ) == [["m2"], 0, 0, 0]


def test_a_new_history_takes_the_place_of_the_old_and_keeps_the_outbox(rules):
    assert rules(
        ENTRY
        + """const mirror = sync.emptyMirror();
        sync.apply(mirror, [{ store: 'task', key: 'old', value: { id: 'old', revision: 9 } }, { store: 'task', key: 'both', value: { id: 'both', title: 'new', revision: 8 } }]);
        sync.apply(mirror, sync.mutate(mirror, { type: 'task', op: 'patch', id: 'both', value: { body: 'mine' } }, made(1)));
        const state = new Map([['task both', { type: 'task', id: 'both', value: { id: 'both', title: 'restored', body: '', revision: 4 } }]]);
        sync.apply(mirror, sync.replace(mirror, state, 'f-4'));
        const seen = sync.view(mirror, 'task', 'both');
        return [mirror.task.has('old'), seen.title, seen.body, mirror.meta.get('cursor')];"""
    ) == [False, "restored", "mine", "f-4"]


@pytest.mark.parametrize(
    "line, title, due, category",
    [
        ("Call mum tomorrow 3pm #family", "Call mum", ("2026-11-21", "15:00"), "family"),
        ("내일 3시 회의", "회의", ("2026-11-21", "15:00"), None),
        ("보고서 모레까지", "보고서", ("2026-11-22", None), None),
        ("Fix issue #123", "Fix issue #123", (None, None), None),
        ("明日の会議 15時", "会議", ("2026-11-21", "15:00"), None),
        ("明日 15時 買い物", "買い物", ("2026-11-21", "15:00"), None),
        ("明日15時に会議", "会議", ("2026-11-21", "15:00"), None),
        ("Pay rent 2026-12-01", "Pay rent", ("2026-12-01", None), None),
        ("Lunch friday at 12:30", "Lunch", ("2026-11-27", "12:30"), None),
        ("12월 3일 병원 오전 9시 반", "병원", ("2026-12-03", "09:30"), None),
        ("Read 1984", "Read 1984", (None, None), None),
        ("tomorrow", "tomorrow", (None, None), None),
        ("Study 3시간", "Study 3시간", (None, None), None),
        ("Buy 2 apples #not a tag#", "Buy 2 apples a tag#", (None, None), "not"),
        ("Meet 25:00", "Meet 25:00", (None, None), None),
        ("月曜の会議", "会議", ("2026-11-23", None), None),
        ("明日に会議", "会議", ("2026-11-21", None), None),
        ("새벽 2시 출발", "출발", ("2026-11-21", "02:00"), None),
        ("낮 12시 점심", "점심", ("2026-11-20", "12:00"), None),
        ("오늘 밤 12시까지 제출", "제출", ("2026-11-20", "24:00"), None),
        ("밤 12시 반 버스", "버스", ("2026-11-21", "00:30"), None),
        ("밤 11시 잠", "잠", ("2026-11-20", "23:00"), None),
    ],
)
def test_a_line_is_read(page_rules, line, title, due, category):
    read = page_rules("return quick.readLine(argument, { today: '2026-11-20', zone: 'Asia/Seoul', now: '08:00' });", line)
    assert (read["title"], (read["day"], read["time"]), read["category"]) == (title, due, category)


@pytest.mark.parametrize(
    "line, title, day",
    [
        # On a Thursday.
        ("보고서 다음 주 금요일", "보고서", "2026-11-27"),
        ("보고서 다음주 금요일까지", "보고서", "2026-11-27"),
        ("보고서 이번 주 금요일", "보고서", "2026-11-20"),
        ("보고서 다다음 주 월요일", "보고서", "2026-11-30"),
        ("보고서 금요일", "보고서", "2026-11-20"),
        ("Report friday next week", "Report", "2026-11-27"),
        ("Report next week on friday", "Report", "2026-11-27"),
        ("Report next friday", "Report", "2026-11-27"),
        ("Report this sunday", "Report", "2026-11-22"),
        ("Report friday", "Report", "2026-11-20"),
        ("来週の金曜日 報告", "報告", "2026-11-27"),
        ("再来週月曜に報告", "報告", "2026-11-30"),
        ("Party Dec 1", "Party", "2026-12-01"),
        ("Party on December 1st", "Party", "2026-12-01"),
        ("Party 1 Dec, 2027", "Party", "2027-12-01"),
        ("Party 12/1", "Party", "2026-12-01"),
        ("Party 1/5", "Party", "2027-01-05"),
        ("파티 12/1까지", "파티", "2026-12-01"),
        ("Visit in 2 weeks", "Visit", "2026-12-03"),
        ("Visit in a month", "Visit", "2026-12-19"),
        ("방문 2주 후", "방문", "2026-12-03"),
        ("방문 3일 뒤", "방문", "2026-11-22"),
        ("2週間後に訪問", "訪問", "2026-12-03"),
        # The next one that exists.
        ("Party Feb 29", "Party", "2028-02-29"),
        ("Party 2/29", "Party", "2028-02-29"),
        ("파티 2월 29일", "파티", "2028-02-29"),
        ("2月29日 誕生日", "誕生日", "2028-02-29"),
        ("Party Feb 29, 2027", "Party Feb 29, 2027", None),
        # What is half understood stays a title.
        ("Call 1/2 of list", "Call 1/2 of list", None),
        ("Report last friday", "Report last friday", None),
        ("Report friday after next", "Report friday after next", None),
        ("Report this monday", "Report this monday", None),
        ("보고서 지난주 금요일", "보고서 지난주 금요일", None),
        ("보고서 다음 금요일", "보고서 다음 금요일", None),
        ("先週の金曜日 報告", "先週の金曜日 報告", None),
        ("Trip Dec 1 - 3", "Trip Dec 1 - 3", None),
        ("Trip 12/1-3", "Trip 12/1-3", None),
        ("Party Dec 32", "Party Dec 32", None),
        ("Odds 13/14", "Odds 13/14", None),
        ("Open 24/7", "Open 24/7", None),
        # Between quotation marks nothing is read.
        ('Read "Tomorrow Never Dies" friday', 'Read "Tomorrow Never Dies"', "2026-11-20"),
        ('"Call mum tomorrow #family"', '"Call mum tomorrow #family"', None),
        ("“내일” 읽기", "“내일” 읽기", None),
        ("「明日 15時」を読む", "「明日 15時」を読む", None),
    ],
)
def test_a_day_is_read_on_a_thursday(page_rules, line, title, day):
    read = page_rules("return quick.readLine(argument, { today: '2026-11-19', zone: 'Asia/Seoul', now: '08:00' });", line)
    assert (read["title"], read["day"], read["category"]) == (title, day, None)


def test_a_month_later_is_the_last_day_of_a_shorter_one(page_rules):
    assert page_rules("return quick.readLine('Rent in 3 months', { today: '2026-11-30', zone: 'UTC' }).day;") == "2027-02-28"


def test_notes_are_shown_without_the_marks_of_markdown(page_rules):
    assert page_rules(
        """const { plain } = quick;
        return ['# Plan\\n- [ ] **Milk** and _eggs_\\n- [x] `done`', '[Map](https://a.example/x) ![A](b.png)', '2 * 3 * 4', 'snake_case_name', '1. First'].map(plain);"""
    ) == ["Plan\n☐ Milk and eggs\n☑ done", "Map A", "2 * 3 * 4", "snake_case_name", "1. First"]


def test_midnight_ends_the_day(page_rules):
    due = page_rules("return quick.readLine('오늘 밤 12시까지 제출', { today: '2026-11-20', zone: 'Asia/Seoul' }).dueDate;")
    assert due == "2026-11-20T15:00:00.000Z"


@pytest.mark.parametrize(
    "date, repeats, now, following",
    [
        ("2019-05-18", "none", "2026-11-22", "2019-05-18"),
        ("2019-05-18", "yearly", "2026-11-22", "2027-05-18"),
        ("2019-05-18", "yearly", "2026-05-18", "2026-05-18"),
        ("2019-12-18", "yearly", "2026-11-22", "2026-12-18"),
        ("2030-12-18", "yearly", "2026-11-22", "2030-12-18"),
        ("2024-02-29", "yearly", "2026-11-22", "2027-02-28"),
        ("2024-02-29", "yearly", "2027-03-01", "2028-02-29"),
    ],
)
def test_a_d_day_comes_again(page_rules, date, repeats, now, following):
    assert page_rules("return quick.nextDate(argument[0], argument[1]);", [{"date": date, "repeats": repeats}, now]) == following


@pytest.mark.parametrize(
    "day, time, zone, instant",
    [
        # Skipped times move forward.
        ("2027-03-28", "02:30", "Europe/Berlin", "2027-03-28T01:30:00.000Z"),
        ("2027-03-14", "02:30", "America/New_York", "2027-03-14T07:30:00.000Z"),
        ("2026-10-04", "02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00.000Z"),
        ("2027-04-30", "00:30", "Africa/Cairo", "2027-04-29T22:30:00.000Z"),
        # Those near a change of clocks are themselves.
        ("2027-03-28", "03:00", "Europe/Berlin", "2027-03-28T01:00:00.000Z"),
        ("2027-03-28", "01:59", "Europe/Berlin", "2027-03-28T00:59:00.000Z"),
        ("2027-03-14", "03:00", "America/New_York", "2027-03-14T07:00:00.000Z"),
        ("2026-10-25", "03:00", "Europe/Berlin", "2026-10-25T02:00:00.000Z"),
        ("2026-12-30", "12:00", "Pacific/Apia", "2026-12-29T23:00:00.000Z"),
    ],
)
def test_a_time_beside_a_change_of_clocks(page_rules, day, time, zone, instant):
    assert page_rules("return quick.instant(...argument);", [day, time, zone]) == instant


def test_a_stream_of_events_is_read_however_it_is_cut(rules):
    assert rules(
        """const text = ': hello\\n\\nid: e-1\\r\\nevent: change\\r\\ndata: {"a":\\r\\ndata: 1}\\r\\n\\r\\nevent: ready\\ndata:\\n\\n';
        const all = [];
        for (let cut = 0; cut <= text.length; cut++) {
            const found = [];
            const parser = new sync.EventParser((event) => found.push(event));
            parser.feed(text.slice(0, cut)); parser.feed(text.slice(cut));
            all.push(JSON.stringify(found));
        }
        return [new Set(all).size, JSON.parse(all[0])];"""
    ) == [1, [{"id": "e-1", "event": "change", "data": '{"a":\n1}'}, {"event": "ready", "data": ""}]]


def test_a_search_finds_by_the_rules_of_all_homes(rules):
    cases = json.loads((Path(__file__).parent.parent / "Cases/search.json").read_text())
    found = rules(
        """const { searchKey, searchTerms } = sync;
        return argument.map(({ query, title, body }) => searchTerms(query).every((has) => [title, body].map(searchKey).some(has)));""",
        cases,
    )
    assert [case for case, is_found in zip(cases, found, strict=True) if is_found != case["found"]] == []


def test_texts_are_compared_as_the_server_compares_them(rules):
    assert rules(
        """const { sameKey, orderKey, inOrder } = sync;
        const same = (a, b) => sameKey(a) === sameKey(b);
        const sorted = ['😀', '\\uff21', '가', '\\u1100\\u1161', 'é', 'z', 'e\\u0301', 'beta', 'Alpha'].sort((a, b) => inOrder(orderKey(a), orderKey(b)));
        return [
            ['한글', 'Straße', 'ΣΑΣ', 'Café'].map((text, index) => same(text, ['한글'.normalize('NFD'), 'STRASSE', 'σας', 'CAFE\\u0301'][index])),
            [same('Cafe', 'Café'), same('ı', 'i'), same('ｗ', 'w')],
            sorted,
        ];"""
    ) == [
        [True, True, True, True],
        [False, False, False],
        ["Alpha", "beta", "e\u0301", "z", "é", "\u1100\u1161", "가", "\uff21", "😀"],
    ]


def test_what_nobody_sees_is_blank(page_rules):
    assert page_rules(
        """const { isBlank } = quick;
        return [['', ' \\t', '\\u200b\\u200d', '\\u3164', '\\u2800', '\\u{e0041}', '\\u202e\\ufeff'].every(isBlank), ['a', '가\\u200b', '😀', '.'].some(isBlank)];"""
    ) == [True, False]


def test_a_time_that_two_hours_have_is_the_first(page_rules):
    """As Python reads it with `fold=0`: every quarter of an hour beside each change of clocks of three years."""
    zones = ("Europe/Berlin Europe/London Atlantic/Azores America/New_York America/St_Johns America/Havana America/Santiago America/Nuuk Asia/Beirut "
             "Asia/Jerusalem Asia/Seoul Australia/Lord_Howe Australia/Sydney Pacific/Auckland Pacific/Chatham Antarctica/Troll Africa/Cairo").split()
    wanted = []
    for zone in map(ZoneInfo, zones):
        offset = lambda moment: moment.replace(tzinfo=zone).utcoffset()
        for day in (datetime(2024, 1, 1) + timedelta(days=count) for count in range(3 * 365)):
            if offset(day) != offset(day + timedelta(days=1)):
                wanted += [[f"{local:%Y-%m-%d}", f"{local:%H:%M}", zone.key, f"{local.replace(tzinfo=zone).astimezone(UTC):%Y-%m-%dT%H:%M:00.000Z}"]
                           for local in (day + timedelta(minutes=15 * step) for step in range(-8, 20))]
    seen = page_rules("return argument.map(([day, time, zone]) => quick.instant(day, time, zone));", wanted)
    assert len(wanted) > 2000 and [(case, at) for case, at in zip(wanted, seen, strict=True) if case[3] != at] == []
