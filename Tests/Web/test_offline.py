"""The board works without a server, and is in step with it again afterwards."""

import json
import subprocess
import time

import pytest
from playwright.sync_api import expect

from harness import (
    CHROMIUM, KANBASE, PATIENCE, SLACK, add, becomes, card, columns, installed, open_filters, open_questions, saved, shows, wait_for)

pytestmark = pytest.mark.worker


def test_edits_made_while_the_server_is_away_arrive_when_it_is_back(page, server):
    server.task("Old")
    page.wait_for_selector(".card")
    installed(page)
    server.stop()
    page.wait_for_selector("#state[data-kind=offline]")
    add(page, "New one")
    card(page, "Old").locator(".open").focus()
    page.keyboard.press("Shift+ArrowRight")
    shows(page, todo=["New one"], doing=["Old"], done=[])
    expect(page.locator("#state")).to_contain_text("2 unsent")
    page.reload()
    shows(page, todo=["New one"], doing=["Old"], done=[])

    server.start()
    saved(page)
    assert [(task["title"], task["status"]) for task in server.tasks()] in (
        [("New one", "todo"), ("Old", "doing")],
        [("Old", "doing"), ("New one", "todo")],
    )


def test_the_page_opens_without_a_server(browser, server):
    context = browser()
    page = context.new_page()
    server.task("Kept")
    page.goto(server.url)
    installed(page)
    saved(page)
    server.stop()

    page.goto(server.url + "/?due=none")
    shows(page, todo=["Kept"])
    server.start()
    saved(page)


def test_a_server_restored_from_a_backup_gets_the_edits_and_gives_its_state(page, server, tmp_path):
    server.task("In the backup")
    page.wait_for_selector(".card")
    backup = str(tmp_path / "backup")
    subprocess.run([KANBASE, "backup", "--data", server.data, backup], check=True, capture_output=True)
    server.task("After the backup")
    wait_for(page, "() => document.querySelectorAll('.card').length === 2")
    server.stop()
    page.wait_for_selector("#state[data-kind=offline]")
    add(page, "While away")
    subprocess.run([KANBASE, "restore", "--data", server.data, backup], check=True, capture_output=True)
    server.start()

    # What the backup lacks is a question.
    page.locator("#state", has_text="1 question").wait_for()
    becomes(["In the backup", "While away"], lambda: sorted(columns(page)["todo"]))
    becomes(["In the backup", "While away"], lambda: sorted(task["title"] for task in server.tasks()))


def test_a_server_that_hangs_is_seen_and_makes_no_task_twice(page, server):
    server.hang()
    started = time.monotonic()
    try:
        page.locator("[data-column=todo] .add-open").click()
        page.locator(".add:visible input").fill("Only once")
        for _ in range(3):
            page.keyboard.press("Enter")
        page.wait_for_selector("#state[data-kind=offline]", timeout=20000 * SLACK)
        assert time.monotonic() - started < 20 * SLACK
    finally:
        server.go_on()
    saved(page)
    assert [task["title"] for task in server.tasks()] == ["Only once"]
    shows(page, todo=["Only once"])


def test_two_tabs_share_one_engine(browser, server):
    context = browser()
    pages = [context.new_page(), context.new_page()]
    for page in pages:
        page.goto(server.url)
        saved(page)
    add(pages[1], "From the second tab")
    shows(pages[0], todo=["From the second tab"])
    saved(pages[1])
    assert [task["title"] for task in server.tasks()] == ["From the second tab"]
    streams = pages[0].evaluate(
        "() => Promise.resolve(performance.getEntriesByType('resource').filter(({ name }) => name.includes('/changes?')).length)"
    )
    others = pages[1].evaluate(
        "() => Promise.resolve(performance.getEntriesByType('resource').filter(({ name }) => name.includes('/changes?')).length)"
    )
    assert streams >= 1 and others == 0

    pages[0].close()
    add(pages[1], "The other tab is closed")
    saved(pages[1])
    assert len(server.tasks()) == 2
    server.task("From elsewhere")
    wait_for(pages[1], "() => document.querySelectorAll('.card').length === 3")


@pytest.mark.parametrize("tab", [0, 1])
def test_the_page_says_that_an_edit_is_unsent_in_the_task_that_makes_it(browser, server, tab):
    server.task("Mover")
    context = browser()
    pages = [context.new_page(), context.new_page()]
    for page in pages:
        page.goto(server.url)
        page.wait_for_selector(".card")
        saved(page)
    seen = pages[tab].evaluate(
        """() => {
            const kinds = [];
            const key = (name, shiftKey) => {
                document.querySelector('.card .open').dispatchEvent(new KeyboardEvent('keydown', { key: name, shiftKey, bubbles: true }));
                kinds.push(document.querySelector('#state').dataset.kind, document.querySelector('.card')?.closest('.column').dataset.column);
            };
            key('ArrowRight', true);
            key('ArrowRight', true);
            key('Delete', false);
            return kinds;
        }"""
    )
    assert seen == ["sending", "doing", "sending", "done", "sending", None]
    saved(pages[tab])
    assert server.tasks() == []


def test_what_the_server_refuses_is_shown_until_answered(browser, server):
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    category = server.call("POST", "/categories", {"name": "Gone soon"})
    wait_for(page, "() => document.querySelector('.chip')")
    context.set_offline(True)
    open_filters(page)
    page.locator(".chip").first.click()
    add(page, "With a category")
    server.call("DELETE", f"/categories/{category['id']}")
    context.set_offline(False)

    open_questions(page)
    expect(page.locator(".issue")).to_contain_text("With a category")
    page.get_by_role("button", name="Discard").click()
    saved(page)


def test_a_refused_edit_is_saved_without_the_category_that_is_gone(browser, server):
    task = server.task("Report")
    category = server.call("POST", "/categories", {"name": "Gone soon"})
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    card(page, "Report").locator(".open").click()
    context.set_offline(True)
    editor = page.locator("dialog.editor")
    editor.locator("textarea[name=body]").fill("A long thought")
    editor.locator("select[name=category]").select_option("Gone soon")
    page.keyboard.press("Control+Enter")
    server.call("DELETE", f"/categories/{category['id']}")
    context.set_offline(False)

    open_questions(page)
    page.get_by_role("button", name="Try again").click()
    saved(page)
    seen = server.call("GET", f"/tasks/{task['id']}")
    assert (seen["body"], seen["categoryId"]) == ("A long thought", None)


def test_a_filter_by_a_category_that_is_gone_hides_nothing(browser, server):
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    context.set_offline(True)
    add(page, "Wash #Home")
    open_filters(page)
    page.locator(".chip", has_text="Home").click()
    theirs = server.call("POST", "/categories", {"name": "Home"})["id"]
    context.set_offline(False)
    saved(page)

    # The category of the same name has taken its place.
    add(page, "Cook")
    shows(page, todo=["Wash", "Cook"])
    saved(page)
    becomes([("Wash", theirs), ("Cook", None)], lambda: [(task["title"], task["categoryId"]) for task in server.tasks()])
    open_filters(page)
    page.locator(".chip", has_text="Home").click()
    shows(page, todo=["Wash"])
    page.locator(".chip", has_text="Home").click()
    shows(page, todo=["Wash", "Cook"])


def test_only_what_is_new_is_fetched_after_a_reload(browser, server):
    server.fill(600)
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    installed(page)
    sizes = []
    page.on("requestfinished", lambda request: sizes.append((request.url, request.sizes()["responseBodySize"])))
    page.reload()
    saved(page)
    assert sum(size for url, size in sizes if "/changes" in url and size > 0) < 10000


@pytest.mark.parametrize("answer", [{"json": {}}, {"status": 403, "body": "<p>Please log in to the network.</p>"}])
def test_an_answer_that_is_not_the_servers_stops_nothing(page, server, answer):
    page.route("**/sync", lambda route: route.fulfill(**answer), times=1)
    add(page, "Sent all the same")
    saved(page)
    assert [task["title"] for task in server.tasks()] == ["Sent all the same"]


@pytest.mark.parametrize("answer", [
    {"status": 400, "body": "<h1>Request Header Or Cookie Too Large</h1>"},
    {"status": 410, "json": {"code": "cursor_expired"}},
])
def test_a_feed_that_is_refused_again_and_again_is_asked_less_and_less(page, server, answer):
    asked = []

    def refuse(route):
        asked.append((time.monotonic(), "since=" in route.request.url))
        route.fulfill(**answer)

    page.route("**/changes?*", refuse)
    page.evaluate("() => dispatchEvent(new Event('offline'))")
    deadline = time.monotonic() + PATIENCE
    while len(asked) < 4 and time.monotonic() < deadline:
        page.wait_for_timeout(30)
    assert asked[3][0] - asked[0][0] > 1
    # What a proxy says is not about the cursor.
    assert all(has_cursor for _, has_cursor in asked) == (answer["status"] == 400)
    page.unroute("**/changes?*")
    server.task("Brought all the same")
    shows(page, todo=["Brought all the same"])


def test_what_is_added_while_everything_is_read_again_stays(page, server):
    server.task("Old")
    shows(page, todo=["Old"])
    held, sent = [], []

    def answer(route):
        if "since=" not in route.request.url:
            held.append((route, route.fetch()))
        elif held:
            route.abort()
        else:
            route.fulfill(status=410, json={"code": "cursor_expired"})

    page.route("**/changes?*", answer)
    page.on("request", lambda request: request.url.endswith("/sync") and sent.append(len(held)))
    page.evaluate("() => dispatchEvent(new Event('offline'))")
    becomes(True, lambda: page.evaluate("() => true") and len(held) > 0)
    add(page, "New")
    shows(page, todo=["Old", "New"])
    page.wait_for_selector("#state[data-kind=offline]")
    # The answer would be newer than what was read before it, and go with it.
    assert sent == []
    [route, response] = held[0]
    route.fulfill(response=response)
    becomes(["Old", "New"], lambda: [task["title"] for task in server.tasks()])
    assert columns(page)["todo"] == ["Old", "New"]


def test_a_line_too_slow_for_all_edits_gets_some(page, server):
    server.stop()
    page.wait_for_selector("#state[data-kind=offline]")
    for number in range(6):
        add(page, f"Task {number}")
    sizes = []

    def slow(route):
        sizes.append(len(route.request.post_data_json["mutations"]))
        route.abort() if sizes[-1] > 2 else route.continue_()

    page.route("**/sync", slow)
    server.start()
    saved(page)
    assert len(server.tasks()) == 6 and max(sizes) <= 6


@pytest.mark.parametrize("locale", [None, "ko"])
def test_a_browser_that_refuses_storage_shows_the_board(chromium, server, tmp_path, locale):
    server.call("PATCH", "/settings", {"locale": locale})
    blocked = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (tmp_path / "Default").mkdir()
    (tmp_path / "Default/Preferences").write_text(json.dumps(blocked))
    errors = []
    context = chromium.browser_type.launch_persistent_context(tmp_path, executable_path=CHROMIUM, args=["--no-sandbox"], locale="en-US")
    try:
        context.on("weberror", lambda error: errors.append(str(error.error)))
        page, loads = context.new_page(), []
        page.on("framenavigated", lambda frame: loads.append(frame.url))
        page.goto(server.url)
        saved(page)
        add(page, "Sent at once")
        saved(page)
        shows(page, todo=["Sent at once"])
    finally:
        context.close()
    assert errors == [] and len(loads) == 1
    assert [task["title"] for task in server.tasks()] == ["Sent at once"]
