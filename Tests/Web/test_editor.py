"""The editor saves by itself: when, how often, and as one step of undo."""

import pytest
from playwright.sync_api import expect

from harness import becomes, card, closed, installed, saved, shows, wait_for
from test_words import ENDLESS, open_task


def changes(server, task):
    """The members that each change of a task in its history had, oldest first."""
    items = server.call("GET", f"/tasks/{task['id']}/history?limit=100")["items"]
    return [sorted(change["member"] for change in item["changes"]) for item in items if item["action"] == "updated"][::-1]


def stored(server, task, member):
    return lambda: server.call("GET", f"/tasks/{task['id']}")[member]


def test_what_is_typed_is_an_edit_soon_and_not_at_each_key(page, server):
    task = server.task("Report")
    editor = open_task(page, "Report")
    words = "A long thought about the report. " * 3
    editor.locator("textarea[name=body]").press_sequentially(words)
    becomes(words, stored(server, task, "body"))
    expect(editor).to_be_visible()
    expect(editor.locator("textarea[name=body]")).to_be_focused()
    # On a machine that takes ten seconds for the keys, a few.
    assert len(changes(server, task)) <= 3


@pytest.mark.unopened
def test_a_field_that_loses_the_focus_is_saved(page, server):
    task = server.task("Report")
    page.add_init_script(ENDLESS)
    page.goto(server.url)
    editor = open_task(page, "Report")
    editor.locator("[name=title]").fill("Reply")
    page.keyboard.press("Tab")
    becomes("Reply", stored(server, task, "title"))
    expect(editor).to_be_visible()


@pytest.mark.unopened
def test_choices_are_saved_at_once(page, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    task = server.task("Report")
    page.add_init_script(ENDLESS)
    page.goto(server.url)
    editor = open_task(page, "Report")
    editor.locator("[name=status]").select_option("doing")
    becomes("doing", stored(server, task, "status"))
    editor.locator("select[name=category]").select_option("Home")
    becomes(home, stored(server, task, "categoryId"))
    editor.get_by_role("button", name="Today", exact=True).click()
    day = editor.locator("[name=date]").input_value()
    becomes(day, stored(server, task, "dueDate"))
    editor.locator("[name=repeat]").select_option(label="every day")
    becomes("FREQ=DAILY", lambda: (stored(server, task, "recurrence")() or {}).get("rule"))
    editor.get_by_role("button", name="10 minutes before").click()
    becomes(["-PT10M"], stored(server, task, "reminders"))
    editor.get_by_role("button", name="Remove the date").click()
    becomes(None, stored(server, task, "recurrence"))
    expect(editor).to_be_visible()


def test_a_visit_is_one_step(page, server):
    server.task("Other")
    task = server.task("Report", body="Words")
    shows(page, todo=["Other", "Report"])
    editor = open_task(page, "Report")
    for name, words, member in (("title", "Reply", "title"), ("body", "More words", "body"), ("title", "Answer", "title")):
        editor.locator(f"[name={name}]").fill(words)
        becomes(words, stored(server, task, member))
    editor.locator("[name=status]").select_option("done")
    becomes("done", stored(server, task, "status"))
    # What another device changes meanwhile is not part of it.
    server.call("PATCH", f"/tasks/{task['id']}", {"dueDate": "2031-05-04"})
    expect(editor.locator("[name=date]")).to_have_value("2031-05-04")
    editor.locator("[name=body]").fill("Last words")
    page.keyboard.press("Escape")
    closed(page)
    toast = page.locator(".toast")
    expect(toast).to_contain_text("Answer: Done, place 1")
    members = lambda: [stored(server, task, name)() for name in ("title", "body", "status", "dueDate")]
    toast.get_by_role("button", name="Undo").click()
    shows(page, todo=["Other", "Report"], done=[])
    becomes(["Report", "Words", "todo", "2031-05-04"], members)
    page.keyboard.press("Control+y")
    shows(page, todo=["Other"], done=["Answer"])
    becomes(["Answer", "Last words", "done", "2031-05-04"], members)
    page.keyboard.press("Control+z")
    becomes(["Report", "Words", "todo", "2031-05-04"], members)
    # There was nothing before it.
    page.keyboard.press("Control+z")
    saved(page)
    assert members() == ["Report", "Words", "todo", "2031-05-04"]


def test_a_visit_that_changes_nothing_is_no_step(page, server):
    task = server.task("Report")
    editor = open_task(page, "Report")
    for words in ("Reply", "Report"):
        editor.locator("[name=title]").fill(words)
        becomes(words, stored(server, task, "title"))
    page.keyboard.press("Escape")
    closed(page)
    expect(page.locator(".toast")).to_have_count(0)


def test_what_is_not_valid_is_not_sent_but_reported_beside_its_field(page, server):
    task = server.task("Report")
    editor = open_task(page, "Report")
    title = editor.locator("[name=title]")
    title.fill("")
    editor.locator("[name=body]").fill("Words")
    becomes("Words", stored(server, task, "body"))
    fault = editor.locator("p.fault", has_text="A task needs a title.")
    expect(fault).to_be_visible()
    assert title.get_attribute("aria-describedby") == fault.get_attribute("id")
    page.keyboard.press("Escape")
    closed(page)
    assert stored(server, task, "title")() == "Report"
    page.reload()
    editor = open_task(page, "Report")
    expect(fault).to_be_visible()
    expect(title).to_have_value("")
    editor.get_by_role("button", name="Discard").click()
    expect(title).to_have_value("Report")
    expect(fault).to_be_hidden()
    title.fill("Reply")
    editor.locator("button.primary").click()
    closed(page)
    becomes("Reply", stored(server, task, "title"))
    assert changes(server, task) == [["body"], ["title"]]


def test_a_date_that_is_half_typed_removes_none(page, server):
    task = server.task("Report", dueDate="2031-05-04", recurrence={"rule": "FREQ=DAILY"})
    before = stored(server, task, "recurrence")()
    editor = open_task(page, "Report")
    date = editor.locator("[name=date]")
    date.focus()
    page.keyboard.press("Backspace")
    assert date.evaluate("(date) => date.validity.badInput")
    editor.locator("[name=body]").fill("Words")
    becomes("Words", stored(server, task, "body"))
    expect(editor.locator(".field:has([name=date]) .fault")).to_be_visible()
    page.keyboard.press("Escape")
    closed(page)
    expect(page.locator(".toast.fault")).to_contain_text("Not saved, since it is not valid: Due date")
    saved(page)
    assert (stored(server, task, "dueDate")(), stored(server, task, "recurrence")()) == ("2031-05-04", before)
    expect(open_task(page, "Report").locator("[name=date]")).to_have_value("2031-05-04")


def test_a_rule_that_ends_before_it_begins_is_not_lost_without_a_word(page, server):
    task = server.task("Report", dueDate="2031-05-04")
    shows(page, todo=["Report"])
    editor = open_task(page, "Report")
    editor.locator("select[name=repeat]").select_option("own")
    editor.locator(".own-rule input[type=date]").fill("2031-05-01")
    page.keyboard.press("Escape")
    closed(page)
    expect(page.locator(".toast.fault")).to_contain_text("Not saved, since it is not valid: Repeat")
    saved(page)
    assert stored(server, task, "dueDate")() == "2031-05-04"


def test_no_category_is_made_of_half_a_name(page, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    task = server.task("Report", categoryId=home)
    shows(page, todo=["Report"])
    editor = open_task(page, "Report")
    editor.locator("select[name=category]").select_option(label="New category…")
    page.keyboard.type("Wo")
    # The draft has it by now.
    card(page, "Report").locator(".line .draft").wait_for(state="attached")
    assert stored(server, task, "categoryId")() == home
    page.keyboard.type("rk")
    page.keyboard.press("Tab")
    becomes(["Home", "Work"], lambda: sorted(one["name"] for one in server.call("GET", "/categories")["items"]))
    expect(editor.locator("select[name=category] option:checked")).to_have_text("Work")
    page.keyboard.press("Escape")
    closed(page)
    expect(card(page, "Report").locator(".line .draft")).to_have_count(0)


@pytest.mark.worker
def test_without_a_server_a_visit_is_one_edit(page, server):
    task = server.task("Report")
    shows(page, todo=["Report"])
    installed(page)
    server.stop()
    page.wait_for_selector("#state[data-kind=offline]")
    editor = open_task(page, "Report")
    told = editor.locator("[role=status]").first
    failed = []
    page.on("requestfailed", lambda request: failed.append(request.url) if request.url.endswith("/sync") else None)
    for name, words in (("body", "one"), ("body", "one two"), ("title", "Reply"), ("body", "one two three")):
        editor.locator(f"[name={name}]").fill(words)
        selector = {"title": ".open", "body": ".body"}[name]
        expect(page.locator(f".card {selector}")).to_have_text(words)
        expect(page.locator("#state .words")).to_have_text("Offline · 1 unsent")
        expect(told).to_have_text("Saved on this device")
        # The page tries again a second after the first edit, when the next one would be made.
        becomes(True, lambda: page.evaluate("() => true") and len(failed) > 1)
    page.keyboard.press("Escape")
    closed(page)
    server.start()
    saved(page)
    expect(page.locator(".issue")).to_have_count(0)
    assert changes(server, task) == [["body", "title"]]
    assert stored(server, task, "body")() == "one two three"


def test_an_edit_of_a_visit_joins_one_that_was_made_while_another_was_on_its_way(page, server):
    task = server.task("Report")
    shows(page, todo=["Report"])
    held = []
    page.route("**/sync", lambda route: held.append(route))
    editor = open_task(page, "Report")
    with page.expect_request("**/sync"):
        editor.locator("[name=body]").fill("one")
    editor.locator("[name=title]").fill("Reply")
    expect(page.locator(".card .open")).to_have_text("Reply")
    held[0].fulfill(status=503, headers={"Retry-After": "60"})
    expect(page.locator("#state .words")).to_have_text("2 unsent")
    page.unroute("**/sync")
    editor.locator("[name=body]").fill("one two")
    saved(page)
    assert changes(server, task) == [["body", "title"]]


def test_an_answer_that_was_lost_is_no_question(page, server):
    task = server.task("Report")
    shows(page, todo=["Report"])
    saved(page)
    lost = []

    def lose(route):
        # The server has it, and the page does not hear of it: neither here nor from the feed.
        lost.append(route.fetch())
        page.context.set_offline(True)
        route.abort()

    page.route("**/sync", lose, times=1)
    editor = open_task(page, "Report")
    editor.locator("[name=body]").fill("one")
    page.wait_for_selector("#state[data-kind=offline]", state="attached")
    assert lost and stored(server, task, "body")() == "one"
    editor.locator("[name=body]").fill("one two")
    expect(page.locator(".card .body")).to_have_text("one two")
    page.context.set_offline(False)
    page.keyboard.press("Escape")
    saved(page)
    assert stored(server, task, "body")() == "one two"


def test_it_says_once_that_it_saved(page, server):
    task = server.task("Report")
    editor = open_task(page, "Report")
    told = editor.locator("[role=status]").first
    expect(told).to_have_text("")
    told.evaluate("""(told) => { window.said = []; new MutationObserver(() => window.said.push(told.textContent)).observe(told, { childList: true }); }""")
    for words in ("one", "one two", "one two three"):
        editor.locator("[name=body]").fill(words)
        becomes(words, stored(server, task, "body"))
    expect(told).to_have_text("Saved")
    assert page.evaluate("() => window.said") == ["Saved"]


@pytest.mark.unopened
def test_a_change_elsewhere_comes_into_the_fields_that_are_not_touched(page, server):
    task = server.task("Report", body="old")
    page.add_init_script(ENDLESS)
    page.goto(server.url)
    editor = open_task(page, "Report")
    title = editor.locator("[name=title]")
    title.fill("Mine")
    server.call("PATCH", f"/tasks/{task['id']}", {"body": "theirs"})
    expect(editor.locator("[name=body]")).to_have_value("theirs")
    expect(title).to_have_value("Mine")
    expect(title).to_be_focused()
    page.keyboard.press("Escape")
    closed(page)
    saved(page)
    assert (stored(server, task, "title")(), stored(server, task, "body")()) == ("Mine", "theirs")


@pytest.mark.parametrize("language, words", [("ko", "저장됨"), ("ja", "保存済み")])
def test_it_speaks_the_language_of_the_account(browser, server, language, words):
    server.task("Report")
    page = browser(language).new_page()
    page.goto(server.url)
    editor = open_task(page, "Report")
    editor.locator("[name=body]").fill("Words")
    expect(editor.locator("[role=status]").first).to_have_text(words)


@pytest.mark.parametrize("choice, wanted", [("Take theirs", "theirs"), ("Keep mine", "mine")])
@pytest.mark.unopened
def test_what_both_changed_is_not_saved_before_the_user_chooses(page, server, choice, wanted):
    task = server.task("Report", body="old")
    # Nothing is saved by itself before the other's words are here.
    page.add_init_script(ENDLESS)
    page.goto(server.url)
    editor = open_task(page, "Report")
    editor.locator("[name=body]").fill("mine")
    server.call("PATCH", f"/tasks/{task['id']}", {"body": "theirs"})
    expect(editor.locator(".theirs:visible")).to_contain_text("theirs")
    # The other fields are saved.
    editor.locator("[name=title]").fill("Reply")
    page.keyboard.press("Tab")
    becomes("Reply", stored(server, task, "title"))
    assert stored(server, task, "body")() == "theirs"

    # The question stays when the editor is closed.
    page.keyboard.press("Escape")
    closed(page)
    saved(page)
    assert stored(server, task, "body")() == "theirs"
    page.locator(".toast").get_by_role("button", name="Go on").click()
    expect(editor.locator("[name=body]")).to_have_value("mine")
    box = editor.locator(".theirs:visible")
    expect(box).to_contain_text("theirs")
    box.get_by_role("button", name=choice).click()
    expect(box).to_have_count(0)
    page.keyboard.press("Escape")
    closed(page)
    becomes(wanted, stored(server, task, "body"))
    expect(card(page, "Reply").locator(".line .draft")).to_have_count(0)


def test_the_selection_stays_at_its_words_when_notes_change_elsewhere(page, server):
    task = server.task("Report", body="one two three")
    shows(page, todo=["Report"])
    editor = open_task(page, "Report")
    body = editor.locator("[name=body]")
    selected = lambda: body.evaluate("(area) => area.value.slice(area.selectionStart, area.selectionEnd)")
    body.focus()
    body.evaluate("(area) => area.setSelectionRange(4, 7)")
    for words, wanted in [("zero one two three", "two"), ("zero one two three four", "two"), ("zero one 2 three four", "2")]:
        server.call("PATCH", f"/tasks/{task['id']}", {"body": words})
        expect(body).to_have_value(words)
        assert selected() == wanted


def test_a_new_category_whose_name_was_typed_long_ago_is_saved(page, server):
    task = server.task("Report")
    shows(page, todo=["Report"])
    editor = open_task(page, "Report")
    editor.locator("select[name=category]").select_option(label="New category…")
    page.keyboard.type("Work")
    # The second after the last key is over.
    card(page, "Report").locator(".line .draft").wait_for(state="attached")
    page.keyboard.press("Tab")
    becomes(["Work"], lambda: [one["name"] for one in server.call("GET", "/categories")["items"]])
    [work] = server.call("GET", "/categories")["items"]
    becomes(work["id"], stored(server, task, "categoryId"))
    expect(editor).to_be_visible()
