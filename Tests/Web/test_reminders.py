"""Reminders of a task, as people choose and read them."""

import pytest
from playwright.sync_api import expect

from harness import becomes, card, closed, installed, open_questions, saved, shows
from test_words import open_task, two_windows

SEOUL = "Asia/Seoul"


def chip(editor, words):
    return editor.locator(".reminders").get_by_role("button", name=words, exact=True)


def save(page, editor):
    editor.locator("button.primary").click()
    closed(page)
    saved(page)


def pressed(editor):
    return editor.locator(".reminders .chip[aria-pressed=true]").all_text_contents()


def test_the_default_is_shown_and_presses_choose(page, server):
    task = server.task("Report", dueDate="2031-05-04T09:00:00Z")
    stored = lambda: server.call("GET", f"/tasks/{task['id']}")["reminders"]
    editor = open_task(page, "Report")
    assert pressed(editor) == ["By default: At the time"]
    chip(editor, "1 hour before").click()
    chip(editor, "1 day before").click()
    expect(chip(editor, "1 day before")).to_be_focused()
    assert pressed(editor) == ["1 hour before", "1 day before"]
    save(page, editor)
    assert stored() == ["-P1D", "-PT1H"]

    editor = open_task(page, "Report")
    chip(editor, "1 hour before").click()
    chip(editor, "1 day before").click()
    assert pressed(editor) == ["None"]
    save(page, editor)
    assert stored() == []

    editor = open_task(page, "Report")
    chip(editor, "By default: At the time").click()
    save(page, editor)
    assert stored() is None


def test_own_ones_are_added_up_to_five(browser, server):
    server.call("PATCH", "/settings", {"timeZone": SEOUL})
    task = server.task("Report", dueDate="2031-05-04T09:00:00Z")
    page = browser(timezone_id=SEOUL).new_page()
    page.goto(server.url)
    editor = open_task(page, "Report")
    field = editor.locator(".reminders")
    field.locator("summary").click()
    field.get_by_label("Before the due time", exact=True).fill("90")
    field.get_by_role("button", name="Add a reminder before the due time").click()
    expect(chip(editor, "1 hour 30 minutes before")).to_have_attribute("aria-pressed", "true")
    field.get_by_label("Unit").select_option(label="weeks")
    field.get_by_label("Before the due time", exact=True).fill("2")
    field.get_by_label("Before the due time", exact=True).press("Enter")
    # Farther than the server takes, and no number.
    for number in ("5", "0", "1.5", ""):
        field.get_by_label("Before the due time", exact=True).fill(number)
        field.get_by_label("Before the due time", exact=True).press("Enter")
        expect(field.locator("[role=status]")).to_contain_text("At most 5")
    field.get_by_label("At a fixed time", exact=True).fill("2031-05-01T08:30")
    field.get_by_role("button", name="Add a reminder at a fixed time").click()
    chip(editor, "At the time").click()
    chip(editor, "10 minutes before").click()
    expect(chip(editor, "1 hour before")).to_be_disabled()
    expect(field.locator("[role=status]")).to_contain_text("At most 5")
    save(page, editor)
    wanted = ["-P14D", "2031-04-30T23:30:00.000Z", "-PT1H30M", "-PT10M", "PT0S"]
    assert server.call("GET", f"/tasks/{task['id']}")["reminders"] == wanted
    # What the server answered is what was saved: nothing is an edit.
    editor = open_task(page, "Report")
    assert len(pressed(editor)) == 5
    page.keyboard.press("Escape")
    closed(page)
    expect(page.locator(".toast", has_text="draft")).to_have_count(0)


def test_all_day_tasks_say_the_time_of_the_settings(page, server):
    server.call("PATCH", "/settings", {"allDayTime": "07:30"})
    server.task("Report", dueDate="2031-05-04")
    editor = open_task(page, "Report")
    assert pressed(editor) == ["By default: 07:30"]
    chip(editor, "1 day before").click()
    expect(editor.locator(".reminders [role=status]")).to_contain_text("07:30")
    editor.locator("input[name=date]").fill("")
    expect(editor.locator(".reminders [role=status]")).to_contain_text("Without a due date")
    chip(editor, "By default").click()
    expect(editor.locator(".reminders [role=status]")).to_have_text("")


@pytest.mark.worker
def test_they_are_chosen_without_a_server_and_undone(page, server):
    task = server.task("Report", dueDate="2031-05-04T09:00:00Z")
    shows(page, todo=["Report"])
    installed(page)
    server.stop()
    editor = open_task(page, "Report")
    chip(editor, "10 minutes before").click()
    editor.locator("button.primary").click()
    closed(page)
    page.reload()
    editor = open_task(page, "Report")
    assert pressed(editor) == ["10 minutes before"]
    page.keyboard.press("Escape")
    closed(page)
    server.start()
    saved(page)
    stored = lambda: server.call("GET", f"/tasks/{task['id']}")["reminders"]
    becomes(["-PT10M"], stored)
    editor = open_task(page, "Report")
    chip(editor, "None").click()
    save(page, editor)
    becomes([], stored)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    becomes(["-PT10M"], stored)


def test_they_are_saved_at_once(page, server):
    task = server.task("Report", dueDate="2031-05-04T09:00:00Z")
    stored = lambda: server.call("GET", f"/tasks/{task['id']}")["reminders"]
    editor = open_task(page, "Report")
    chip(editor, "10 minutes before").click()
    becomes(["-PT10M"], stored)
    # Another device's, which this one has not touched since.
    server.call("PATCH", f"/tasks/{task['id']}", {"reminders": ["-P1D"]})
    expect(chip(editor, "1 day before")).to_have_attribute("aria-pressed", "true")
    assert pressed(editor) == ["1 day before"]


def test_two_devices_without_a_server_have_one_question(browser, server):
    task = server.task("Report", dueDate="2031-05-04T09:00:00Z")
    one, two = two_windows(browser, server)
    two.route("**/sync", lambda route: route.abort())
    editor = open_task(two, "Report")
    chip(editor, "10 minutes before").click()
    editor.locator("button.primary").click()
    closed(two)
    editor = open_task(one, "Report")
    chip(editor, "1 day before").click()
    chip(editor, "1 hour before").click()
    save(one, editor)
    two.unroute("**/sync")
    two.evaluate("() => dispatchEvent(new Event('online'))")
    open_questions(two)
    sides = two.locator(".sides")
    expect(sides).to_have_count(1)
    expect(sides).to_contain_text("Reminders")
    expect(sides).to_contain_text("10 minutes before")
    expect(sides).to_contain_text("1 day before, 1 hour before")
    two.get_by_role("button", name="Take theirs").click()
    saved(two)
    assert server.call("GET", f"/tasks/{task['id']}")["reminders"] == ["-P1D", "-PT1H"]


@pytest.mark.parametrize("language, words", [("ko", ["기본: 제시간에", "제시간에", "10분 전", "1시간 전", "1일 전", "없음"]),
                                             ("ja", ["標準: 時刻ちょうど", "時刻ちょうど", "10 分前", "1 時間前", "1 日前", "なし"])])
def test_they_speak_the_language_of_the_account(browser, server, language, words):
    server.task("Report", dueDate="2031-05-04T09:00:00Z")
    page = browser(language).new_page()
    page.goto(server.url)
    editor = open_task(page, "Report")
    assert editor.locator(".reminders .chip").all_text_contents() == words


@pytest.mark.unopened
def test_the_time_for_all_day_tasks_is_a_setting(page, server):
    page.goto(server.url + "/?screen=settings")
    line = page.get_by_label("Time of reminders for all-day tasks")
    expect(line).to_have_value("09:00")
    line.fill("07:15")
    becomes("07:15", lambda: server.call("GET", "/settings")["allDayTime"])
    server.call("PATCH", "/settings", {"allDayTime": None})
    page.get_by_label("Language").focus()
    expect(line).to_have_value("09:00")


def test_the_browser_says_what_is_wrong_with_an_own_one(page, server):
    task = server.task("Report", dueDate="2031-05-04T09:00:00Z")
    editor = open_task(page, "Report")
    field = editor.locator(".reminders")
    field.locator("summary").click()
    before, at = field.get_by_label("Before the due time", exact=True), field.get_by_label("At a fixed time", exact=True)
    field.get_by_label("Unit").select_option(label="hours")
    fault = lambda control: control.evaluate("({ validity: v }) => ['valueMissing', 'stepMismatch', 'rangeUnderflow'].filter((name) => v[name])")
    for control, words, wanted in [(before, "1.5", "stepMismatch"), (before, "", "valueMissing"), (at, "", "valueMissing"), (at, "2021-05-04T09:00", "rangeUnderflow")]:
        control.fill(words)
        control.press("Enter")
        assert fault(control) == [wanted]
        expect(control).to_be_focused()
        expect(field.locator("[role=status]")).to_have_text("")
    assert pressed(editor) == ["By default: At the time"]
    at.fill("2031-05-01T08:30")
    at.press("Enter")
    becomes(1, lambda: len(server.call("GET", f"/tasks/{task['id']}")["reminders"] or []))
