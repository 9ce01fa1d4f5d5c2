"""Logging in and out, and nothing of one account left for another."""

import re

import pytest
from playwright.sync_api import expect

from harness import Server, add, becomes, saved, shows, wait_for


def log_in(page, email="sun@example.org", password="correct horse"):
    page.locator("[name=email]").fill(email)
    page.locator("[name=password]").fill(password)
    page.locator("button.primary").click()


def end_web_sessions(server, token):
    for session in server.call("GET", "/sessions", token=token)["items"]:
        if (session["device"] or "").startswith("Web"):
            server.call("DELETE", f"/sessions/{session['id']}", token=token)


def test_escape_does_not_leave_the_log_in(browser, guarded):
    page = browser().new_page()
    page.goto(guarded.url)
    page.wait_for_selector(".entry [name=password]")
    for _ in range(3):
        page.keyboard.press("Escape")
    log_in(page, password="wrong wrong")
    page.locator(".fault", has_text="wrong").wait_for()
    log_in(page)
    saved(page)
    expect(page.locator(".column")).to_have_count(3)


def test_a_revoked_session_leaves_nothing_of_the_account(browser, guarded):
    token = guarded.token
    guarded.call("POST", "/tasks", {"title": "Secret of sun"}, token)
    context = browser()
    page = context.new_page()
    page.goto(guarded.url)
    log_in(page)
    page.wait_for_selector(".card")
    end_web_sessions(guarded, token)

    page.wait_for_selector(".entry [name=password]")
    assert "Secret" not in page.content()
    expect(page.locator(".note")).to_contain_text("ended")
    becomes([], lambda: page.evaluate("() => indexedDB.databases()"))
    wait_for(page, "() => Object.keys(localStorage).length === 0")

    guarded.account("moon@example.org")
    seen = []
    page.expose_function("seen", lambda words: seen.append(words))
    page.evaluate("() => new MutationObserver(() => window.seen(document.body.textContent)).observe(document.body, { childList: true, subtree: true })")
    log_in(page, "moon@example.org")
    saved(page)
    shows(page, todo=[], doing=[], done=[])
    assert not any("Secret" in text for text in seen)


def test_logging_out_ends_all_tabs_and_erases_the_device(browser, guarded):
    token = guarded.token
    guarded.call("POST", "/tasks", {"title": "Mine"}, token)
    context = browser()
    one, two = context.new_page(), context.new_page()
    one.goto(guarded.url)
    log_in(one)
    one.wait_for_selector(".card")
    two.goto(guarded.url)
    two.wait_for_selector(".card")

    one.goto(guarded.url + "/?screen=stats")
    one.wait_for_selector(".figure")
    one.locator("#more").click()
    one.get_by_role("menuitem", name="Log out").click()
    for page in (one, two):
        page.wait_for_selector(".entry [name=password]")
        assert "Mine" not in page.content()
    becomes([], lambda: one.evaluate("() => indexedDB.databases()"))
    one.go_back()
    one.wait_for_selector(".entry [name=password]")
    becomes(1, lambda: len(guarded.call("GET", "/sessions", token=token)["items"]))


def test_unsent_edits_wait_for_their_account(browser, guarded):
    token = guarded.token
    context = browser()
    page = context.new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    # The page cannot send, but hears that its session ended.
    page.route("**/sync", lambda route: route.abort())
    add(page, "Written before the end")
    end_web_sessions(guarded, token)
    page.wait_for_selector(".entry [name=password]")
    expect(page.locator(".entry")).to_contain_text(re.compile("1 unsent change|ended"))
    assert "Written" not in page.content()
    page.unroute("**/sync")

    guarded.account("moon@example.org")
    page.once("dialog", lambda dialog: dialog.dismiss())
    log_in(page, "moon@example.org")
    page.locator(".fault", has_text="still here").wait_for()
    log_in(page)
    saved(page)
    shows(page, todo=["Written before the end"])


def test_signing_up_leads_to_the_board(browser, guarded):
    page = browser().new_page()
    page.goto(guarded.url)
    page.get_by_role("button", name="Make an account").click()
    page.locator("[name=email]").fill("new@example.org")
    page.locator("[name=newPassword]").fill("a good password")
    page.locator("button.primary").click()
    saved(page)
    add(page, "First task")
    saved(page)
    shows(page, todo=["First task"])


MAILING = ("--mail-url", "smtp://127.0.0.1:1")


@pytest.mark.parametrize(
    "options, offered",
    [
        ((), ["Make an account"]),
        (MAILING, ["Make an account", "Forgot your password?"]),
        ((*MAILING, "--signup", "closed"), ["Forgot your password?"]),
        (("--signup", "closed"), []),
        (("--signup", "invite"), ["Make an account"]),
    ],
)
def test_the_log_in_offers_what_the_server_has(browser, options, offered):
    server = Server("--auth", "required", *options)
    page = browser().new_page()
    page.goto(server.url)
    page.wait_for_selector(".entry [name=password]")
    expect(page.locator(".links button")).to_have_text(offered)
    server.close()


def test_the_account_screen_shows_sessions_and_makes_tokens(browser, guarded):
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    page.goto(guarded.url + "/?screen=account")
    page.get_by_text("Web, ").first.wait_for()
    page.locator("summary", has_text="Make a token").click()
    page.locator("[name=name]").fill("Widget")
    page.locator("form.inline button", has_text="Make a token").click()
    secret = page.locator(".note code")
    secret.wait_for()
    assert secret.inner_text().startswith("kb_")
    # Without the password it ends by itself.
    page.locator(".rows li", has_text="Widget").filter(has_text="Good until").wait_for()
    assert len(guarded.call("GET", "/tokens", token=secret.inner_text())["items"]) == 1

    page.locator("summary", has_text="Make a token").click()
    making = page.locator("form.inline", has=page.get_by_role("button", name="Make a token"))
    expect(making).to_contain_text("Without the password it ends after a year.")
    making.locator("[name=name]").fill("For ever")
    making.locator("[name=password]").fill("correct horse")
    making.get_by_role("button").click()
    row = page.locator(".rows li", has_text="For ever")
    row.wait_for()
    expect(row).not_to_contain_text("Good until")


def test_the_account_names_this_device_and_logs_it_out(browser, guarded):
    token = guarded.token
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    page.goto(guarded.url + "/?screen=account")
    here = page.locator(".rows li", has_text="this device")
    expect(here).to_have_count(1)
    expect(here).to_contain_text("Web, ")
    here.get_by_role("button", name="Log out").click()
    page.wait_for_selector(".entry [name=password]")
    assert not any((one["device"] or "").startswith("Web") for one in guarded.call("GET", "/sessions", token=token)["items"])


def test_a_refusal_does_not_stay_beside_what_the_browser_finds_wrong(browser, guarded):
    page = browser().new_page()
    page.goto(guarded.url)
    page.get_by_role("button", name="Make an account").click()
    page.locator("[name=email]").fill("sun@example.org")
    page.locator("[name=newPassword]").fill("correct horse")
    page.locator("button.primary").click()
    page.locator(".fault", has_text="There is an account with this address.").wait_for()
    page.locator("[name=email]").fill("moon@example.org")
    # Replaced key by key, as a person does: a short password that the browser refuses.
    page.locator("[name=newPassword]").fill("")
    page.locator("[name=newPassword]").press_sequentially("short")
    page.locator("button.primary").click()
    expect(page.locator(".fault")).to_have_text("")
    expect(page.locator("[name=newPassword]")).to_be_focused()


def test_the_address_is_confirmed_where_mail_is_sent(browser, guarded):
    page = browser().new_page()
    page.goto(guarded.url)
    log_in(page)
    saved(page)
    with page.expect_response("**/health/ready"):
        page.goto(guarded.url + "/?screen=account")
    page.locator("summary", has_text="Change the name").wait_for()
    expect(page.locator("summary", has_text="Confirm the address")).to_be_hidden()
    page.route("**/health/ready", lambda route: route.fulfill(json={"features": ["mail"], "signUp": "open"}))
    page.reload()
    page.locator("summary", has_text="Confirm the address").click()
    page.route("**/account/email-verification", lambda route: route.fulfill(status=202))
    page.get_by_role("button", name="Send a code").click()
    expect(page.locator("[name=code]")).to_be_visible()
