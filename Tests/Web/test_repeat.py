"""Tasks that come back, as people make, read and complete them."""

import datetime
import re
import uuid
import zoneinfo

import pytest
from playwright.sync_api import expect

from harness import add, becomes, card, closed, open_questions, saved, shows
from test_words import open_task

SEOUL = "Asia/Seoul"


@pytest.fixture
def seoul(browser, server):
    """A page of the board in Seoul."""
    server.call("PATCH", "/settings", {"timeZone": SEOUL})
    page = browser(timezone_id=SEOUL).new_page()
    page.goto(server.url)
    saved(page)
    return page


def today():
    return datetime.datetime.now(zoneinfo.ZoneInfo(SEOUL)).date()


def repeating(server, title="Rent", rule="FREQ=DAILY", due=None, **members):
    recurrence = {"rule": rule, "from": members.pop("start", "due"), "timeZone": None}
    return server.task(title, dueDate=due or str(today()), recurrence=recurrence, **members)


def next_id(task, occurrence=2):
    return str(uuid.uuid5(uuid.UUID(task["seriesId"]), str(occurrence)))


def complete(page, title):
    card(page, title).locator(".more").click()
    page.get_by_role("menuitem", name="Move to Done").click()


def test_quick_add_says_what_it_understood_before_enter(seoul, server):
    column = seoul.locator("[data-column=todo]")
    column.locator(".add-open").click()
    line = column.locator(".add input")
    line.fill("Rent every month on the 31st #home")
    expect(column.locator(".add .pill.repeat")).to_have_text("↻ every month on the 31st")
    expect(column.locator(".add .pill")).to_have_count(3)
    line.fill('Read "every month" aloud')
    expect(column.locator(".add .pill")).to_have_count(0)
    line.fill("Stretch every! 3 days")
    expect(column.locator(".add .pill.repeat")).to_have_text("↻ 3 days after completion")
    line.press("Enter")
    shows(seoul, todo=["Stretch"])
    saved(seoul)
    task = server.tasks()[0]
    assert task["recurrence"] == {"rule": "FREQ=DAILY;INTERVAL=3", "from": "completion", "timeZone": None}
    assert (task["title"], task["dueDate"]) == ("Stretch", str(today()))


@pytest.mark.parametrize("language, line, words", [("ko", "월세 매월 31일", "매월 31일"), ("ja", "家賃 毎月31日", "毎月31日")])
def test_quick_add_speaks_the_language_of_the_account(browser, server, language, line, words):
    page = browser(language).new_page()
    page.goto(server.url)
    saved(page)
    add(page, line)
    mark = page.locator(".card .repeat")
    expect(mark).to_have_attribute("title", words)
    expect(mark).to_have_text(f"↻ {words}")
    saved(page)
    assert server.tasks()[0]["recurrence"]["rule"] == "FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD"


def test_the_editor_makes_a_task_repeat_and_shows_the_next_five(seoul, server):
    task = server.task("Rent")
    editor = open_task(seoul, "Rent")
    repeat = editor.locator("select[name=repeat]")
    expect(repeat.locator("option").first).to_have_text("Never")
    # It needs a date, and offers the first day of the rule.
    repeat.select_option(label="every day")
    expect(editor.locator("input[name=date]")).to_have_value(str(today()))
    expect(editor.locator(".next-times")).to_contain_text("Then: ")
    assert editor.locator(".next-times").text_content().count("·") == 4
    # The rule of the day goes with the date.
    editor.locator("input[name=date]").fill("2031-01-31")
    repeat.select_option(label="every month on the 31st")
    expect(editor.locator(".next-times")).to_have_text(re.compile("Feb 28.*Mar 31.*Apr 30.*May 31.*Jun 30"))
    editor.locator("input[name=date]").fill("2031-01-15")
    editor.locator("input[name=date]").dispatch_event("change")
    expect(repeat.locator("option:checked")).to_have_text("every month on the 15th")
    editor.locator("button.primary").click()
    closed(seoul)
    expect(card(seoul, "Rent").locator(".repeat")).to_have_attribute("title", "every month on the 15th")
    saved(seoul)
    stored = server.call("GET", f"/tasks/{task['id']}")
    assert (stored["recurrence"]["rule"], stored["dueDate"]) == ("FREQ=MONTHLY;BYMONTHDAY=15", "2031-01-15")

    # Without a date nothing repeats.
    editor = open_task(seoul, "Rent")
    editor.locator("input[name=date]").fill("")
    editor.locator("textarea[name=title]").focus()
    expect(editor.locator("select[name=repeat] option:checked")).to_have_text("Never")
    editor.locator("button.primary").click()
    closed(seoul)
    saved(seoul)
    stored = server.call("GET", f"/tasks/{task['id']}")
    assert (stored["recurrence"], stored["dueDate"]) == (None, None)


def test_an_own_rule_is_put_together(seoul, server):
    task = server.task("Gym", dueDate="2031-01-06")
    editor = open_task(seoul, "Gym")
    editor.locator("select[name=repeat]").select_option(label="Own rule…")
    own = editor.locator(".own-rule")
    own.get_by_label("Every").fill("2")
    own.get_by_label("Mon", exact=True).check()
    own.get_by_label("Thu", exact=True).check()
    own.get_by_label("Until").fill("2031-12-31")
    expect(editor.locator(".next-times")).to_have_text(re.compile("Jan 9.*Jan 20.*Jan 23.*Feb 3.*Feb 6"))
    own.get_by_label("Times").fill("2")
    expect(own.get_by_label("Until")).to_have_value("")
    expect(editor.locator(".next-times")).to_have_text(re.compile("^Then: [^·]*Jan 9[^·]*$"))
    own.get_by_label("Times").fill("1")
    expect(editor.locator(".next-times")).to_have_text("This is the last time.")
    own.get_by_label("Times").fill("")
    editor.locator("button.primary").click()
    closed(seoul)
    expect(card(seoul, "Gym").locator(".repeat")).to_have_attribute("title", "every other week on Mon, Thu")
    saved(seoul)
    assert server.call("GET", f"/tasks/{task['id']}")["recurrence"]["rule"] == "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH"

    editor = open_task(seoul, "Gym")
    editor.locator("select[name=repeat]").select_option(label="After completion…")
    editor.locator(".own-rule").get_by_label("Every").fill("5")
    editor.locator("button.primary").click()
    closed(seoul)
    saved(seoul)
    assert server.call("GET", f"/tasks/{task['id']}")["recurrence"] == {"rule": "FREQ=DAILY;INTERVAL=5", "from": "completion", "timeZone": None}


def test_a_rule_that_the_editor_cannot_make_stays_as_it_is(seoul, server):
    task = repeating(server, rule="FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;WKST=SU", due="2031-01-31")
    editor = open_task(seoul, "Rent")
    expect(editor.locator("select[name=repeat] option:checked")).to_have_text("every month on the last weekday")
    editor.locator("textarea[name=body]").fill("to Kim")
    editor.locator("button.primary").click()
    closed(seoul)
    saved(seoul)
    stored = server.call("GET", f"/tasks/{task['id']}")
    assert (stored["body"], stored["recurrence"]) == ("to Kim", task["recurrence"])


def test_a_draft_of_a_rule_is_kept(seoul, server):
    server.task("Rent", dueDate="2031-01-31")
    open_task(seoul, "Rent").locator("select[name=repeat]").select_option(label="every day")
    seoul.reload()
    seoul.wait_for_selector("dialog.editor[open]")
    expect(seoul.locator("select[name=repeat] option:checked")).to_have_text("every day")


def test_a_completed_task_is_followed_and_undo_takes_both_back(seoul, server):
    task = repeating(server, body="to Kim")
    complete(seoul, "Rent")
    shows(seoul, todo=["Rent"], done=["Rent"])
    saved(seoul)
    tomorrow = str(today() + datetime.timedelta(days=1))
    following = server.call("GET", f"/tasks/{next_id(task)}")
    assert (following["status"], following["dueDate"], following["body"], following["occurrence"]) == ("todo", tomorrow, "to Kim", 2)
    assert server.call("GET", f"/tasks/{task['id']}")["recurrence"] is None

    seoul.keyboard.press("Control+z")
    shows(seoul, todo=["Rent"], doing=[], done=[])
    saved(seoul)
    becomes([(task["id"], "FREQ=DAILY")], lambda: [(one["id"], one["recurrence"]["rule"]) for one in server.tasks()])


def test_two_devices_that_complete_one_task_offline_make_the_same_next_one(browser, server):
    task = repeating(server)
    pages, contexts = [], [browser(timezone_id=SEOUL) for _ in range(2)]
    server.call("PATCH", "/settings", {"timeZone": SEOUL})
    for context in contexts:
        page = context.new_page()
        page.goto(server.url)
        saved(page)
        shows(page, todo=["Rent"])
        pages.append(page)
        context.set_offline(True)
    for page in pages:
        complete(page, "Rent")
        shows(page, todo=["Rent"], doing=[], done=["Rent"])
        assert page.locator("[data-column=todo] .card").get_attribute("data-id") == next_id(task)
        expect(page.locator("[data-column=todo] .repeat")).to_have_attribute("title", "every day")
        expect(page.locator("[data-column=done] .repeat")).to_have_count(0)
    # The one that follows can be changed and completed before a server knows of it.
    card_of = pages[0].locator("[data-column=todo] .card .open")
    card_of.focus()
    pages[0].keyboard.press("F2")
    pages[0].locator("textarea.rename").fill("More rent")
    pages[0].keyboard.press("Enter")
    complete(pages[0], "More rent")
    shows(pages[0], todo=["More rent"], done=["Rent", "More rent"])
    for context, page in zip(contexts, pages, strict=True):
        context.set_offline(False)
        saved(page)
    for page in pages:
        # The second one put it last.
        shows(page, todo=["More rent"], doing=[], done=["More rent", "Rent"])
    assert [(one["id"], one["occurrence"]) for one in server.tasks("&status=todo")] == [(next_id(task, 3), 3)]
    assert {one["id"] for one in server.tasks("&status=done")} == {task["id"], next_id(task)}


def test_what_somebody_touched_stays_when_the_task_is_reopened(seoul, server):
    task = repeating(server)
    complete(seoul, "Rent")
    saved(seoul)
    server.call("PATCH", f"/tasks/{next_id(task)}", {"title": "More rent"})
    shows(seoul, todo=["More rent"], done=["Rent"])
    seoul.keyboard.press("Control+z")
    shows(seoul, todo=["Rent", "More rent"], done=[])
    saved(seoul)
    assert server.call("GET", f"/tasks/{task['id']}")["recurrence"] is None


def test_a_tick_on_today_is_followed_too(seoul, server):
    task = repeating(server)
    seoul.goto(server.url + "/?screen=today")
    seoul.get_by_role("button", name="Done: Rent").click()
    saved(seoul)
    becomes("todo", lambda: server.call("GET", f"/tasks/{next_id(task)}")["status"])


def test_history_and_conflicts_tell_the_rule_in_words(browser, server):
    task = repeating(server, due="2031-01-31")
    context = browser(timezone_id=SEOUL)
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    context.set_offline(True)
    editor = open_task(page, "Rent")
    editor.locator("select[name=repeat]").select_option(label="every weekday")
    page.keyboard.press("Escape")
    closed(page)
    server.call("PATCH", f"/tasks/{task['id']}", {"recurrence": {"rule": "FREQ=WEEKLY;BYDAY=TU"}})
    context.set_offline(False)
    open_questions(page)
    expect(page.locator(".sides")).to_contain_text("every week on Tue")
    expect(page.locator(".sides")).to_contain_text("every weekday")
    page.get_by_role("button", name="Take theirs").click()
    saved(page)
    editor = open_task(page, "Rent")
    expect(editor.locator("select[name=repeat] option:checked")).to_have_text("every week on Tue")
    editor.get_by_role("button", name="History").click()
    expect(page.locator("main")).to_contain_text("every week on Tue")


def test_a_rule_names_the_zone_of_the_device_where_the_account_has_none(browser, server):
    page = browser(timezone_id=SEOUL).new_page()
    page.goto(server.url)
    saved(page)
    add(page, "Run every monday 7am")
    saved(page)
    task = server.tasks()[0]
    assert task["recurrence"]["timeZone"] == SEOUL
    complete(page, "Run")
    saved(page)
    # Monday in Seoul is still Sunday in UTC.
    following = server.call("GET", f"/tasks/{next_id(task)}")["dueDate"]
    assert datetime.datetime.fromisoformat(following) - datetime.datetime.fromisoformat(task["dueDate"]) == datetime.timedelta(days=7)


def test_an_occurrence_is_skipped_and_taken_back(seoul, server):
    task = repeating(server)
    tomorrow = str(today() + datetime.timedelta(days=1))
    for _ in range(2):
        card(seoul, "Rent").locator(".more").click()
        seoul.get_by_role("menuitem", name="Skip this time").click()
        expect(seoul.locator(".toast").last).to_contain_text("Rent: skipped to Tomorrow")
        expect(card(seoul, "Rent").locator("time")).to_have_attribute("datetime", tomorrow)
        saved(seoul)
        becomes(tomorrow, lambda: server.call("GET", f"/tasks/{task['id']}")["dueDate"])
        seoul.locator(".toast").last.get_by_role("button", name="Undo").click()
        expect(card(seoul, "Rent").locator("time")).to_have_attribute("datetime", str(today()))
        saved(seoul)
    assert server.call("GET", f"/tasks/{task['id']}")["dueDate"] == str(today())


def test_the_last_occurrence_cannot_be_skipped(seoul, server):
    repeating(server, rule="FREQ=DAILY;COUNT=1")
    card(seoul, "Rent").locator(".more").click()
    expect(seoul.get_by_role("menuitem", name="Skip this time")).to_be_disabled()


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
def test_the_mark_stays_on_the_line_of_its_date(browser, server, language):
    # Of any length, so that the line of some ends before the mark if it may.
    for length in range(3, 23):
        category = server.call("POST", "/categories", {"name": "n" * length})["id"]
        day = (datetime.date.today() + datetime.timedelta(days=length % 3)).isoformat()
        due = {"dueDate": f"{day}T10:00:00Z" if length % 2 else day, "recurrence": {"rule": "FREQ=DAILY", "from": "due"}}
        server.task("Water the plants", categoryId=category, **due)
    page = browser(language, viewport={"width": 320, "height": 800}).new_page()
    page.goto(server.url)
    expect(page.locator(".card .category")).to_have_count(20)
    for width in (320, 768, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        apart = page.evaluate(
            """() => [...document.querySelectorAll('.card .line')].filter((line) => {
                const mark = line.querySelector('.repeat');
                const words = document.createTreeWalker(line, NodeFilter.SHOW_TEXT, (node) => (mark.contains(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
                let last;
                while (words.nextNode()) last = words.currentNode;
                const range = new Range();
                range.setStart(last, last.length - 1);
                range.setEnd(last, last.length);
                const before = range.getBoundingClientRect(), at = mark.getBoundingClientRect();
                return at.left < before.right || at.top >= before.bottom || at.right > line.getBoundingClientRect().right + 1;
            }).map((line) => line.textContent)"""
        )
        assert apart == [], width
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width


def test_a_rule_that_ends_before_its_date_is_not_saved(seoul, server):
    task = server.task("Gym", dueDate="2031-05-04")
    editor = open_task(seoul, "Gym")
    editor.locator("select[name=repeat]").select_option(label="Own rule…")
    until = editor.locator(".own-rule").get_by_label("Until")
    until.fill("2031-05-03")
    seoul.keyboard.press("Tab")
    expect(editor.locator(".fault[role=alert]:not(:empty)")).to_have_count(1)
    assert "UNTIL" not in str(server.call("GET", f"/tasks/{task['id']}")["recurrence"])
    until.fill("2031-05-04")
    seoul.keyboard.press("Tab")
    expect(editor.locator(".fault[role=alert]:not(:empty)")).to_have_count(0)
    editor.locator("button.primary").click()
    closed(seoul)
    saved(seoul)
    assert server.call("GET", f"/tasks/{task['id']}")["recurrence"]["rule"].endswith("UNTIL=20310504")
