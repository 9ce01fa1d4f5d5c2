"""What was done can be taken back, newest first."""

import pytest
from playwright.sync_api import expect

from harness import add, card, closed, loaded, saved, shows
from test_words import open_task


@pytest.mark.unopened
def test_a_tick_on_today_can_be_taken_back(page, server):
    server.task("Report", dueDate="2021-05-04")
    page.goto(server.url + "/?screen=today")
    page.get_by_role("button", name="Done: Report").click()
    expect(page.locator(".row-open", has_text="Report")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".row-open", has_text="Report")).to_be_visible()
    saved(page)
    assert [task["status"] for task in server.tasks()] == ["todo"]


def test_edits_and_moves_are_undone_newest_first(page, server):
    first = server.task("First")
    task = server.task("Report", body="Words")
    shows(page, todo=["First", "Report"])
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Shift+ArrowUp")
    shows(page, todo=["Report", "First"])
    page.keyboard.press("F2")
    page.locator("textarea.rename").fill("Reply")
    page.keyboard.press("Enter")
    editor = open_task(page, "Reply")
    editor.locator("textarea[name=body]").fill("More words")
    editor.locator("select[name=status]").select_option("done")
    editor.locator("input[type=date]").fill("2031-05-04")
    editor.locator("input[type=time]").fill("15:00")
    page.keyboard.press("Control+Enter")
    closed(page)
    shows(page, todo=["First"], done=["Reply"])
    saved(page)

    page.keyboard.press("Control+z")
    shows(page, todo=["Reply", "First"], done=[])
    saved(page)
    now = server.call("GET", f"/tasks/{task['id']}")
    assert (now["body"], now["dueDate"]) == ("Words", None)
    page.keyboard.press("Control+z")
    shows(page, todo=["Report", "First"])
    page.keyboard.press("Control+z")
    shows(page, todo=["First", "Report"])
    saved(page)
    assert [one["id"] for one in server.tasks("&status=todo")] == [first["id"], task["id"]]


def test_undo_takes_nothing_from_others(page, server):
    task = server.task("Report", body="Words")
    shows(page, todo=["Report"])
    editor = open_task(page, "Report")
    editor.locator("textarea[name=body]").fill("Mine")
    editor.locator("[name=title]").fill("Reply")
    page.keyboard.press("Control+Enter")
    closed(page)
    saved(page)
    server.call("PATCH", f"/tasks/{task['id']}", {"body": "Theirs"})
    expect(card(page, "Reply").locator(".body")).to_have_text("Theirs")

    page.keyboard.press("Control+z")

    shows(page, todo=["Report"])
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "Theirs"


def test_undo_says_that_nothing_of_it_was_left_to_undo(page, server):
    task = server.task("Report")
    server.task("Finished", status="done")
    shows(page, todo=["Report"], done=["Finished"])
    page.get_by_role("button", name="Clear away").click()
    shows(page, done=[])
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("F2")
    page.locator("textarea.rename").fill("Reply")
    page.keyboard.press("Enter")
    saved(page)
    server.call("PATCH", f"/tasks/{task['id']}", {"title": "Theirs"})
    server.call("PATCH", "/settings", {"custom": {"doneClearedAt": "2030-01-01T00:00:00.000Z"}})
    shows(page, todo=["Theirs"])
    saved(page)

    for keys, title in (("Control+z", "Report"), ("Control+z", "1 task"), ("Control+Shift+z", "1 task"), ("Control+Shift+z", "Report")):
        page.keyboard.press(keys)
        expect(page.locator(".toast span").first).to_have_text(f"{title}: left as it is, since it was changed elsewhere.")
        shows(page, todo=["Theirs"], done=[])
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["title"] == "Theirs"


@pytest.mark.unopened
def test_what_was_added_or_restored_goes_to_the_trash_again(page, server):
    old = server.task("Old")
    server.call("DELETE", f"/tasks/{old['id']}")
    page.goto(server.url + "/?screen=trash")
    loaded(page)
    page.get_by_role("button", name="Restore Old").click()
    page.keyboard.press("b")
    shows(page, todo=["Old"])
    for title in ("First", "Second"):
        add(page, title)
    page.keyboard.press("Escape")
    for left in (["Old", "First"], ["Old"], []):
        page.keyboard.press("Control+z")
        shows(page, todo=left)
    saved(page)
    assert sorted(task["title"] for task in server.tasks("&deleted=true")) == ["First", "Old", "Second"]


def test_a_phone_takes_back_and_does_again_what_was_done(browser, server):
    server.task("First")
    server.task("Second")
    page = browser(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    page.goto(server.url)
    shows(page, todo=["First", "Second"])
    toast = page.locator(".toast")

    def done(label):
        toast.get_by_role("button", name=label, exact=True).tap()
        expect(toast).to_have_count(1)

    card(page, "First").locator(".more").tap()
    page.get_by_role("menuitem", name="Move to Done").tap()
    expect(toast).to_contain_text("First: Done, place 1")
    # Once it has risen, it covers neither the button to add nor the screens.
    toast.evaluate("(it) => Promise.all(it.getAnimations().map((one) => one.finished))")
    box, round = toast.bounding_box(), page.locator(".round").bounding_box()
    assert box["y"] + box["height"] <= round["y"]
    done("Undo")
    shows(page, todo=["First", "Second"], done=[])
    done("Redo")
    shows(page, todo=["Second"], done=["First"])
    done("Undo")
    shows(page, todo=["First", "Second"], done=[])

    editor = open_task(page, "Second")
    editor.locator("[name=title]").fill("Other")
    editor.locator("button.primary").tap()
    closed(page)
    expect(toast).to_contain_text("Changed: Other")
    done("Undo")
    shows(page, todo=["First", "Second"])
    done("Redo")
    shows(page, todo=["First", "Other"])

    add(page, "Third")
    expect(toast).to_contain_text("Added: Third")
    done("Undo")
    shows(page, todo=["First", "Other"])
    done("Redo")
    shows(page, todo=["First", "Other", "Third"])
    saved(page)
    assert [task["title"] for task in server.tasks()] == ["First", "Other", "Third"]


def test_keys_do_again_what_was_undone_until_something_else_is_done(page, server):
    for title in ("a", "b"):
        server.task(title)
    shows(page, todo=["a", "b"])
    card(page, "a").locator(".open").focus()
    page.keyboard.press("Delete")
    shows(page, todo=["b"])
    page.keyboard.press("Control+z")
    shows(page, todo=["a", "b"])
    page.keyboard.press("Control+Shift+z")
    shows(page, todo=["b"])
    page.keyboard.press("Control+z")
    shows(page, todo=["a", "b"])
    page.keyboard.press("Control+y")
    shows(page, todo=["b"])
    page.keyboard.press("Control+z")
    card(page, "b").locator(".open").focus()
    page.keyboard.press("Shift+ArrowRight")
    shows(page, todo=["a"], doing=["b"])
    page.keyboard.press("Control+y")
    saved(page)
    shows(page, todo=["a"], doing=["b"])
    assert sorted(task["title"] for task in server.tasks()) == ["a", "b"]


@pytest.mark.unopened
def test_a_category_and_a_dday_are_done_again(page, server):
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="New category").click()
    page.locator("dialog input").first.fill("Home")
    page.locator("dialog button.primary").click()
    name = page.get_by_role("button", name="Home", exact=True)
    for key, count in (("Control+z", 0), ("Control+y", 1), ("Control+z", 0)):
        name.or_(page.locator("main h1")).first.wait_for()
        page.keyboard.press(key)
        expect(name).to_have_count(count)
    saved(page)
    assert server.call("GET", "/categories")["items"] == []


def names(server):
    return [category["name"] for category in server.call("GET", "/categories")["items"]]


def test_a_category_that_was_made_on_the_way_goes_with_its_task(page, server):
    add(page, "Seeds #Garden")
    shows(page, todo=["Seeds"])
    saved(page)
    assert names(server) == ["Garden"]
    page.locator(".board").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    shows(page, todo=[])
    saved(page)
    assert names(server) == []
    page.keyboard.press("Control+Shift+z")
    shows(page, todo=["Seeds"])
    saved(page)
    [task] = server.tasks()
    assert names(server) == ["Garden"] and task["categoryId"]

    # Another task needs it.
    server.task("Soil", categoryId=task["categoryId"])
    shows(page, todo=["Seeds", "Soil"])
    page.keyboard.press("Control+z")
    shows(page, todo=["Soil"])
    saved(page)
    assert names(server) == ["Garden"]


def test_a_category_that_the_server_had_already_is_neither_taken_nor_made_again(page, server):
    page.context.set_offline(True)
    page.wait_for_selector("#state[data-kind=offline]")
    add(page, "Seeds #Garden")
    page.keyboard.press("Escape")
    shows(page, todo=["Seeds"])
    garden = server.call("POST", "/categories", {"name": "garden"})["id"]
    page.context.set_offline(False)
    saved(page)
    for keys, titles in (("Control+z", []), ("Control+Shift+z", ["Seeds"])) * 2:
        page.keyboard.press(keys)
        shows(page, todo=titles)
        saved(page)
        assert [(task["title"], task["categoryId"]) for task in server.tasks()] == [(title, garden) for title in titles]
        assert names(server) == ["garden"]


def test_a_category_that_the_editor_made_goes_with_its_visit(page, server):
    server.task("Report")
    shows(page, todo=["Report"])
    editor = open_task(page, "Report")
    editor.locator("select[name=category]").select_option(label="New category…")
    page.keyboard.type("Work")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    closed(page)
    saved(page)
    assert names(server) == ["Work"]
    page.keyboard.press("Control+z")
    expect(page.locator(".card .category")).to_have_count(0)
    saved(page)
    assert names(server) == []
    page.keyboard.press("Control+Shift+z")
    expect(page.locator(".card .category")).to_have_text("Work")
    saved(page)
    assert names(server) == ["Work"]


def test_clearing_finished_tasks_away_is_a_step(page, server):
    server.task("First", status="done")
    shows(page, done=["First"])
    add(page, "Second")
    page.keyboard.press("Escape")
    shows(page, todo=["Second"], done=["First"])
    page.get_by_role("button", name="Clear away").click()
    shows(page, todo=["Second"], done=[])
    page.keyboard.press("Control+z")
    shows(page, todo=["Second"], done=["First"])
    page.keyboard.press("Control+Shift+z")
    shows(page, todo=["Second"], done=[])
    page.keyboard.press("Control+z")
    shows(page, todo=["Second"], done=["First"])
    page.keyboard.press("Control+z")
    shows(page, todo=[], done=["First"])
    saved(page)
    assert server.call("GET", "/settings")["custom"].get("doneClearedAt") is None
