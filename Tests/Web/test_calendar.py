"""The address that calendar apps subscribe to, in the settings."""

import re
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect

from harness import PATIENCE, becomes, saved
from test_session import log_in


def feed(address):
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read().decode()


def test_without_accounts_the_address_is_there(browser, server):
    server.task("Report", dueDate="2031-05-04")
    context = browser()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.url)
    page = context.new_page()
    page.goto(server.url + "/?screen=settings")
    panel = page.locator(".panel", has_text="Calendar apps can subscribe")
    expect(panel.locator("code")).to_have_text(f"{server.url}/calendar.ics")
    expect(panel).to_contain_text("Anybody who has the address can read them.")
    expect(panel.get_by_role("link")).to_have_attribute("href", server.url.replace("http:", "webcal:") + "/calendar.ics")
    panel.get_by_role("button", name="Copy").click()
    page.locator(".toast", has_text="Copied").wait_for()
    assert "SUMMARY:Report" in feed(page.evaluate("() => navigator.clipboard.readText()"))


def test_an_address_is_made_shown_once_and_ended(browser, guarded):
    token = guarded.token
    guarded.call("POST", "/tasks", {"title": "Report", "dueDate": "2031-05-04"}, token)
    guarded.call("POST", "/tokens", {"name": "Script", "scope": "read"}, token)
    page = browser().new_page()
    page.goto(guarded.url + "/?screen=settings")
    log_in(page)
    panel = page.locator(".panel", has_text="Calendar apps can subscribe")
    expect(panel).to_contain_text("There is no address yet.")
    panel.get_by_role("button", name="Make an address").click()
    address = panel.locator("code").text_content()
    assert re.fullmatch(re.escape(guarded.url) + r"/calendar\.ics\?token=kb_\w+", address)
    assert "SUMMARY:Report" in feed(address)
    row = panel.locator(".rows li")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("Good until")

    # Afterwards it is known that there is an address, but not the address itself.
    page.reload()
    expect(row).to_contain_text("Last used")
    expect(panel.locator("code")).to_have_count(0)
    assert "kb_" not in page.content()
    row.get_by_role("button", name="End the address").click()
    expect(row).to_have_count(0)
    becomes(["read"], lambda: [made["scope"] for made in guarded.call("GET", "/tokens", token=token)["items"]])
    with pytest.raises(urllib.error.HTTPError, match="401"):
        feed(address)
    saved(page)


def test_the_new_address_stays_while_an_old_one_is_ended(browser, guarded):
    token = guarded.token
    guarded.call("POST", "/tokens", {"name": "Calendar", "scope": "calendar"}, token)
    page = browser().new_page()
    page.goto(guarded.url + "/?screen=settings")
    log_in(page)
    panel = page.locator(".panel", has_text="Calendar apps can subscribe")
    row = panel.locator(".rows li")
    expect(row).to_have_count(1)
    panel.get_by_role("button", name="Make an address").click()
    expect(row).to_have_count(2)
    address = panel.locator("code").text_content()
    # Made within the same minute, they differ in nothing else.
    old, new = row.filter(has_not_text="the new one"), row.filter(has_text="Calendar · the new one")
    expect(new).to_have_count(1)
    expect(new.get_by_role("button", name="the new one")).to_have_count(1)
    old.get_by_role("button").click()
    expect(row).to_have_count(1)
    expect(panel.locator("code")).to_have_text(address)
    assert "BEGIN:VCALENDAR" in feed(address)
    new.get_by_role("button").click()
    expect(row).to_have_count(0)
    expect(panel.locator("code")).to_have_count(0)


def test_a_browser_that_refuses_the_clipboard_is_told_of(browser, server):
    task = server.task("One")
    page = browser().new_page()
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new DOMException('No', 'NotAllowedError'))")
    page.goto(server.url)
    page.locator(".card .more").click()
    page.get_by_role("menuitem", name="Copy link").click()
    expect(page.locator(".toast.fault")).to_have_text(f"The browser did not copy it: {server.url}/?task={task['id']}")
    page.goto(server.url + "/?screen=settings")
    page.get_by_role("button", name="Copy").click()
    expect(page.locator(".toast.fault")).to_have_text(f"The browser did not copy it: {server.url}/calendar.ics")
