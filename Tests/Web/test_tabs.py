"""Tabs of one account share what is on the device, and none takes words or the session from another."""

from playwright.sync_api import expect

from harness import add, becomes, card, closed, saved, shows, wait_for
from test_session import end_web_sessions, log_in
from test_words import ENDLESS, open_task


def tabs(browser, server):
    context = browser()
    pages = [context.new_page(), context.new_page()]
    # What is typed in the second waits.
    pages[1].add_init_script(ENDLESS)
    for page in pages:
        page.goto(server.url)
        saved(page)
    return pages


def draft_is(page, key, member, words):
    """Waits until the device keeps these words as a draft."""
    becomes(words, lambda: page.evaluate(
        """async ([key, member]) => {
            const [{ name }] = (await indexedDB.databases()).filter(({ name }) => name.startsWith('kanbase-'));
            const open = await new Promise((resolve) => { const r = indexedDB.open(name); r.onsuccess = () => resolve(r.result); });
            const all = open.transaction('draft').objectStore('draft').get(key);
            const draft = await new Promise((resolve) => { all.onsuccess = () => resolve(all.result); });
            open.close();
            return draft?.fields[member];
        }""",
        [key, member],
    ))


def test_saving_in_one_tab_takes_no_words_of_another(browser, server):
    task = server.task("Report")
    one, two = tabs(browser, server)
    second = open_task(two, "Report")
    second.locator("textarea[name=body]").fill("of the second tab")
    first = open_task(one, "Report")
    first.locator("textarea[name=body]").fill("of the first tab")
    first.locator("button.primary").click()
    saved(one)

    expect(second.locator(".theirs:visible")).to_contain_text("of the first tab")
    two.reload()
    expect(two.locator("dialog.editor textarea[name=body]")).to_have_value("of the second tab")
    # Neither is lost before the user chooses.
    expect(second.locator(".theirs:visible")).to_contain_text("of the first tab")
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "of the first tab"
    second.locator(".theirs").get_by_role("button", name="Keep mine").click()
    becomes("of the second tab", lambda: server.call("GET", f"/tasks/{task['id']}")["body"])


def test_a_line_that_another_tab_adds_takes_no_line_of_this_one(browser, server):
    one, two = tabs(browser, server)
    one.locator("[data-column=todo] .add-open").click()
    one.locator("[data-column=todo] .add input").fill("Of the first")
    add(two, "Of the second")
    shows(one, todo=["Of the second"])
    draft_is(one, "add:todo", "line", "Of the first")
    one.reload()
    expect(one.locator("[data-column=todo] .add input")).to_have_value("Of the first")


def test_a_card_deleted_in_one_tab_takes_no_words_of_another(browser, server):
    task = server.task("Report")
    one, two = tabs(browser, server)
    open_task(two, "Report").locator("textarea[name=body]").fill("A long thought")
    card(one, "Report").locator(".open").focus()
    one.keyboard.press("Delete")
    two.locator(".editor .fault", has_text="deleted").wait_for()
    two.keyboard.press("Escape")
    draft_is(two, f"task:{task['id']}", "body", "A long thought")


def test_undo_of_a_deletion_brings_the_words_back(page, server):
    server.task("Report")
    editor = open_task(page, "Report")
    editor.locator("textarea[name=body]").fill("A long thought")
    editor.locator("button.danger").click()
    closed(page)
    shows(page, todo=[])
    page.locator(".toast").get_by_role("button", name="Undo").click()
    shows(page, todo=["Report"])
    expect(open_task(page, "Report").locator("textarea[name=body]")).to_have_value("A long thought")


def test_restored_words_are_no_draft_any_more(page, server):
    task = server.task("Report")
    open_task(page, "Report").locator("textarea[name=body]").fill("A long thought")
    server.call("DELETE", f"/tasks/{task['id']}")
    page.locator(".editor .fault", has_text="deleted").wait_for()
    page.keyboard.press("Control+Enter")
    shows(page, todo=["Report"])
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["body"] == "A long thought"
    expect(card(page, "Report").locator(".line .draft")).to_have_count(0)


def logged_in(browser, server):
    """Two tabs of one account with one task."""
    server.call("POST", "/tasks", {"title": "Report"}, server.token)
    context = browser()
    one, two = context.new_page(), context.new_page()
    one.goto(server.url)
    log_in(one)
    saved(one)
    two.goto(server.url)
    saved(two)
    return one, two


def test_a_log_out_promises_no_words_that_it_erased(browser, guarded):
    one, two = logged_in(browser, guarded)
    open_task(two, "Report").locator("textarea[name=body]").fill("x" * 1200)
    card(one, "Report").locator(".line .draft").wait_for()
    one.once("dialog", lambda dialog: dialog.accept())
    one.locator("#more").click()
    one.get_by_role("menuitem", name="Log out").click()
    for page in (one, two):
        page.wait_for_selector(".entry [name=password]")
        expect(page.locator(".entry .note")).to_have_count(0)
    assert one.evaluate("() => Object.keys(localStorage)") == []


def test_a_tab_that_hears_of_a_log_out_from_the_server_first_says_nothing(browser, guarded):
    one, two = logged_in(browser, guarded)
    two.add_init_script("addEventListener('storage', (event) => event.stopImmediatePropagation());")
    two.reload()
    saved(two)
    one.locator("#more").click()
    one.get_by_role("menuitem", name="Log out").click()
    for page in (one, two):
        page.wait_for_selector(".entry [name=password]")
        expect(page.locator(".entry .note")).to_have_count(0)


def test_a_log_out_takes_a_tab_along_that_keeps_nothing(browser, guarded):
    one, two = logged_in(browser, guarded)
    two.evaluate("() => { IDBDatabase.prototype.transaction = () => { throw new DOMException('full', 'QuotaExceededError'); }; }")
    open_task(two, "Report").locator("textarea[name=body]").fill("x" * 1200)
    two.locator(".toast", has_text="can't save changes").wait_for()
    # To be asked whether to leave would keep it, with nothing in it.
    two.on("dialog", lambda dialog: dialog.dismiss())
    one.once("dialog", lambda dialog: dialog.accept())
    one.locator("#more").click()
    one.get_by_role("menuitem", name="Log out").click()
    for page in (one, two):
        page.wait_for_selector(".entry [name=password]")


def test_a_tab_with_the_log_in_takes_the_session_of_another(browser, guarded):
    context = browser()
    one, two = context.new_page(), context.new_page()
    for page in (one, two):
        page.goto(guarded.url)
        page.wait_for_selector(".entry [name=password]")
    log_in(one)
    saved(one)
    saved(two)


def test_an_ended_session_says_that_edits_wait(browser, guarded):
    token = guarded.token
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    page.route("**/sync", lambda route: route.abort())
    add(page, "Written before the end")
    end_web_sessions(guarded, token)
    page.wait_for_selector(".entry [name=password]")
    expect(page.locator(".note")).to_have_text("Your session has ended. Please log in again. 1 unsent change waits on this device for the account that made them.")


def test_another_account_erases_no_edits_of_another_tab_unasked(browser, guarded):
    guarded.account("moon@example.org")
    context = browser()
    two = context.new_page()
    # A tab that sleeps hears of no other.
    two.add_init_script("addEventListener('storage', (event) => event.stopImmediatePropagation());")
    two.goto(guarded.url)
    two.wait_for_selector(".entry [name=password]")
    one = context.new_page()
    one.goto(guarded.url)
    log_in(one)
    saved(one)
    one.route("**/sync", lambda route: route.abort())
    add(one, "Unsent")
    asked = []
    two.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    log_in(two, "moon@example.org")
    two.locator(".fault", has_text="still here").wait_for()
    assert asked == ["Another account has 1 unsent change on this device. Erase them and log in?"]
    shows(one, todo=["Unsent"])


def test_an_engine_that_was_closed_tells_nobody(page):
    page.evaluate(
        """async () => {
            const { Connection, Engine, Store } = await import('/client/kanbase.js');
            const engine = new Engine(new Store('closed'), new Connection());
            engine.isLeading = true;
            engine.close();
            engine.setState({ sending: true });
        }"""
    )


def test_hidden_tabs_without_locks_hold_no_connection(browser, server):
    # As over plain HTTP from another machine.
    page = browser().new_page()
    page.add_init_script("""
        Object.defineProperty(navigator, 'locks', { value: undefined });
        window.isAway = false;
        Object.defineProperty(document, 'hidden', { get: () => window.isAway });
    """)
    page.goto(server.url)
    saved(page)
    with page.expect_event("requestfailed", lambda request: "/changes" in request.url):
        page.evaluate("() => { window.isAway = true; document.dispatchEvent(new Event('visibilitychange')); }")
    page.wait_for_selector("#state[data-kind=offline]")
    server.task("Meanwhile")
    page.evaluate("() => { window.isAway = false; document.dispatchEvent(new Event('visibilitychange')); }")
    shows(page, todo=["Meanwhile"])
    saved(page)
