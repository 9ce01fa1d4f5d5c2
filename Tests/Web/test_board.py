"""The board itself: moving, adding, undoing, its keys, its sizes, its dates."""

import datetime

import pytest

from playwright.sync_api import expect

from harness import add, becomes, card, closed, open_filters, saved, shows, wait_for


def in_sight(page, title):
    return page.evaluate(
        """(title) => {
            const card = [...document.querySelectorAll('.card')].find((card) => card.querySelector('.open')?.textContent === title);
            if (!card) return false;
            const at = card.getBoundingClientRect(), list = card.closest('.scroll').getBoundingClientRect();
            return at.top >= list.top - 1 && at.bottom <= Math.min(list.bottom, innerHeight) + 1 && at.left >= 0 && at.right <= innerWidth;
        }""",
        title,
    )


def focused(page, words):
    """Waits until the focus is on what has these words."""
    wait_for(page, "(words) => document.activeElement.textContent === words", words)


def test_a_new_card_of_a_long_column_is_scrolled_to(page, server):
    server.fill(300, ("todo",))
    wait_for(page, "() => document.querySelector('[data-column=todo] .count').textContent === '300'")
    page.locator("[data-column=todo] .scroll").evaluate("(scroll) => { scroll.scrollTop = 0; }")
    page.keyboard.press("n")
    page.keyboard.type("At the end")
    page.keyboard.press("Enter")
    becomes(True, lambda: in_sight(page, "At the end"))
    wait_for(page, "() => document.activeElement.closest('form.add') !== null")


def test_a_moved_card_is_shown_with_the_focus_on_it(page, server):
    server.fill(300, ("doing",))
    server.task("Mover")
    wait_for(page, "() => document.querySelector('[data-column=doing] .count').textContent === '300'")
    card(page, "Mover").locator(".open").focus()
    page.keyboard.press("Shift+ArrowRight")
    becomes(True, lambda: in_sight(page, "Mover"))
    focused(page, "Mover")
    expect(page.locator("#announcer")).to_contain_text("Mover")
    saved(page)
    assert server.call("GET", "/tasks?status=doing&sort=-position&limit=1")["items"][0]["title"] == "Mover"


def test_every_deletion_can_be_undone_and_comes_back_to_its_place(page, server):
    for title in ("a", "b", "c", "d"):
        server.task(title)
    wait_for(page, "() => document.querySelectorAll('.card').length === 4")
    for title in ("b", "c"):
        card(page, title).locator(".open").focus()
        page.keyboard.press("Delete")
    shows(page, todo=["a", "d"])
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    shows(page, todo=["a", "b", "c", "d"])
    saved(page)
    assert [task["title"] for task in server.tasks()] == ["a", "b", "c", "d"]


def test_a_move_can_be_undone(page, server):
    for title in ("a", "b", "c"):
        server.task(title)
    wait_for(page, "() => document.querySelectorAll('.card').length === 3")
    card(page, "b").locator(".open").focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Control+z")
    shows(page, todo=["a", "b", "c"], doing=[], done=[])
    saved(page)
    assert [task["title"] for task in server.tasks("&status=todo")] == ["a", "b", "c"]


def drag(page, title, x, y):
    at = card(page, title).bounding_box()
    page.mouse.move(at["x"] + 40, at["y"] + 15)
    page.mouse.down()
    page.mouse.move(at["x"] + 60, at["y"] + 25, steps=2)
    page.mouse.move(x, y, steps=5)
    page.mouse.up()


def test_a_card_is_dropped_after_the_last_and_into_an_empty_column(page, server):
    for title in ("a", "b", "c"):
        server.task(title)
    wait_for(page, "() => document.querySelectorAll('.card').length === 3")
    last = card(page, "c").bounding_box()
    drag(page, "a", last["x"] + 40, last["y"] + last["height"] + 60)
    shows(page, todo=["b", "c", "a"])
    done = page.locator("[data-column=done]").bounding_box()
    drag(page, "c", done["x"] + 100, done["y"] + 300)
    shows(page, todo=["b", "a"], doing=[], done=["c"])
    saved(page)
    assert [task["title"] for task in server.tasks("&status=todo")] == ["b", "a"]


def test_a_card_is_dragged_with_a_finger_after_a_long_press(browser, server):
    for title in ("a", "b", "c"):
        server.task(title)
    context = browser(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(server.url)
    wait_for(page, "() => document.querySelectorAll('.card').length === 3")
    saved(page)
    touch = context.new_cdp_session(page)
    at, last = card(page, "a").bounding_box(), card(page, "c").bounding_box()
    point = lambda y: [{"x": at["x"] + 60, "y": y}]
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": point(at["y"] + 20)})
    page.wait_for_selector(".ghost")
    for step in range(1, 9):
        y = at["y"] + 20 + (last["y"] + last["height"] + 20 - at["y"] - 20) * step / 8
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": point(y)})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    shows(page, todo=["b", "c", "a"])
    # The menu does the same without dragging.
    card(page, "a").locator(".more").tap()
    page.get_by_role("menuitem", name="Move to the top").tap()
    shows(page, todo=["a", "b", "c"])
    saved(page)
    assert [task["title"] for task in server.tasks()] == ["a", "b", "c"]


@pytest.mark.parametrize("widths, has_touch", [([320, 390, 720, 768, 900], True), ([1024, 1280, 1680], False)])
def test_nothing_sticks_out_at_any_width(browser, server, widths, has_touch):
    category = server.call("POST", "/categories", {"name": "A category with a rather long name", "color": "#0369a1"})
    server.task("Word" * 50, dueDate="2031-01-01T10:00:00Z", categoryId=category["id"])
    server.task("Another", status="doing")
    page = browser(viewport={"width": widths[0], "height": 800}, has_touch=has_touch).new_page()
    page.goto(server.url)
    wait_for(page, "() => document.querySelectorAll('.card').length === 2")
    page.wait_for_selector(".card .category")
    out = lambda: page.evaluate(
        """() => [...document.querySelectorAll('.card *')].filter((element) => {
            const at = element.getBoundingClientRect(), card = element.closest('.card').getBoundingClientRect();
            return at.width && (at.right > card.right + 1 || at.left < card.left - 1);
        }).map((element) => element.outerHTML.slice(0, 80))"""
    )
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        assert out() == [], width
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width
    saved(page)
    page.context.set_offline(True)
    add(page, "Not sent yet")
    wait_for(page, "() => document.querySelector('#state').dataset.kind === 'offline'")
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), width
        state = page.locator("#state").bounding_box()
        assert state["x"] >= 0 and state["x"] + state["width"] <= width


def test_at_400_percent_the_list_has_room(browser, server):
    server.fill(30)
    page = browser(viewport={"width": 320, "height": 200}).new_page()
    page.goto(server.url)
    page.wait_for_selector(".card")
    becomes(True, lambda: page.locator("[data-column=todo] .scroll").bounding_box()["height"] > 400)
    page.locator("[data-column=done] .card").last.scroll_into_view_if_needed()
    wait_for(page, "() => scrollY > 0")


def test_printing_shows_every_card(browser, server):
    server.fill(400)
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator(".card")).to_have_count(400)
    wait_for(page, "() => [...document.querySelectorAll('.scroll')].every((list) => list.scrollHeight <= list.clientHeight + 1)")
    for part in (".top", ".skip", ".round", ".toasts"):
        expect(page.locator(part)).to_be_hidden()


@pytest.mark.parametrize("language, line, title", [("en", "Call mum tomorrow 3pm #family", "Call mum"), ("ko", "보고서 내일 3시 #회사", "보고서"), ("ja", "買い物 明日 15時 #家", "買い物")])
def test_quick_add_reads_dates_and_categories(browser, server, language, line, title):
    page = browser(language, timezone_id="Asia/Seoul").new_page()
    page.goto(server.url)
    saved(page)
    seoul = datetime.timezone(datetime.timedelta(hours=9))
    tomorrow = lambda: (datetime.datetime.now(seoul) + datetime.timedelta(days=1)).date()
    before = tomorrow()
    add(page, line)
    saved(page)
    task = server.tasks()[0]
    due = datetime.datetime.fromisoformat(task["dueDate"].replace("Z", "+00:00")).astimezone(seoul)
    assert task["title"] == title
    assert due.date() in (before, tomorrow())
    assert (due.hour, due.minute) == (15, 0)
    name = line.split("#")[1]
    assert [category["name"] for category in server.call("GET", "/categories")["items"]] == [name]
    expect(card(page, title)).to_contain_text(name)


def test_an_empty_line_adds_nothing(page, server):
    page.locator("[data-column=todo] .add-open").click()
    for words in ("", "   "):
        page.locator(".add:visible input").fill(words)
        page.keyboard.press("Enter")
    saved(page)
    assert server.tasks() == []


def test_a_time_without_a_date_gets_one_and_control_enter_saves(page, server):
    server.task("Call")
    card(page, "Call").locator(".open").click()
    page.locator("[name=time]").fill("15:30")
    page.locator("[name=time]").dispatch_event("change")
    page.locator("[name=title]").focus()
    page.keyboard.press("Control+Enter")
    closed(page)
    saved(page)
    assert server.tasks()[0]["dueDate"] is not None


def test_lengths_are_counted_as_the_server_counts(page, server):
    fits = "👍" * 200
    add(page, fits)
    saved(page)
    assert server.tasks()[0]["title"] == fits
    add(page, "👍" * 201)
    saved(page)
    assert len(server.tasks()) == 1
    expect(page.locator("[data-column=todo] .add input")).to_have_value("👍" * 201)


def test_the_language_and_the_zone_are_those_of_the_account(browser, server):
    server.call("PATCH", "/settings", {"locale": "ko", "timeZone": "Pacific/Kiritimati"})
    zone = datetime.timezone(datetime.timedelta(hours=14))
    day = datetime.datetime.now(zone).date()
    server.task("Due there today", dueDate=day.isoformat())
    page = browser("en", timezone_id="America/Los_Angeles").new_page()
    page.goto(server.url)
    page.wait_for_selector("[data-column=todo] .name:has-text('할 일')")
    expect(card(page, "Due there today")).to_contain_text("오늘")
    server.call("PATCH", "/settings", {"locale": "ja"})
    page.wait_for_selector("[data-column=todo] .name:has-text('未着手')")


def test_due_marks_change_at_midnight(browser, server):
    today = datetime.datetime.now(datetime.timezone.utc)
    server.task("Due", dueDate=today.date().isoformat())
    context = browser(timezone_id="UTC")
    page = context.new_page()
    # Far from midnight, so that a slow page does not get there by itself.
    page.clock.install(time=today.replace(hour=12, minute=0, second=0))
    page.goto(server.url)
    expect(card(page, "Due")).to_contain_text("Today")
    page.clock.fast_forward("12:00:05")
    page.wait_for_selector(".card .due.overdue")
    expect(card(page, "Due")).to_contain_text("D+1")


def test_messages_cover_no_heading(page, server):
    server.task("a")
    card(page, "a").locator(".open").focus()
    page.keyboard.press("Delete")
    toast = page.locator(".toast").bounding_box()
    for heading in page.locator(".column h2").all():
        at = heading.bounding_box()
        assert at["y"] + at["height"] < toast["y"]


def test_fields_are_large_enough_for_phones_and_buttons_name_their_task(browser, server):
    server.task("Report")
    page = browser(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    page.goto(server.url)
    card(page, "Report").locator(".open").tap()
    page.wait_for_selector("dialog.editor[open]")
    sizes = page.evaluate("() => [...document.querySelectorAll('input, textarea, select')].map((field) => parseFloat(getComputedStyle(field).fontSize))")
    assert min(size for size in sizes if size) >= 14
    typed = page.evaluate("() => [...document.querySelectorAll('dialog input, dialog textarea, dialog select, input[type=search]')].map((field) => parseFloat(getComputedStyle(field).fontSize))")
    assert min(typed) >= 16
    assert "Report" in card(page, "Report").locator(".more").get_attribute("aria-label")


def test_the_whole_board_works_with_the_keyboard_alone(page, server):
    page.keyboard.press("n")
    page.keyboard.type("Typed")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.locator("body").evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowDown")
    focused(page, "Typed")
    page.keyboard.press("m")
    page.keyboard.press("e")
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog.editor[open]")
    page.keyboard.type(" more")
    page.keyboard.press("Control+Enter")
    closed(page)
    focused(page, "Typed more")
    page.keyboard.press("?")
    page.wait_for_selector("dialog.help[open]")
    page.keyboard.press("Escape")
    saved(page)
    assert server.tasks()[0]["title"] == "Typed more"


@pytest.mark.unopened
def test_any_query_opens_the_board_and_a_wrong_address_is_a_page(page, server):
    page.goto(server.url + "/?utm_source=x")
    page.wait_for_selector(".column")
    for wrong in ("/nothing/here", "/problems/nonsense", "/docs/nonsense"):
        answer = page.goto(server.url + wrong)
        assert answer.status == 404
        expect(page.get_by_role("link", name="the board")).to_be_visible()
    page.goto(server.url + "/problems/not_found")
    page.get_by_role("link", name="the board").click()
    page.wait_for_selector(".column")


def test_many_categories_leave_everything_in_reach(page, server):
    for number in range(60):
        server.call("POST", "/categories", {"name": f"Category number {number:02}"})
    for width, height in ((1280, 800), (800, 600), (390, 844), (320, 400)):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        open_filters(page)
        expect(page.locator(".chip")).to_have_count(61)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        for label in ("Due", "Order"):
            expect(page.get_by_label(label, exact=True)).to_be_in_viewport(ratio=1)
        chips = page.locator(".chips")
        assert chips.evaluate("(chips) => chips.scrollWidth <= chips.clientWidth")
        page.mouse.move(*(chips.bounding_box()[side] + 20 for side in ("x", "y")))
        page.mouse.wheel(0, 5000)
        expect(page.locator(".chip").last).to_be_in_viewport(ratio=1)


def test_visits_of_other_screens_leave_nothing_behind(page, server):
    """Neither listeners of the boards before, nor a line that was added from one of them."""
    session = page.context.new_cdp_session(page)

    def listeners():
        window = session.send("Runtime.evaluate", {"expression": "window"})["result"]["objectId"]
        return len(session.send("DOMDebugger.getEventListeners", {"objectId": window})["listeners"])

    def visit_today():
        page.get_by_role("link", name="Today").click()
        page.wait_for_selector("main h1")
        page.go_back()
        page.locator("#board").wait_for()

    visit_today()
    before = listeners()
    page.keyboard.press("n")
    page.keyboard.type("Milk")
    visit_today()
    visit_today()
    assert listeners() == before

    line = page.locator("[data-column=todo] .add input")
    expect(line).to_have_value("Milk")
    line.press("Enter")
    shows(page, todo=["Milk"])
    saved(page)
    # Another tab adds a line, too, which deletes the draft of both.
    other = page.context.new_page()
    other.goto(server.url)
    add(other, "Bread")
    shows(page, todo=["Milk", "Bread"])
    saved(page)
    page.reload()
    shows(page, todo=["Milk", "Bread"])
    expect(page.locator("[data-column=todo] form.add")).to_be_hidden()
