"""Categories that are deleted on the board: without a connection, and taken back."""

import pytest
from playwright.sync_api import expect

from harness import add, becomes, saved


def categories(server):
    return [category["id"] for category in server.call("GET", "/categories")["items"]]


def by_title(server):
    return {task["title"]: task["categoryId"] for task in server.tasks()}


def delete_category(page, name):
    page.get_by_role("button", name=name, exact=True).click()
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator("dialog .danger").click()
    expect(page.locator("dialog")).to_have_count(0)


@pytest.mark.parametrize("is_answer_lost", [False, True])
def test_one_that_is_made_and_deleted_here_takes_none_from_another_device(browser, server, is_answer_lost):
    server.task("Cook")
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    page.route("**/changes?*", lambda route: route.abort())
    page.route("**/sync", lambda route: (is_answer_lost and route.fetch(), route.abort()))
    page.evaluate("() => dispatchEvent(new Event('offline'))")
    page.wait_for_selector("#state[data-kind=offline]")
    theirs = server.call("POST", "/categories", {"name": "Home", "color": "#0369a1"})["id"]
    server.call("PATCH", f"/tasks/{server.tasks()[0]['id']}", {"categoryId": theirs})
    add(page, "Wash #Home")
    if is_answer_lost:
        # Routes are for a page that is waited for.
        becomes({"Cook": theirs, "Wash": theirs}, lambda: page.wait_for_timeout(30) or by_title(server))
    page.locator("#more").click()
    page.get_by_role("menuitem", name="Categories").click()
    page.get_by_role("button", name="Home", exact=True).click()
    page.locator("dialog .swatches input").first.check()
    page.locator("dialog button.primary").click()
    delete_category(page, "Home")
    expect(page.locator("main")).to_contain_text("Make the first one")

    page.unroute_all()
    saved(page)
    assert categories(server) == [theirs]
    assert server.call("GET", f"/categories/{theirs}")["color"] == "#0369a1"
    assert by_title(server) == {"Cook": theirs, "Wash": None}
    expect(page.get_by_role("button", name="Home", exact=True)).to_be_visible()


def test_one_that_is_made_and_deleted_here_is_gone(browser, server):
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    context.set_offline(True)
    add(page, "Wash #Home")
    page.locator("#more").click()
    page.get_by_role("menuitem", name="Categories").click()
    delete_category(page, "Home")
    context.set_offline(False)
    saved(page)
    assert categories(server) == []
    assert by_title(server) == {"Wash": None}
