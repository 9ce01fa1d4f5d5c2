"""Several cards at once, and what the menu of a card does beside."""

import uuid

from playwright.sync_api import expect

from harness import card, saved, shows
from test_board import drag
from test_hands import PASTED, paste


def picked(page, *titles):
    expect(page.locator(".card.picked .open")).to_have_text(list(titles))


def fill(page, server):
    tasks = [server.task(title) for title in ("One", "Two", "Three", "Four")]
    shows(page, todo=["One", "Two", "Three", "Four"])
    return tasks


def bar(page, name):
    return page.locator(".picks").get_by_role("button", name=name, exact=True)


def test_cards_are_picked_with_control_shift_and_x(page, server):
    fill(page, server)
    card(page, "One").click(modifiers=["Control"])
    picked(page, "One")
    expect(page.locator(".picks strong")).to_have_text("1 selected")
    card(page, "Three").click(modifiers=["Shift"])
    picked(page, "One", "Two", "Three")
    card(page, "Two").click(modifiers=["Control"])
    picked(page, "One", "Three")
    card(page, "Four").locator(".open").focus()
    page.keyboard.press("x")
    picked(page, "One", "Three", "Four")
    expect(page.locator("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    picked(page)
    expect(page.locator(".picks")).to_be_hidden()


def test_a_move_of_several_is_one_step_and_keeps_their_order(page, server):
    fill(page, server)
    server.task("Busy", status="doing")
    shows(page, doing=["Busy"])
    for title in ("Three", "One"):
        card(page, title).click(modifiers=["Control"])
    bar(page, "Column").click()
    page.get_by_role("menuitem", name="Doing").click()
    shows(page, todo=["Two", "Four"], doing=["Busy", "One", "Three"])
    picked(page)
    saved(page)
    assert [task["title"] for task in server.tasks("&status=doing")] == ["Busy", "One", "Three"]
    page.keyboard.press("Control+z")
    shows(page, todo=["One", "Two", "Three", "Four"], doing=["Busy"])
    saved(page)
    assert [task["title"] for task in server.tasks("&status=todo")] == ["One", "Two", "Three", "Four"]
    page.keyboard.press("Control+Shift+z")
    shows(page, todo=["Two", "Four"], doing=["Busy", "One", "Three"])


def test_category_and_date_of_several_and_the_time_stays(page, server):
    category = server.call("POST", "/categories", {"name": "Family"})
    fill(page, server)
    timed = server.task("Timed", dueDate="2031-05-04T15:00:00Z")
    shows(page, todo=["One", "Two", "Three", "Four", "Timed"])
    card(page, "Two").click(modifiers=["Control"])
    card(page, "Timed").click(modifiers=["Control"])
    bar(page, "Category").click()
    page.get_by_role("menuitem", name="Family").click()
    picked(page, "Two", "Timed")
    bar(page, "Date").click()
    page.get_by_role("menuitem", name="Tomorrow").click()
    saved(page)
    by_title = {task["title"]: task for task in server.tasks()}
    assert by_title["Two"]["categoryId"] == by_title["Timed"]["categoryId"] == category["id"]
    assert by_title["One"]["categoryId"] is None
    assert len(by_title["Two"]["dueDate"]) == 10
    assert by_title["Timed"]["dueDate"].endswith("T15:00:00.000Z") and by_title["Timed"]["dueDate"] != timed["dueDate"]
    page.keyboard.press("Control+z")
    saved(page)
    by_title = {task["title"]: task for task in server.tasks()}
    assert by_title["Two"]["dueDate"] is None and by_title["Timed"]["dueDate"] == timed["dueDate"]


def test_several_are_deleted_and_come_back_as_one_step(page, server):
    fill(page, server)
    card(page, "Two").click(modifiers=["Control"])
    card(page, "Three").click(modifiers=["Shift"])
    card(page, "Two").locator(".open").focus()
    page.keyboard.press("Delete")
    shows(page, todo=["One", "Four"])
    saved(page)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    shows(page, todo=["One", "Two", "Three", "Four"])
    saved(page)
    assert [task["title"] for task in server.tasks("&status=todo")] == ["One", "Two", "Three", "Four"]


def test_what_a_filter_hides_is_not_changed_unseen(page, server):
    fill(page, server)
    card(page, "One").click(modifiers=["Control"])
    card(page, "Two").click(modifiers=["Control"])
    page.locator("#search").fill("Two")
    shows(page, todo=["Two"])
    picked(page, "Two")
    bar(page, "Delete").click()
    saved(page)
    assert [task["title"] for task in server.tasks("&status=todo")] == ["One", "Three", "Four"]


def test_a_finger_picks_from_the_menu_on(browser, server):
    server.task("One")
    server.task("Two")
    page = browser(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    page.goto(server.url)
    shows(page, todo=["One", "Two"])
    card(page, "One").locator(".more").tap()
    page.get_by_role("menuitem", name="Select").tap()
    picked(page, "One")
    card(page, "Two").locator(".said").tap()
    picked(page, "One", "Two")
    expect(page.locator("dialog")).to_have_count(0)
    box = page.locator(".picks").bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    bar(page, "Delete").tap()
    shows(page, todo=[])


def test_a_copy_comes_right_after_the_task(page, server):
    tasks = fill(page, server)
    server.call("PATCH", f"/tasks/{tasks[1]['id']}", {"body": "Words", "reminders": ["-PT30M"], "dueDate": "2031-05-04"})
    card(page, "Two").locator(".body").wait_for()
    card(page, "Two").locator(".more").click()
    page.get_by_role("menuitem", name="Duplicate").click()
    shows(page, todo=["One", "Two", "Two", "Three", "Four"])
    saved(page)
    found = [task for task in server.tasks("&status=todo") if task["title"] == "Two"]
    assert [(task["body"], task["reminders"], task["dueDate"]) for task in found] == [("Words", ["-PT30M"], "2031-05-04")] * 2
    assert [task["title"] for task in server.tasks("&status=todo")] == ["One", "Two", "Two", "Three", "Four"]
    page.keyboard.press("Control+z")
    shows(page, todo=["One", "Two", "Three", "Four"])


def test_the_link_of_a_task_opens_it_anywhere(browser, server):
    task = server.task("One")
    context = browser()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(server.url + "/?q=One")
    card(page, "One").locator(".more").click()
    page.get_by_role("menuitem", name="Copy link").click()
    page.locator(".toast").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{server.url}/?task={task['id']}"
    card(page, "One").locator(".more").click()
    with context.expect_page() as opened:
        page.get_by_role("menuitem", name="Open in a new tab").click()
    expect(opened.value.locator("dialog.editor textarea[name=title]")).to_have_value("One")


def finished(server, title, at):
    server.call("POST", "/sync", {"mutations": [{
        "mutationId": str(uuid.uuid4()), "type": "task", "op": "create", "id": str(uuid.uuid4()),
        "value": {"title": title, "status": "done", "createdAt": at, "completedAt": at}}]})


def test_what_was_finished_long_ago_is_in_the_archive(page, server):
    finished(server, "Years ago", "2021-05-04T08:00:00Z")
    server.task("Just now", status="done")
    shows(page, done=["Just now"])
    expect(page.locator("[data-column=done] .count").first).to_have_text("1")
    page.get_by_role("button", name="Show 1 older").click()
    shows(page, done=["Years ago", "Just now"])
    page.get_by_role("button", name="Hide older ones").click()
    shows(page, done=["Just now"])
    page.locator("#search").fill("years")
    shows(page, done=["Years ago"])


def test_finished_tasks_are_cleared_away_on_every_device_and_come_back(page, browser, server):
    server.task("First", status="done")
    server.task("Second", status="done")
    other = browser().new_page()
    other.goto(server.url)
    shows(page, done=["First", "Second"])
    page.get_by_role("button", name="Clear away").click()
    shows(page, done=[])
    shows(other, done=[])
    expect(page.get_by_role("button", name="Show 2 older")).to_be_visible()
    saved(page)
    server.task("Third", status="done")
    shows(page, done=["Third"])
    page.locator(".toast").get_by_role("button", name="Undo").click()
    shows(page, done=["First", "Second", "Third"])
    shows(other, done=["First", "Second", "Third"])


def test_an_empty_board_offers_cards_to_try_and_takes_them_away(page, server):
    page.get_by_role("button", name="Try it with three cards").click()
    shows(page, todo=["Tick the circle when something is done", "Drag me to Doing", "Type “Call mum tomorrow 3pm #family” under +"])
    saved(page)
    assert len(server.tasks()) == 3
    page.locator(".toast").get_by_role("button", name="Undo").click()
    shows(page, todo=[])
    saved(page)
    assert server.tasks() == []
    expect(page.get_by_role("button", name="Try it with three cards")).to_be_visible()


def test_all_picked_cards_are_dragged_in_their_order(page, server):
    fill(page, server)
    server.task("Busy", status="doing")
    server.task("Idle", status="doing")
    shows(page, doing=["Busy", "Idle"])
    for title in ("Three", "One"):
        card(page, title).click(modifiers=["Control"])
    at = card(page, "Idle").bounding_box()
    drag(page, "Three", at["x"] + 60, at["y"] + 4)
    shows(page, todo=["Two", "Four"], doing=["Busy", "One", "Three", "Idle"])
    saved(page)
    assert [task["title"] for task in server.tasks("&status=doing")] == ["Busy", "One", "Three", "Idle"]
    page.keyboard.press("Control+z")
    shows(page, todo=["One", "Two", "Three", "Four"], doing=["Busy", "Idle"])
    # A card that is not picked goes alone.
    card(page, "One").click(modifiers=["Control"])
    at = card(page, "Idle").bounding_box()
    drag(page, "Two", at["x"] + 60, at["y"] + 4)
    shows(page, todo=["One", "Three", "Four"], doing=["Busy", "Two", "Idle"])


def test_picked_cards_are_dragged_to_a_sorted_column(page, server):
    fill(page, server)
    page.goto(server.url + "/?sort=title")
    shows(page, todo=["Four", "One", "Three", "Two"])
    for title in ("Three", "One"):
        card(page, title).click(modifiers=["Control"])
    at = page.locator("[data-column=doing]").bounding_box()
    drag(page, "Three", at["x"] + 100, at["y"] + 200)
    shows(page, todo=["Four", "Two"], doing=["One", "Three"])


def back_and_forth(page, server, before, after):
    """Undoes and does again, twice, what led from one order of the first column to another."""
    for titles, keys in ((before, "Control+z"), (after, "Control+Shift+z")) * 2 + ((before, "Control+z"),):
        page.keyboard.press(keys)
        shows(page, todo=titles)
        saved(page)
        assert [task["title"] for task in server.tasks("&status=todo")] == titles


def test_the_order_of_several_goes_back_and_forth(page, server):
    fill(page, server)
    for title in ("Two", "Four"):
        card(page, title).click(modifiers=["Control"])
    at = card(page, "One").bounding_box()
    drag(page, "Four", at["x"] + 60, at["y"] + 4)
    shows(page, todo=["Two", "Four", "One", "Three"])
    saved(page)
    back_and_forth(page, server, ["One", "Two", "Three", "Four"], ["Two", "Four", "One", "Three"])

    for title in ("One", "Two", "Four"):
        card(page, title).click(modifiers=["Control"])
    bar(page, "Column").click()
    page.get_by_role("menuitem", name="Doing").click()
    shows(page, todo=["Three"], doing=["One", "Two", "Four"])
    saved(page)
    back_and_forth(page, server, ["One", "Two", "Three", "Four"], ["Three"])
    shows(page, doing=[])
    page.keyboard.press("Control+Shift+z")
    shows(page, todo=["Three"], doing=["One", "Two", "Four"])


def test_pasted_tasks_come_back_in_their_order(page, server):
    page.keyboard.press("n")
    paste(page, PASTED)
    page.get_by_role("button", name="4 tasks").click()
    page.keyboard.press("Escape")
    shows(page, todo=["Milk", "Bread", "Eggs", "Tea"])
    page.locator("h1").focus()
    back_and_forth(page, server, [], ["Milk", "Bread", "Eggs", "Tea"])
