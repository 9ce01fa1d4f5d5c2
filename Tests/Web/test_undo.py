"""What was done can be taken back, newest first."""

from playwright.sync_api import expect

from harness import add, card, closed, loaded, saved, shows
from test_words import open_task


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
    editor.locator("select").select_option("done")
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
    editor.locator("input[name=title]").fill("Reply")
    page.keyboard.press("Control+Enter")
    closed(page)
    saved(page)
    server.call("PATCH", f"/tasks/{task['id']}", {"body": "Theirs"})
    expect(card(page, "Reply").locator(".body")).to_have_text("Theirs")

    page.keyboard.press("Control+z")

    shows(page, todo=["Report"])
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "Theirs"


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
