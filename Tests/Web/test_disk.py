"""A disk that the browser closes, or that refuses what the board writes or reads, loses nothing."""

import pytest

from harness import SLACK, add, installed, saved, shows, wait_for
from test_words import two_windows

pytestmark = pytest.mark.worker


#: The device refuses the next write of a task, as a full disk does.
REFUSE_ONE_WRITE = """() => {
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (names, mode, ...rest) {
        const made = transaction.call(this, names, mode, ...rest);
        if (mode === 'readwrite' && names.includes('task')) {
            IDBDatabase.prototype.transaction = transaction;
            made.commit = () => made.abort();
        }
        return made;
    };
}"""


def test_what_the_device_refused_to_keep_is_fetched_again(browser, server):
    task = server.task("Report")
    context = browser()
    pages = [context.new_page(), context.new_page()]
    for page in pages:
        page.goto(server.url)
        shows(page, todo=["Report"])
        saved(page)
    pages[0].evaluate(REFUSE_ONE_WRITE)
    server.call("PATCH", f"/tasks/{task['id']}", {"title": "Long report"})
    pages[0].locator(".toast", has_text="can't save changes").wait_for()
    server.task("Later")
    for page in pages:
        shows(page, todo=["Long report", "Later"])

    pages[0].reload()
    shows(pages[0], todo=["Long report", "Later"])
    # The other tab follows the server now, and goes on where the device is.
    server.task("Latest")
    shows(pages[1], todo=["Long report", "Later", "Latest"])
    pages[0].reload()
    shows(pages[0], todo=["Long report", "Later", "Latest"])


#: The browser closes the connection to the disk, as iOS does in the background: its next user gets an error.
CLOSE_ALL = """() => {
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (...rest) {
        IDBDatabase.prototype.transaction = transaction;
        window.hasClosed = true;
        this.close();
        return transaction.call(this, ...rest);
    };
}"""


def test_what_is_added_after_the_browser_closed_the_disk_is_kept(browser, server):
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    page.reload()
    saved(page)
    server.stop()
    for title in ["First", "Second"]:
        page.evaluate(CLOSE_ALL)
        add(page, title)
        wait_for(page, "() => window.hasClosed")
    shows(page, todo=["First", "Second"])
    assert page.locator(".toast", has_text="can't save changes").count() == 0
    page.reload()
    shows(page, todo=["First", "Second"])
    server.start()
    saved(page)
    assert [task["title"] for task in server.tasks()] == ["First", "Second"]


def test_what_is_on_the_disk_is_read_though_the_browser_closed_it(browser, server):
    server.task("Report")
    page = browser().new_page()
    page.goto(server.url)
    shows(page, todo=["Report"])
    saved(page)
    installed(page)
    server.stop()
    page.add_init_script(f"({CLOSE_ALL})()")
    page.reload()
    shows(page, todo=["Report"])
    assert page.evaluate("() => window.hasClosed")
    add(page, "Second")
    shows(page, todo=["Report", "Second"])
    page.reload()
    shows(page, todo=["Report", "Second"])


def test_a_disk_that_cannot_be_read_leaves_the_board_as_long_as_the_page_is_open(browser, server):
    server.task("Report")
    context = browser()
    page, other = context.new_page(), context.new_page()
    for each in (page, other):
        each.goto(server.url)
        shows(each, todo=["Report"])
        saved(each)
    page.add_init_script("IDBDatabase.prototype.transaction = () => { throw new DOMException('gone', 'UnknownError'); };")
    page.reload()
    shows(page, todo=["Report"])
    saved(page)
    add(page, "Second")
    saved(page)
    # What this one has seen is on no disk: another tab goes on where its own is.
    shows(other, todo=["Report", "Second"])
    page.close()
    server.task("Third")
    shows(other, todo=["Report", "Second", "Third"])
    other.reload()
    shows(other, todo=["Report", "Second", "Third"])


#: The device takes its time with the next write of a task, and refuses it once the page says so.
REFUSE_ONE_WRITE_LATE = """() => {
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function (names, mode, ...rest) {
        const made = transaction.call(this, names, mode, ...rest);
        if (mode === 'readwrite' && names.includes('task')) {
            IDBDatabase.prototype.transaction = transaction;
            const wait = () => { if (window.isFull) made.abort(); else made.objectStore('task').count().onsuccess = wait; };
            made.commit = wait;
        }
        return made;
    };
}"""


def test_what_comes_while_the_device_refuses_a_write_does_not_hide_it(browser, server):
    page, other = two_windows(browser, server)
    page.evaluate(REFUSE_ONE_WRITE_LATE)
    server.task("Refused")
    shows(page, todo=["Refused"])
    server.task("Meanwhile")
    shows(other, todo=["Refused", "Meanwhile"])
    # It has reached this page, too.
    page.wait_for_timeout(500 * SLACK)
    page.evaluate("() => { window.isFull = true; }")
    page.locator(".toast", has_text="can't save changes").wait_for()
    shows(page, todo=["Refused", "Meanwhile"])
    page.reload()
    shows(page, todo=["Refused", "Meanwhile"])


def test_a_page_that_keeps_nothing_asks_before_it_is_left(browser, server):
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    server.stop()
    page.evaluate("() => { IDBDatabase.prototype.transaction = () => { throw new DOMException('full', 'QuotaExceededError'); }; }")
    add(page, "Unsent")
    page.locator(".toast", has_text="can't save changes").wait_for()
    asked = []
    page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.dismiss()))
    page.evaluate("() => { setTimeout(() => location.reload()); }")
    wait_for(page, "() => document.querySelector('.card') !== null")
    server.start()
    saved(page)
    assert asked == ["beforeunload"]
    assert [task["title"] for task in server.tasks()] == ["Unsent"]
