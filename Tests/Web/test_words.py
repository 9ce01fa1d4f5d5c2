"""No word that somebody typed is ever lost."""

import contextlib

import pytest
from playwright.sync_api import Error, expect

from harness import add, becomes, card, closed, open_questions, saved, shows, wait_for
from test_session import log_in


def open_task(page, title):
    card(page, title).locator(".open").click()
    page.wait_for_selector("dialog.editor[open]")
    return page.locator("dialog.editor")


def two_windows(browser, server):
    pages = []
    for _ in range(2):
        page = browser().new_page()
        page.goto(server.url)
        saved(page)
        pages.append(page)
    return pages


def test_edits_of_different_members_in_two_windows_both_stay(browser, server):
    task = server.task("Report")
    one, two = two_windows(browser, server)
    editor = open_task(two, "Report")
    editor.locator("textarea[name=body]").fill("Numbers of March")
    editor.locator("input[name=date]").fill("2031-05-04")

    first = open_task(one, "Report")
    first.locator("[name=title]").fill("Quarterly report")
    first.locator("button.primary").click()
    wait_for(two, "() => document.querySelector('.editor [name=title]').value === 'Quarterly report'")
    expect(editor.locator("textarea[name=body]")).to_have_value("Numbers of March")
    editor.locator("button.primary").click()
    saved(two)

    stored = server.call("GET", f"/tasks/{task['id']}")
    assert (stored["title"], stored["body"], stored["dueDate"]) == ("Quarterly report", "Numbers of March", "2031-05-04")


def test_a_drag_in_another_window_takes_nothing_from_an_open_editor(browser, server):
    task = server.task("Report")
    one, two = two_windows(browser, server)
    editor = open_task(two, "Report")
    editor.locator("textarea[name=body]").fill("Half a sentence")

    card(one, "Report").locator(".open").focus()
    one.keyboard.press("Shift+ArrowRight")
    wait_for(two, "() => document.querySelector('.editor [name=status]').value === 'doing'")
    editor.locator("button.primary").click()
    saved(two)

    stored = server.call("GET", f"/tasks/{task['id']}")
    assert (stored["status"], stored["body"]) == ("doing", "Half a sentence")


#: The second after the last key never ends: nothing is saved before something else happens.
ENDLESS = """{ const later = window.setTimeout;
    window.setTimeout = (run, wait, ...rest) => later(run, wait === 1000 ? 1e9 : wait, ...rest); }"""


def test_what_both_changed_is_shown_side_by_side_in_the_editor(browser, server):
    task = server.task("Report", body="old")
    two = browser().new_page()
    two.add_init_script(ENDLESS)
    two.goto(server.url)
    editor = open_task(two, "Report")
    editor.locator("textarea[name=body]").fill("mine")

    server.call("PATCH", f"/tasks/{task['id']}", {"body": "theirs"})

    theirs = editor.locator(".theirs:visible")
    expect(theirs).to_contain_text("theirs")
    expect(editor.locator("textarea[name=body]")).to_have_value("mine")
    theirs.get_by_role("button", name="Keep both").click()
    editor.locator("button.primary").click()
    closed(two)
    saved(two)
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "theirs\n\nmine"


def test_what_was_merged_while_offline_is_shown_until_answered(browser, server):
    task = server.task("Report", body="old")
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    context.set_offline(True)
    editor = open_task(page, "Report")
    editor.locator("textarea[name=body]").fill("mine")
    editor.locator("button.primary").click()
    server.call("PATCH", f"/tasks/{task['id']}", {"body": "theirs"})
    context.set_offline(False)

    page.wait_for_selector("#state[data-kind=issues]")
    page.reload()
    open_questions(page)
    sides = page.locator(".sides")
    expect(sides).to_contain_text("mine")
    expect(sides).to_contain_text("theirs")
    page.get_by_role("button", name="Take theirs").click()
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "theirs"


def test_an_edit_of_what_was_deleted_meanwhile_can_be_saved_all_the_same(browser, server):
    task = server.task("Report")
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    context.set_offline(True)
    editor = open_task(page, "Report")
    editor.locator("textarea[name=body]").fill("A long thought")
    editor.locator("button.primary").click()
    server.call("DELETE", f"/tasks/{task['id']}")
    context.set_offline(False)

    open_questions(page)
    expect(page.locator(".issue")).to_contain_text("A long thought")
    page.get_by_role("button", name="Restore and save").click()
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "A long thought"


@pytest.mark.unopened
def test_escape_back_a_click_beside_and_reload_save_what_was_typed(page, server):
    task = server.task("Report")
    page.add_init_script(ENDLESS)
    page.goto(server.url)
    leave = {
        "Escape": lambda: page.keyboard.press("Escape"), "Back": page.go_back, "a click beside": lambda: page.mouse.click(5, 5),
        "the cross": lambda: page.locator("dialog.editor .square").click(), "reload": page.reload,
    }
    for words, run in leave.items():
        open_task(page, "Report").locator("textarea[name=body]").fill(words)
        run()
        if words != "reload":
            closed(page)
        becomes(words, lambda: server.call("GET", f"/tasks/{task['id']}")["body"])
    expect(page.locator("dialog.editor textarea[name=body]")).to_have_value("reload")
    page.locator("dialog.editor button.primary").click()
    closed(page)
    expect(card(page, "Report").locator(".line .draft")).to_have_count(0)


def test_a_tab_that_is_closed_saves_what_was_typed(browser, server):
    task = server.task("Report")
    context = browser()
    page = context.new_page()
    page.add_init_script(ENDLESS)
    page.goto(server.url)
    saved(page)
    open_task(page, "Report").locator("textarea[name=body]").fill("before the end")
    page.close()

    context.new_page().goto(server.url)
    becomes("before the end", lambda: server.call("GET", f"/tasks/{task['id']}")["body"])


def test_a_crash_of_the_tab_keeps_what_was_typed(browser, server):
    server.task("Report")
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    saved(page)
    page.route("**/sync", lambda route: route.abort())
    open_task(page, "Report").locator("textarea[name=body]").fill("before the crash")
    becomes(["before the crash"], lambda: page.evaluate("""async () => {
        const [{ name }] = (await indexedDB.databases()).filter(({ name }) => name.startsWith('kanbase-'));
        const open = await new Promise((resolve) => { const r = indexedDB.open(name); r.onsuccess = () => resolve(r.result); });
        const edits = await new Promise((resolve) => { const r = open.transaction('outbox').objectStore('outbox').getAll(); r.onsuccess = () => resolve(r.result); });
        open.close();
        return edits.map(({ mutation }) => mutation.value.body);
    }"""))
    with page.expect_event("crash"), contextlib.suppress(Error):
        page.goto("chrome://crash", timeout=2000)

    again = context.new_page()
    again.goto(server.url)
    again.wait_for_selector(".card")
    expect(open_task(again, "Report").locator("textarea[name=body]")).to_have_value("before the crash")


def test_the_line_of_a_new_task_is_a_draft_too(page, server):
    page.locator("[data-column=todo] .add-open").click()
    page.locator("[data-column=todo] .add input").fill("Half a tit")
    page.reload()
    saved(page)
    expect(page.locator("[data-column=todo] .add input")).to_have_value("Half a tit")


def test_a_rename_in_place_survives_escape(page, server):
    server.task("Report")
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("F2")
    page.locator(".rename").fill("Repor")
    page.keyboard.press("Escape")
    shows(page, todo=["Report"])
    page.keyboard.press("F2")
    expect(page.locator(".rename")).to_have_value("Repor")
    page.locator(".rename").fill("Another title")
    page.keyboard.press("Enter")
    saved(page)
    assert server.tasks()[0]["title"] == "Another title"


def test_markup_is_text_everywhere(page, server):
    words = "<img src=x onerror=alert(1)>"
    add(page, words)
    saved(page)
    shows(page, todo=[words])
    expect(page.locator(".card img")).to_have_count(0)


@pytest.mark.unopened
def test_a_link_to_a_task_that_is_gone_says_so(page, server):
    page.goto(server.url + "/?task=11111111-0000-4000-8000-000000000001")
    page.locator(".toast", has_text="There is no such task. Perhaps it is in the trash.").wait_for()
    wait_for(page, "() => location.search === ''")


def test_back_says_that_words_are_kept_that_cannot_be_saved(page, server):
    server.task("Report")
    open_task(page, "Report").locator("textarea[name=body]").fill("x" * 1200)
    page.go_back()
    closed(page)
    page.locator(".toast", has_text="kept as a draft").wait_for()
    expect(card(page, "Report").locator(".line .draft")).to_be_visible()


def test_a_draft_that_is_too_long_is_not_saved(page, server):
    server.task("Report")
    open_task(page, "Report").locator("textarea[name=body]").fill("x" * 1200)
    page.reload()
    page.wait_for_selector("dialog.editor[open]")
    page.locator("dialog.editor button.primary").click()
    expect(page.locator("dialog.editor")).to_be_visible()
    assert "1200" in page.locator("dialog.editor textarea[name=body]").evaluate("(area) => area.validationMessage")


def test_a_rename_that_changes_nothing_is_no_edit(page, server):
    before = server.task("  Report ")
    card(page, "  Report ").locator(".open").focus()
    page.keyboard.press("F2")
    page.keyboard.press("Enter")
    add(page, "Another")
    saved(page)
    assert server.call("GET", f"/tasks/{before['id']}") == before


def test_back_closes_a_sheet_and_keeps_its_words(page, server):
    page.keyboard.press("t")
    page.get_by_role("button", name="Add a D-day").click()
    page.locator("dialog input").first.fill("Exam")
    page.go_back()
    expect(page.locator("dialog")).to_have_count(0)
    page.locator(".toast", has_text="kept as a draft").get_by_role("button", name="Go on").click()
    expect(page.locator("dialog input").first).to_have_value("Exam")


def test_words_in_a_form_of_the_account_stay_when_its_answer_is_late(browser, guarded):
    token = guarded.token
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    page.keyboard.press("t")
    page.locator("#more").click()
    page.get_by_role("menuitem", name="Account").click()
    page.locator(".quiet-words", has_text="0 tasks").wait_for()
    page.keyboard.press("t")
    # What is shown at first is no longer true, and the next answer waits.
    guarded.call("POST", "/tasks", {"title": "Report"}, token=token)
    waiting = []
    page.route("**/account", lambda route: waiting.append(route))
    page.locator("#more").click()
    page.get_by_role("menuitem", name="Account").click()
    page.locator("summary", has_text="Change the name").click()
    name = page.locator("[name=displayName]")
    name.fill("Sun")
    with page.expect_response("**/account"):
        waiting[0].continue_()
    page.unroute_all()
    page.evaluate("() => new Promise((painted) => { requestAnimationFrame(() => { requestAnimationFrame(painted); }); })")
    page.keyboard.press("Enter")
    becomes("Sun", lambda: guarded.call("GET", "/account", token=token)["displayName"])
