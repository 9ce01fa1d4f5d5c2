"""Tabs of one account share what is on the device, and none takes words or the session from another."""

from playwright.sync_api import expect

from harness import add, card, closed, saved, shows, wait_for
from test_words import open_task


def tabs(browser, server):
    context = browser()
    pages = [context.new_page(), context.new_page()]
    for page in pages:
        page.goto(server.url)
        saved(page)
    return pages


def draft_is(page, key, member, words):
    """Waits until the device keeps these words as a draft."""
    wait_for(
        page,
        """async ([key, member, words]) => {
            const [{ name }] = (await indexedDB.databases()).filter(({ name }) => name.startsWith('kanbase-'));
            const open = await new Promise((resolve) => { const r = indexedDB.open(name); r.onsuccess = () => resolve(r.result); });
            const all = open.transaction('draft').objectStore('draft').get(key);
            const draft = await new Promise((resolve) => { all.onsuccess = () => resolve(all.result); });
            open.close();
            return draft?.fields[member] === words;
        }""",
        [key, member, words],
    )


def test_saving_in_one_tab_leaves_the_words_of_another_a_draft(browser, server):
    task = server.task("Report")
    one, two = tabs(browser, server)
    first = open_task(one, "Report")
    first.locator("textarea[name=body]").fill("of the first tab")
    second = open_task(two, "Report")
    second.locator("textarea[name=body]").fill("of the second tab")

    first.locator("button.primary").click()
    saved(one)

    expect(second.locator(".theirs:visible")).to_contain_text("of the first tab")
    draft_is(two, f"task:{task['id']}", "body", "of the second tab")
    two.reload()
    expect(two.locator("dialog.editor textarea")).to_have_value("of the second tab")


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
    card(one, "Report").locator(".pill.draft").wait_for()
    card(one, "Report").locator(".open").focus()
    one.keyboard.press("Delete")
    two.locator(".editor .fault", has_text="deleted").wait_for()
    draft_is(two, f"task:{task['id']}", "body", "A long thought")


def test_undo_of_a_deletion_brings_the_draft_back(page, server):
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
    expect(card(page, "Report").locator(".pill.draft")).to_have_count(0)
