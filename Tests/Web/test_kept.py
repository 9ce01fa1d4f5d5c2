"""No word is lost or overwritten in silence, either: in sheets, in place, at the log-out, when the clock goes back."""

import pytest
from playwright.sync_api import expect

from harness import add, becomes, card, installed, make_refused_category, open_questions, saved, shows, wait_for
from test_session import log_in
from test_words import open_task, two_windows


def test_a_rename_in_place_that_meets_another_is_a_question(browser, server):
    task = server.task("Report")
    mine = two_windows(browser, server)[0]
    card(mine, "Report").locator(".open").focus()
    mine.keyboard.press("F2")
    mine.locator("textarea.rename").fill("Mine")

    server.call("PATCH", f"/tasks/{task['id']}", {"title": "Theirs"})
    wait_for(mine, "() => document.querySelector('textarea.rename') !== null")
    mine.locator("textarea.rename").press("Enter")

    open_questions(mine)
    expect(mine.locator(".sides")).to_contain_text("Mine")
    expect(mine.locator(".sides")).to_contain_text("Theirs")
    mine.get_by_role("button", name="Take theirs").click()
    saved(mine)
    assert server.call("GET", f"/tasks/{task['id']}")["title"] == "Theirs"


@pytest.mark.unopened
def test_a_sheet_that_meets_another_change_is_a_question(page, server):
    category = server.call("POST", "/categories", {"name": "Home"})
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="Home", exact=True).click()
    page.locator("dialog input").first.fill("Garden")

    server.call("PATCH", f"/categories/{category['id']}", {"name": "House"})
    page.get_by_role("button", name="House", exact=True, include_hidden=True).wait_for(state="attached")
    page.locator("dialog button.primary").click()

    open_questions(page)
    expect(page.locator(".sides")).to_contain_text("House")
    page.get_by_role("button", name="Keep mine").click()
    saved(page)
    assert server.call("GET", f"/categories/{category['id']}")["name"] == "Garden"


@pytest.mark.unopened
def test_the_sheets_of_categories_and_ddays_are_drafts(page, server):
    server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04"})
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Exam").click()
    page.locator("dialog input").first.fill("Final exam")
    page.keyboard.press("Escape")
    page.locator(".toast").get_by_role("button", name="Go on").click()
    expect(page.locator("dialog input").first).to_have_value("Final exam")
    page.reload()
    page.locator(".row-open", has_text="Exam").click()
    expect(page.locator("dialog input").first).to_have_value("Final exam")
    page.locator("dialog").get_by_role("button", name="Discard").click()
    expect(page.locator("dialog input").first).to_have_value("Exam")
    page.locator("dialog").get_by_role("button", name="Close").click()
    expect(page.locator("dialog")).to_have_count(0)

    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="New category").click()
    page.locator("dialog input").first.fill("Garden")
    page.locator("dialog .swatches input").nth(2).check()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="New category").click()
    expect(page.locator("dialog input").first).to_have_value("Garden")
    page.locator("dialog button.primary").click()
    saved(page)
    assert [(one["name"], one["color"]) for one in server.call("GET", "/categories")["items"]] == [("Garden", "#4d7c0f")]
    page.get_by_role("button", name="New category").click()
    expect(page.locator("dialog input").first).to_have_value("")


@pytest.mark.unopened
def test_a_deleted_dday_can_be_undone(page, server):
    server.call("POST", "/ddays", {"title": "Exam", "date": "2031-05-04", "repeats": "yearly", "emoji": "📝"})
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Exam").click()
    page.locator("dialog button.danger").click()
    expect(page.locator(".row-open", has_text="Exam")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    page.locator(".row-open", has_text="Exam").wait_for()
    saved(page)
    [dday] = server.call("GET", "/ddays")["items"]
    assert (dday["title"], dday["date"], dday["repeats"], dday["emoji"]) == ("Exam", "2031-05-04", "yearly", "📝")


def test_line_breaks_of_other_systems_are_no_edit(page, server):
    server.task("Two\nlines", body="one\r\ntwo")
    page.locator(".card .open").click()
    page.wait_for_selector("dialog.editor[open]")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.editor")).to_have_count(0)
    expect(page.locator(".toast")).to_have_count(0)


def test_the_log_out_asks_for_drafts_too(browser, guarded):
    token = guarded.token
    guarded.call("POST", "/tasks", {"title": "Report"}, token)
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    open_task(page, "Report").locator("textarea[name=body]").fill("x" * 1200)
    page.keyboard.press("Escape")
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))

    page.locator("#more").click()
    page.get_by_role("menuitem", name="Log out").click()

    wait_for(page, "() => document.querySelector('.card') !== null")
    assert asked == ["1 change or draft is on this device alone and will be lost. Log out?"]
    expect(open_task(page, "Report").locator("textarea[name=body]")).to_have_value("x" * 1200)


@pytest.mark.worker
def test_the_newer_edit_wins_though_the_clock_went_back(browser, server):
    task = server.task("Report")
    context = browser()
    early = context.new_page()
    early.add_init_script("{ const now = Date.now; Date.now = () => now() + 3600000; }")
    early.goto(server.url)
    installed(early)
    saved(early)
    server.stop()
    first = open_task(early, "Report")
    first.locator("[name=title]").fill("First")
    first.locator("button.primary").click()
    shows(early, todo=["First"])
    early.close()

    page = context.new_page()
    page.goto(server.url)
    second = open_task(page, "First")
    second.locator("[name=title]").fill("Second")
    second.locator("button.primary").click()
    shows(page, todo=["Second"])
    server.start()
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["title"] == "Second"


def test_a_full_account_says_so(browser, full):
    token = full.token
    page = browser().new_page()
    page.goto(full.url)
    log_in(page)
    saved(page)
    add(page, "One")
    saved(page)
    add(page, "Two")
    page.locator(".toast", has_text="full").wait_for()
    expect(page.locator("#state")).to_contain_text("Account full · 1 unsent")
    full.run("account", "quota", "sun@example.org", "--tasks", "10")
    page.locator("#state").click()
    saved(page)
    assert len(full.call("GET", "/tasks", token=token)["items"]) == 2


def test_what_a_full_account_has_no_room_for_does_not_stop_the_rest(browser, full):
    token = full.token
    page = browser().new_page()
    page.goto(full.url)
    log_in(page)
    saved(page)
    add(page, "One")
    saved(page)
    add(page, "Two")
    add(page, "Three")
    expect(page.locator("#state")).to_contain_text("Account full · 2 unsent")
    card(page, "One").locator(".open").focus()
    page.keyboard.press("Shift+ArrowRight")
    becomes([("One", "doing")], lambda: [(task["title"], task["status"]) for task in full.call("GET", "/tasks", token=token)["items"]])
    expect(page.locator("#state")).to_contain_text("Account full · 2 unsent")
    # Also before the next answer.
    page.route("**/sync", lambda route: None)
    page.reload()
    expect(page.locator("#state")).to_contain_text("Account full · 2 unsent")
    page.unroute("**/sync")
    page.reload()
    expect(page.locator("#state")).to_contain_text("Account full · 2 unsent")
    page.locator("#state").click()
    page.locator(".toast", has_text="Deleted tasks count").last.wait_for()
    assert page.locator(".issue").count() == 0
    card(page, "Two").locator(".open").focus()
    page.keyboard.press("Delete")
    expect(page.locator("#state")).to_contain_text("Account full · 1 unsent")
    full.run("account", "quota", "sun@example.org", "--tasks", "10")
    page.locator("#state").click()
    saved(page)
    assert sorted(task["title"] for task in full.call("GET", "/tasks", token=token)["items"]) == ["One", "Three"]


def test_a_title_being_typed_goes_along_with_its_card(page, server):
    task = server.task("Report")
    server.task("Other", status="doing")
    shows(page, todo=["Report"], doing=["Other"])
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("F2")
    page.keyboard.type("half ty")
    server.call("POST", f"/tasks/{task['id']}/move", {"status": "doing"})
    line = page.locator("[data-column=doing] textarea.rename")
    expect(line).to_have_value("half ty")
    expect(line).to_be_focused()
    assert server.call("GET", f"/tasks/{task['id']}")["title"] == "Report"
    page.keyboard.type("ped")
    page.keyboard.press("Enter")
    shows(page, doing=["Other", "half typed"])
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["title"] == "half typed"


def test_a_title_being_typed_is_a_question_when_its_task_is_deleted(page, server):
    task = server.task("Report")
    shows(page, todo=["Report"])
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("F2")
    page.keyboard.type("half ty")
    server.call("DELETE", f"/tasks/{task['id']}")
    open_questions(page)
    expect(page.locator(".issue")).to_contain_text("half ty")


@pytest.mark.unopened
def test_an_emoji_is_one(page, server):
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="New category").click()
    page.locator("dialog input").first.fill("Family")
    emoji = page.locator("dialog input.short")
    for words in ("home", "🏠🏠", "🏠 !"):
        emoji.fill(words)
        page.locator("dialog button.primary").click()
        assert emoji.evaluate("(input) => input.validationMessage") == "One emoji fits."
    emoji.fill("👨‍👩‍👧")
    page.locator("dialog button.primary").click()
    saved(page)
    assert [one["emoji"] for one in server.call("GET", "/categories")["items"]] == ["👨‍👩‍👧"]


@pytest.mark.unopened
def test_a_refused_category_is_edited_again(page, server):
    page.goto(server.url + "/?screen=categories")
    make_refused_category(page, "New category", "Home")
    open_questions(page)
    page.locator(".issue").get_by_role("button", name="Edit").click()
    sheet = page.locator("dialog", has=page.locator("input.short"))
    expect(sheet.locator("input").first).to_have_value("Home")
    sheet.locator("input.short").fill("🏠")

    # Closed without an answer, the question and the words stay.
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    page.locator(".issue").get_by_role("button", name="Edit").click()
    expect(sheet.locator("input.short")).to_have_value("🏠")
    sheet.locator("button.primary").click()

    saved(page)
    assert [(one["name"], one["emoji"]) for one in server.call("GET", "/categories")["items"]] == [("Home", "🏠")]
