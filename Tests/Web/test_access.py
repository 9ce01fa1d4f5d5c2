"""The keyboard, screen readers and input methods: the focus stays near, and what changes is announced."""

import pytest
from playwright.sync_api import expect

from harness import card, closed, columns, loaded, open_filters, saved, shows, wait_for
from test_session import log_in
from test_words import open_task


def press_composing(page, selector, key, **members):
    """A key that belongs to the input method."""
    page.evaluate(
        """([selector, event]) => document.querySelector(selector).dispatchEvent(
            new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...event }))""",
        [selector, {"key": key, **members}],
    )


def test_keys_of_an_input_method_do_nothing_else(page, server):
    task = server.task("Report")
    shows(page, todo=["Report"])
    page.locator("#search").fill("Rep")
    for key in ("ArrowDown", "Enter"):
        press_composing(page, "#search", key, isComposing=True)
        expect(page.locator("#search")).to_be_focused()
    # Safari says of the Enter that ends a composition only this.
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("F2")
    page.locator("textarea.rename").fill("Repo")
    press_composing(page, "textarea.rename", "Enter", keyCode=229)
    expect(page.locator("textarea.rename")).to_be_focused()
    page.keyboard.press("Enter")
    shows(page, todo=["Repo"])
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["title"] == "Repo"


def test_the_focus_stays_in_a_column_whose_last_card_is_deleted(page, server):
    server.task("Report", status="doing")
    shows(page, doing=["Report"])
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Delete")
    expect(page.locator("[data-column=doing] .add-open")).to_be_focused()


@pytest.mark.unopened
def test_the_focus_returns_to_the_row_that_was_opened(page, server):
    server.task("Report", dueDate="2021-05-04")
    server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})
    page.goto(server.url + "/?screen=today")
    row = page.locator(".row-open", has_text="Report")
    for key in ("Escape", "Control+Enter"):
        row.click()
        page.locator(".editor textarea[name=body]").fill(f"Words, then {key}")
        page.keyboard.press(key)
        closed(page)
        expect(row).to_be_focused()
    exam = page.locator(".row-open", has_text="Exam")
    exam.click()
    page.locator("dialog input").first.fill("Exam in May")
    page.keyboard.press("Enter")
    expect(exam).to_be_focused()


def test_screen_readers_hear_of_the_connection(page, server):
    server.stop()
    expect(page.locator("#announcer")).to_have_text("Offline")
    server.start()
    expect(page.locator("#announcer")).to_have_text("Saved")


def press_foreign(page, key, code, **members):
    """A key while another script is on."""
    page.evaluate(
        "(event) => (document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...event }))",
        {"key": key, "code": code, **members},
    )


def test_shortcuts_work_while_hangul_or_kana_is_on(page, server):
    server.task("Report")
    shows(page, todo=["Report"])
    press_foreign(page, "ㅅ", "KeyT")
    expect(page.get_by_role("heading", name="Today", level=1)).to_be_visible()
    press_foreign(page, "こ", "KeyB")
    card(page, "Report").locator(".open").focus()
    press_foreign(page, "ㅡ", "KeyM")
    expect(page.get_by_role("menu")).to_be_visible()
    page.keyboard.press("Escape")
    press_foreign(page, "め", "Slash")
    expect(page.locator("#search")).to_be_focused()
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Delete")
    shows(page, todo=[])
    press_foreign(page, "ㅋ", "KeyZ", ctrlKey=True)
    shows(page, todo=["Report"])


@pytest.mark.unopened
def test_shortcuts_of_a_single_letter_can_be_turned_off(page, server):
    server.task("Report")
    page.goto(server.url + "/?screen=settings")
    page.get_by_label("Shortcuts of a single letter").uncheck()
    saved(page)
    assert server.call("GET", "/settings")["custom"] == {"shortcuts": False}
    page.goto(server.url)
    shows(page, todo=["Report"])
    card(page, "Report").locator(".open").focus()
    for key in ("t", "?", "m", "/"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("menu")).to_have_count(0)
    expect(page.locator("dialog")).to_have_count(0)
    expect(card(page, "Report").locator(".open")).to_be_focused()
    page.keyboard.press("Delete")
    shows(page, todo=[])


def test_screen_readers_hear_what_was_found_deleted_restored_and_not_moved(page, server):
    announcer = page.locator("#announcer")
    for title in ("Report", "Reply"):
        server.task(title)
    shows(page, todo=["Report", "Reply"])
    page.locator("#search").fill("rep")
    expect(announcer).to_have_text("2 tasks")
    page.locator("#search").fill("repo")
    expect(announcer).to_have_text("1 task")
    page.locator("#search").fill("nowhere")
    expect(announcer).to_have_text("Nothing matches.")
    page.locator("#search").fill("")

    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Delete")
    expect(announcer).to_have_text("Deleted: Report. Reply")
    page.keyboard.press("Control+z")
    expect(announcer).to_have_text("Restored: Report")

    open_filters(page)
    page.get_by_label("Order").select_option("title")
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Shift+ArrowUp")
    expect(announcer).to_have_text("The board is sorted. Choose “My order” to move tasks up and down.")
    shows(page, todo=["Reply", "Report"])


def test_the_arrows_go_on_below_the_first_cards_of_a_long_column(page, server):
    server.fill(100, ("todo",))
    card(page, "Task 0").locator(".open").focus()
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    expect(card(page, "Task 40").locator(".open")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(card(page, "Task 39").locator(".open")).to_be_focused()


def test_a_delete_key_that_is_held_down_deletes_one_task(page, server):
    for number in range(4):
        server.task(f"Task {number}")
    shows(page, todo=[f"Task {number}" for number in range(4)])
    card(page, "Task 0").locator(".open").focus()
    for _ in range(3):
        page.keyboard.down("Delete")
    page.keyboard.up("Delete")
    assert columns(page)["todo"] == ["Task 1", "Task 2", "Task 3"]


def test_a_menu_is_closed_by_its_button(page):
    more = page.locator("#more")
    for _ in range(2):
        more.click()
        expect(page.get_by_role("menu")).to_be_visible()
        expect(more).to_have_attribute("aria-expanded", "true")
        more.click()
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(more).to_have_attribute("aria-expanded", "false")
        expect(more).to_be_focused()


def test_a_menu_opens_where_its_card_is_though_another_was_open_before(page, server):
    server.fill(100, ("todo",))
    for number in (0, 40):
        card(page, f"Task {number}").locator(".open").focus()
        page.keyboard.press("m")
        expect(page.get_by_role("menu")).to_be_visible()
        expect(card(page, f"Task {number}")).to_be_in_viewport()
        page.keyboard.press("Escape")
        expect(card(page, f"Task {number}").locator(".more")).to_be_focused()
        for _ in range(0 if number else 40):
            page.keyboard.press("ArrowDown")


@pytest.mark.unopened
def test_the_focus_stays_when_another_device_changes_the_rows(page, server):
    first, second = server.task("Cook"), server.task("Wash")
    for task in (first, second):
        server.call("DELETE", f"/tasks/{task['id']}")
    page.goto(server.url + "/?screen=trash")
    loaded(page)
    button = page.get_by_role("button", name="Restore Cook")
    button.focus()
    server.call("POST", f"/tasks/{second['id']}/restore")
    expect(page.get_by_role("button", name="Restore Wash")).to_have_count(0)
    expect(button).to_be_focused()
    page.goto(server.url + "/?screen=history")
    loaded(page)
    row = page.locator(".row-open", has_text="Wash").first
    row.focus()
    server.task("Iron")
    page.locator(".history", has_text="Iron").wait_for()
    expect(row).to_be_focused()


@pytest.mark.unopened
def test_the_focus_goes_to_the_row_in_the_place_of_a_deleted_one(page, server):
    for day, title in enumerate(("Cook", "Wash"), 1):
        server.task(title, dueDate=f"2021-05-0{day}")
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Cook").click()
    page.locator("dialog.editor .danger").click()
    closed(page)
    expect(page.locator(".row-open", has_text="Wash")).to_be_focused()
