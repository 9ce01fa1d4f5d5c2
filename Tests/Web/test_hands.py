"""What hands do a hundred times a day: adding, opening, dragging, on a large screen and on a phone."""

import datetime

import pytest
from playwright.sync_api import expect

from harness import becomes, card, closed, saved, shows, wait_for
from test_words import open_task

PHONE = {"viewport": {"width": 412, "height": 732}, "has_touch": True, "is_mobile": True}


def in_view(locator):
    return locator.evaluate(
        """(element) => { const at = element.getBoundingClientRect();
            const top = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
            return at.top >= 0 && at.bottom <= innerHeight && (element === top || element.contains(top)); }"""
    )


def open_board(page, server, count):
    page.goto(server.url)
    wait_for(page, "(count) => document.querySelectorAll('.card').length >= count", count)
    saved(page)


def finger(page):
    """Moves a finger: `down`, `move` and `up`."""
    touch = page.context.new_cdp_session(page)
    send = lambda kind, *points: touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})
    return (lambda x, y: send("touchStart", (x, y))), (lambda x, y: send("touchMove", (x, y))), (lambda: send("touchEnd"))


def test_the_line_of_a_long_column_is_in_sight(browser, server):
    server.fill(60, ("todo",))
    page = browser(viewport={"width": 1440, "height": 800}).new_page()
    open_board(page, server, 20)
    button = page.locator("[data-column=todo] .add-open")
    page.locator("[data-column=todo] .card").nth(15).scroll_into_view_if_needed()
    assert in_view(button)
    page.keyboard.press("n")
    line = page.locator("[data-column=todo] .add input")
    expect(line).to_be_focused()
    assert in_view(line)
    page.keyboard.type("New")
    page.keyboard.press("Enter")
    becomes(True, lambda: card(page, "New").count() == 1 and in_view(card(page, "New")))
    assert in_view(line)


def test_one_round_button_adds_to_the_column_that_a_phone_shows(browser, server):
    server.fill(60, ("todo",))
    page = browser(**PHONE).new_page()
    open_board(page, server, 20)
    page.locator("[data-tab=doing]").tap()
    expect(page.locator("[data-tab=doing]")).to_have_attribute("aria-pressed", "true")
    round = page.locator(".round")
    assert in_view(round)
    box = round.bounding_box()
    assert box["width"] >= 48 and box["height"] >= 48
    round.tap()
    line = page.locator("[data-column=doing] .add input")
    expect(line).to_be_focused()
    assert in_view(line)
    expect(round).to_be_hidden()
    page.keyboard.type("Here")
    page.keyboard.press("Enter")
    shows(page, doing=["Here"])
    page.locator("[data-column=doing] .add").get_by_role("button", name="Close").tap()
    expect(round).to_be_focused()


@pytest.mark.parametrize("status", ["todo", "doing", "done"])
def test_a_double_click_opens_the_editor_once(page, server, status):
    server.task("Report", status=status)
    shows(page, **{status: ["Report"]})
    card(page, "Report").locator(".open").dblclick()
    page.wait_for_selector("dialog.editor[open]")
    wait_for(page, "() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(true), 100)))")
    expect(page.locator("dialog.editor[open]")).to_have_count(1)
    # A click beside it closes it.
    page.mouse.click(5, 5)
    expect(page.locator("dialog.editor")).to_have_count(0)


@pytest.mark.parametrize("width, height, left", [(412, 732, 400), (360, 640, 320)])
def test_a_soft_keyboard_moves_nothing_away(browser, server, width, height, left):
    server.fill(30, ("todo",))
    page = browser(viewport={"width": width, "height": height}, has_touch=True, is_mobile=True).new_page()
    open_board(page, server, 10)
    page.locator(".round").tap()
    line = page.locator("[data-column=todo] .add input")
    before = line.bounding_box()["y"]
    page.set_viewport_size({"width": width, "height": left})
    wait_for(page, "(height) => innerHeight === height", left)
    expect(line).to_be_focused()
    assert in_view(line)
    assert line.bounding_box()["y"] <= before
    assert page.locator(".tabs").is_visible()
    page.keyboard.type("Typed")
    page.keyboard.press("Enter")
    becomes(True, lambda: in_view(line))
    page.set_viewport_size({"width": width, "height": height})
    wait_for(page, "(height) => innerHeight === height", height)
    line.blur()
    assert page.locator(".top nav").is_visible()


def test_toasts_leave_room_for_the_round_button_and_for_the_bar_of_picked_cards(browser, server):
    server.task("a")
    page = browser(**PHONE).new_page()
    open_board(page, server, 1)
    bottom = "() => getComputedStyle(document.querySelector('.toasts')).bottom"
    assert page.evaluate(bottom) == "138px"
    page.evaluate("document.documentElement.classList.add('picking')")
    assert page.evaluate(bottom) == "182px"


@pytest.mark.parametrize("motion, scrolling", [("no-preference", "smooth"), ("reduce", "auto")])
def test_a_card_held_at_the_edge_of_a_phone_goes_one_column(browser, server, motion, scrolling):
    for title in ("a", "b"):
        server.task(title)
    page = browser(**PHONE, reduced_motion=motion).new_page()
    page.add_init_script("""window.scrollings = [];
        const { scrollIntoView } = Element.prototype;
        Element.prototype.scrollIntoView = function (options) { if (this.matches('.column')) window.scrollings.push(options.behavior); return scrollIntoView.call(this, options); };""")
    open_board(page, server, 2)
    down, move, up = finger(page)
    at = card(page, "a").bounding_box()
    down(at["x"] + 60, at["y"] + 20)
    page.wait_for_selector(".ghost")
    move(300, 300)
    move(405, 300)
    wait_for(page, "() => Math.abs(document.querySelector('[data-column=doing]').getBoundingClientRect().left - 12) < 2")
    # It stays there, however long the finger does.
    for y in range(301, 331):
        move(405, y)
    move(300, 330)
    page.wait_for_selector("[data-column=doing] .slot")
    up()
    shows(page, todo=["b"], doing=["a"], done=[])
    assert page.evaluate("() => scrollings") == [scrolling]


@pytest.mark.parametrize("title, wanted", [("a", ["b", "c", "a"]), ("x", ["a", "b", "c", "x"])])
def test_a_card_that_is_dropped_on_the_lower_half_of_the_last_is_last(page, server, title, wanted):
    for one in ("a", "b", "c"):
        server.task(one)
    server.task("x", status="doing")
    shows(page, todo=["a", "b", "c"], doing=["x"])
    last = card(page, "c").bounding_box()
    at = card(page, title).bounding_box()
    page.mouse.move(at["x"] + 60, at["y"] + 15)
    page.mouse.down()
    # Over the others on the way.
    first = card(page, "a").bounding_box()
    page.mouse.move(first["x"] + 60, first["y"] + 20, steps=3)
    page.mouse.move(last["x"] + 60, last["y"] + last["height"] * 0.75, steps=8)
    page.mouse.up()
    shows(page, todo=wanted)


def test_what_is_released_after_escape_opens_nothing(page, server):
    server.task("a")
    shows(page, todo=["a"])
    at = card(page, "a").bounding_box()
    page.mouse.move(at["x"] + 60, at["y"] + 15)
    page.mouse.down()
    page.mouse.move(at["x"] + 80, at["y"] + 40, steps=3)
    page.wait_for_selector(".ghost")
    page.keyboard.press("Escape")
    page.mouse.move(at["x"] + 60, at["y"] + 15)
    page.mouse.up()
    expect(page.locator("dialog.editor")).to_have_count(0)
    card(page, "a").locator(".open").click()
    page.wait_for_selector("dialog.editor[open]")


def test_a_circle_finishes_a_task_and_the_board_stays(browser, server):
    for title in ("a", "b", "c"):
        server.task(title)
    page = browser(**PHONE).new_page()
    open_board(page, server, 3)
    page.get_by_role("button", name="Done: b", exact=True).tap()
    shows(page, todo=["a", "c"], done=["b"])
    assert abs(page.locator("[data-column=todo]").bounding_box()["x"] - 12) < 2
    page.locator(".toast").get_by_role("button", name="Undo").tap()
    shows(page, todo=["a", "b", "c"], done=[])
    # With the keyboard, the next one has the focus.
    page.get_by_role("button", name="Done: a", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Done: b", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    shows(page, todo=[], done=["a", "b", "c"])
    page.locator("[data-tab=done]").tap()
    page.get_by_role("button", name="Not done: a", exact=True).tap()
    shows(page, todo=["a"], done=["b", "c"])
    saved(page)
    assert [task["title"] for task in server.tasks("&status=todo")] == ["a"]


PASTED = "- Milk\n- [ ] Bread tomorrow\n\n* Eggs #food\n4. Tea"


def paste(page, words):
    page.locator(".add:visible input").first.evaluate(
        """(input, words) => {
            const data = new DataTransfer();
            data.setData('text/plain', words);
            input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        }""",
        words,
    )


def test_pasted_lines_are_tasks_or_one(page, server):
    page.keyboard.press("n")
    line = page.locator("[data-column=todo] .add input")
    paste(page, PASTED)
    expect(page.locator(".add:visible")).to_contain_text("4 lines: 4 tasks or one?")
    expect(page.get_by_role("button", name="4 tasks")).to_be_focused()
    page.keyboard.press("Enter")
    shows(page, todo=["Milk", "Bread", "Eggs", "Tea"])
    expect(line).to_be_focused()
    saved(page)
    assert [task["dueDate"] is not None for task in server.tasks()] == [False, True, False, False]
    # One step takes all of them back.
    page.locator(".toast").get_by_role("button", name="Undo").click()
    shows(page, todo=[])
    line.focus()
    paste(page, PASTED)
    page.get_by_role("button", name="One task").click()
    expect(line).to_have_value("Milk Bread tomorrow Eggs #food Tea")
    line.fill("")
    paste(page, "x" * 250 + "\nShort")
    page.get_by_role("button", name="2 tasks").click()
    shows(page, todo=["x" * 199 + "…", "Short"])
    saved(page)
    assert server.tasks()[0]["body"] == "x" * 250


def test_many_pasted_lines_are_tasks_and_a_book_is_for_the_import(page, server):
    page.keyboard.press("n")
    line = page.locator("[data-column=todo] .add input")
    paste(page, "\n".join(f"Line {number}" for number in range(1000)))
    page.locator(".add:visible [role=group] button.primary").click()
    saved(page)
    assert server.tasks()[199]["title"] == "Line 199"
    assert server.tasks("&q=999")[0]["title"] == "Line 999"
    page.locator(".toast").get_by_role("button", name="Undo").click()
    shows(page, todo=[])
    saved(page)
    line.focus()
    # As the browser itself would paste it.
    assert not line.evaluate(
        """(input) => {
            const data = new DataTransfer();
            data.setData('text/plain', 'Line\\n'.repeat(1001));
            return input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.locator(".toast.fault")).to_contain_text("1,001 lines are too many to paste.")
    expect(line).to_have_value("")


def test_what_was_read_is_a_chip_that_one_key_takes_away(page, server):
    page.keyboard.press("n")
    page.keyboard.type("Call mum tomorrow #family")
    chips = page.locator("[data-column=todo] .read")
    expect(chips).to_have_count(2)
    expect(chips.nth(1)).to_contain_text("Tomorrow")
    chips.nth(0).click()
    expect(chips).to_have_count(1)
    page.keyboard.press("Escape")
    expect(chips).to_have_count(0)
    page.keyboard.type("!")
    expect(chips).to_have_count(0)
    page.keyboard.press("Enter")
    shows(page, todo=["Call mum tomorrow #family!"])
    page.keyboard.type("Call tomorrow")
    expect(chips).to_have_count(1)
    page.keyboard.press("Enter")
    shows(page, todo=["Call mum tomorrow #family!", "Call"])
    page.keyboard.press("Escape")
    expect(page.locator("[data-column=todo] .add-open")).to_be_focused()
    saved(page)
    assert [task["dueDate"] is None for task in server.tasks()] == [True, False]
    assert server.call("GET", "/categories")["items"] == []


def test_a_year_of_two_digits_is_of_this_century(page, server):
    task = server.task("Report")
    dday = server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})["id"]
    editor = open_task(page, "Report")
    editor.locator("[name=date]").fill("0031-05-04")
    page.keyboard.press("Control+Enter")
    closed(page)
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["dueDate"] == "2031-05-04"
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Exam").click()
    page.locator("dialog input[type=date]").fill("0032-05-04")
    page.locator("dialog button.primary").click()
    becomes("2032-05-04", lambda: server.call("GET", f"/ddays/{dday}")["date"])


@pytest.mark.unopened
def test_the_editor_sets_days_and_makes_a_category_only_when_asked(page, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    task = server.task("Report")
    page.goto(server.url)
    editor = open_task(page, "Report")
    day = editor.locator("[name=date]")
    today = datetime.date.fromisoformat(page.evaluate("() => new Intl.DateTimeFormat('sv').format()"))
    for label, wanted in (
        ("Today", today), ("Tomorrow", today + datetime.timedelta(days=1)),
        ("Next week", today + datetime.timedelta(days=7 - today.weekday())), ("Remove the date", ""),
    ):
        editor.get_by_role("button", name=label, exact=True).click()
        expect(day).to_have_value(str(wanted))
    editor.get_by_role("button", name="Tomorrow", exact=True).click()
    choice = editor.locator("select[name=category]")
    assert choice.locator("option").all_inner_texts() == ["Uncategorized", "Home", "New category…"]
    choice.select_option("Home")
    page.keyboard.press("Control+Enter")
    closed(page)
    saved(page)
    seen = server.call("GET", f"/tasks/{task['id']}")
    assert (seen["categoryId"], seen["dueDate"]) == (home, str(today + datetime.timedelta(days=1)))

    editor = open_task(page, "Report")
    editor.locator("select[name=category]").select_option(label="New category…")
    line = editor.locator("[name=newCategory]")
    expect(line).to_be_focused()
    line.fill("Work")
    # Closing makes it.
    page.keyboard.press("Escape")
    closed(page)
    editor = open_task(page, "Report")
    expect(editor.locator("select[name=category] option:checked")).to_have_text("Work")
    page.keyboard.press("Control+Enter")
    closed(page)
    saved(page)
    assert sorted(category["name"] for category in server.call("GET", "/categories")["items"]) == ["Home", "Work"]


@pytest.mark.unopened
def test_a_long_title_can_be_read_whole_and_line_breaks_glue_nothing(page, server):
    title = "Many words " * 17 + "to the end"
    server.task(title)
    server.task("One\nTwo")
    page.goto(server.url)
    page.locator(".card .open").first.click()
    editor = page.locator("dialog.editor[open]")
    control = editor.locator("[name=title]")
    assert control.evaluate("(area) => area.scrollHeight <= area.clientHeight + 1 && area.scrollWidth <= area.clientWidth")
    page.keyboard.press("Enter")
    closed(page)
    page.locator(".card .open").nth(1).click()
    expect(control).to_have_value("One Two")
    page.keyboard.press("Escape")
    closed(page)
    page.locator(".card .open").nth(1).focus()
    page.keyboard.press("F2")
    line = page.locator("textarea.rename")
    line.fill("Three\nFour")
    line.press("Enter")
    saved(page)
    becomes({title, "Three Four"}, lambda: {task["title"] for task in server.tasks()})
