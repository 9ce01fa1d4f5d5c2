"""Categories that are deleted on the board: without a connection, and taken back."""

import pytest
from playwright.sync_api import expect

from harness import add, becomes, loaded, open_questions, saved


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

    page.unroute_all(behavior="wait")
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


@pytest.mark.unopened
def test_the_deletion_of_one_is_undone_with_its_tasks(page, server):
    members = {"name": "Home", "color": "#0369a1", "emoji": "🏠"}
    home, work = server.call("POST", "/categories", members)["id"], server.call("POST", "/categories", {"name": "Work"})["id"]
    for title in ("Wash", "Cook"):
        server.task(title, categoryId=home)
    cook = server.tasks()[1]["id"]
    page.goto(server.url + "/?screen=categories")
    delete_category(page, "Home")
    saved(page)
    becomes([work], lambda: categories(server))
    server.call("PATCH", f"/tasks/{cook}", {"categoryId": work})
    expect(page.get_by_role("listitem").filter(has_text="Work")).to_contain_text("1 task")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("listitem").filter(has_text="Home")).to_contain_text("1 task")

    saved(page)
    [again] = [one for one in server.call("GET", "/categories")["items"] if one["id"] != work]
    assert {name: again[name] for name in ("id", *members)} == {"id": home, **members}
    assert by_title(server) == {"Wash": home, "Cook": work}


def test_one_that_is_new_is_undone_with_its_tasks(browser, server):
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    context.set_offline(True)
    add(page, "Wash #Home")
    page.locator("#more").click()
    page.get_by_role("menuitem", name="Categories").click()
    delete_category(page, "Home")
    page.keyboard.press("Control+z")
    expect(page.get_by_role("listitem").filter(has_text="Home")).to_contain_text("1 task")
    context.set_offline(False)
    saved(page)
    assert by_title(server) == {"Wash": categories(server)[0]}


@pytest.mark.unopened
def test_the_trash_gives_categories_and_ddays_back(page, server):
    home = server.call("POST", "/categories", {"name": "Home", "emoji": "🏠"})["id"]
    server.task("Wash", categoryId=home)
    exam = server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})["id"]
    server.call("DELETE", f"/categories/{home}")
    server.call("DELETE", f"/ddays/{exam}")
    page.goto(server.url + "/?screen=trash")
    loaded(page)
    page.get_by_role("button", name="Restore Home").click()
    page.get_by_role("button", name="Restore Exam").click()
    expect(page.get_by_role("button", name="Restore")).to_have_count(0)
    saved(page)
    assert by_title(server) == {"Wash": home}
    assert [dday["id"] for dday in server.call("GET", "/ddays")["items"]] == [exam]
    page.keyboard.press("Control+z")
    saved(page)
    becomes([], lambda: server.call("GET", "/ddays")["items"])


@pytest.mark.unopened
def test_a_name_that_is_used_meanwhile_is_a_question(page, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    page.goto(server.url + "/?screen=categories")
    delete_category(page, "Home")
    saved(page)
    other = server.call("POST", "/categories", {"name": "home"})["id"]
    page.get_by_role("button", name="home", exact=True).wait_for()
    page.keyboard.press("Control+z")
    open_questions(page)
    expect(page.locator(".issue .fault")).to_contain_text("Another category has this name.")
    server.call("PATCH", f"/categories/{other}", {"name": "Garden"})
    page.get_by_role("button", name="Try again").click()
    saved(page)
    becomes([home, other], lambda: sorted(categories(server), key=[home, other].index))


@pytest.mark.unopened
def test_an_edit_of_one_is_undone_but_for_what_others_changed(page, server):
    home = server.call("POST", "/categories", {"name": "Home", "color": "#0369a1"})["id"]
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="Home", exact=True).click()
    page.locator("dialog input").first.fill("House")
    page.locator("dialog .swatches input").first.check()
    page.locator("dialog button.primary").click()
    saved(page)
    server.call("PATCH", f"/categories/{home}", {"name": "Garden"})
    page.get_by_role("button", name="Garden", exact=True).wait_for()
    page.keyboard.press("Control+z")

    becomes(("Garden", "#0369a1"), lambda: tuple(server.call("GET", f"/categories/{home}")[name] for name in ("name", "color")))


@pytest.mark.unopened
def test_an_edit_of_a_dday_is_undone(page, server):
    dday = server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})["id"]
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Exam").click()
    page.locator("dialog input").first.fill("Trip")
    page.locator("dialog button.primary").click()
    page.locator(".row-open", has_text="Trip").wait_for()
    page.keyboard.press("Control+z")
    page.locator(".row-open", has_text="Exam").wait_for()
    saved(page)
    assert server.call("GET", f"/ddays/{dday}")["title"] == "Exam"


@pytest.mark.unopened
def test_a_dday_whose_title_is_blank_is_not_sent(page, server):
    page.goto(server.url + "/?screen=today")
    page.get_by_role("button", name="Add a D-day").click()
    title = page.locator("dialog input").first
    title.fill("  ")
    page.locator("dialog input[type=date]").fill("2031-05-04")
    page.keyboard.press("Enter")
    expect(page.locator("dialog .fault", has_text="Title: Empty.")).to_be_visible()
    title.fill("Exam")
    page.keyboard.press("Enter")
    saved(page)
    assert [dday["title"] for dday in server.call("GET", "/ddays")["items"]] == ["Exam"]


def test_an_edit_of_one_that_was_deleted_elsewhere_brings_it_back(browser, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    server.task("Wash", categoryId=home)
    context = browser()
    page = context.new_page()
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="Home", exact=True).wait_for()
    context.set_offline(True)
    page.get_by_role("button", name="Home", exact=True).click()
    page.locator("dialog input").first.fill("House")
    page.locator("dialog button.primary").click()
    server.call("DELETE", f"/categories/{home}")
    context.set_offline(False)
    open_questions(page)
    expect(page.locator(".issue .fault")).to_contain_text("Somebody deleted this")
    page.get_by_role("button", name="Restore and save").click()
    saved(page)
    [again] = server.call("GET", "/categories")["items"]
    assert (again["id"], again["name"]) == (home, "House")
    assert by_title(server) == {"Wash": home}


@pytest.mark.unopened
def test_what_the_server_did_not_restore_is_in_the_trash_again(page, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    server.call("DELETE", f"/categories/{home}")
    server.call("POST", "/categories", {"name": "home"})
    page.goto(server.url + "/?screen=trash")
    page.get_by_role("button", name="Restore Home").click()
    open_questions(page)
    page.get_by_role("button", name="Discard").click()
    saved(page)
    expect(page.get_by_role("button", name="Restore Home")).to_be_visible()
