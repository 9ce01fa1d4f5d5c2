"""The page behind the links of mails and invitations, and invitations on the board."""

import json
import re
import socketserver
import subprocess
import threading

import pytest
from playwright.sync_api import expect

from barriers import small_targets, violations
from harness import KANBASE, LANGUAGES, PATIENCE, Server, saved, wait_for
from test_session import log_in

PASSWORD = "a good password"


class Mailbox(socketserver.ThreadingTCPServer):
    """A mail server that takes everything; `link` waits for the first mail with a link of a kind."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), MailHandler)
        self.mails = []
        self.arrived = threading.Condition()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def link(self, kind):
        """The part of the link after the host."""
        links = lambda: [found[0] for mail in self.mails if (found := re.search(rf"/reset#{kind}=\w+", mail))]
        with self.arrived:
            assert self.arrived.wait_for(links, timeout=PATIENCE), "no mail came"
            return links()[0]


class MailHandler(socketserver.StreamRequestHandler):
    def handle(self):
        say = lambda words: self.wfile.write(f"{words}\r\n".encode())
        say("220 mailbox ESMTP")
        for line in self.rfile:
            verb = line[:4].upper().strip()
            if verb == b"DATA":
                say("354 go on")
                lines = list(iter(lambda: self.rfile.readline().rstrip(b"\r\n"), b"."))
                with self.server.arrived:
                    self.server.mails.append(decoded(b"\r\n".join(lines)))
                    self.server.arrived.notify_all()
            say("221 bye" if verb == b"QUIT" else "250 fine")
            if verb == b"QUIT":
                return


def decoded(message):
    import email

    return email.message_from_bytes(message).get_payload(decode=True).decode()


@pytest.fixture
def mailing():
    """A server with accounts and a mail server."""
    mailbox = Mailbox()
    server = Server("--auth", "required", "--rate-limit", "0", "--mail-url", mailbox.url)
    server.mailbox = mailbox
    yield server
    server.close()
    mailbox.shutdown()
    mailbox.server_close()


@pytest.fixture
def inviting():
    """A server that nobody joins without an invitation."""
    server = Server("--auth", "required", "--rate-limit", "0", "--signup", "invite")
    yield server
    server.close()


def invite(server):
    made = subprocess.run([KANBASE, "invite", "--json", "--data", server.data], capture_output=True, check=True)
    return json.loads(made.stdout)["code"]


INVITED = {
    "en": ("You are invited", "The account is made", "This invitation was used."),
    "ko": ("초대를 받으셨습니다", "계정을 만들었습니다", "이미 사용한 초대입니다."),
    "ja": ("招待されています", "アカウントを作りました", "この招待は使用済みです。"),
}


def test_an_invitation_makes_one_account(browser, inviting):
    for language, (title, made, used) in INVITED.items():
        code = invite(inviting)
        page = browser(language).new_page()
        page.goto(f"{inviting.url}/reset#invitation={code}")
        expect(page.locator("h1")).to_have_text(title)
        expect(page.locator("html")).to_have_attribute("lang", language)
        # Who looks at the screen, or at the history later, does not see the code.
        assert code not in page.url and code not in page.content()
        page.locator("#email").fill(f"{language}@example.org")
        page.locator("#password").fill(PASSWORD)
        page.locator("#send").click()
        page.locator("#status", has_text=made).wait_for()
        page.locator("#open a").click()
        log_in(page, f"{language}@example.org", PASSWORD)
        saved(page)

        late = browser(language).new_page()
        late.goto(f"{inviting.url}/reset#invitation={code}")
        late.locator("#email").fill("late@example.org")
        late.locator("#password").fill(PASSWORD)
        late.locator("#send").click()
        late.locator("#status", has_text=used).wait_for()
        expect(late.locator("#open")).to_be_hidden()


def test_an_account_invites_and_takes_back(browser, inviting):
    code = invite(inviting)
    inviting.call("POST", "/accounts", {"email": "sun@example.org", "password": PASSWORD, "invitation": code})
    page = browser().new_page()
    page.goto(inviting.url)
    log_in(page, password=PASSWORD)
    saved(page)
    page.goto(inviting.url + "/?screen=account")
    page.locator("summary", has_text="Invite somebody").click()
    page.locator("form.inline button", has_text="Invite somebody").click()
    link = page.locator(".note code")
    link.wait_for()
    page.locator(".rows strong", has_text="Anybody").wait_for()

    guest = browser().new_page()
    guest.goto(link.inner_text())
    guest.locator("#email").fill("moon@example.org")
    guest.locator("#password").fill(PASSWORD)
    guest.locator("#send").click()
    guest.locator("#status", has_text="The account is made").wait_for()

    page.locator("summary", has_text="Invite somebody").click()
    page.locator("form.inline", has_text="Only for this address").locator("input").fill("star@example.org")
    page.locator("form.inline button", has_text="Invite somebody").click()
    page.locator(".rows strong", has_text="star@example.org").wait_for()
    expect(page.locator(".rows li", has_text="Anybody").locator("text=Used")).to_have_count(1)
    page.get_by_role("button", name="Delete star@example.org").click()
    page.locator(".rows strong", has_text="star@example.org").wait_for(state="detached")
    page.get_by_text("The password only.").wait_for()


def test_a_forgotten_password_is_set_by_the_link_of_the_mail_once(browser, mailing):
    mailing.call("POST", "/accounts", {"email": "sun@example.org", "password": "the old password"})
    page = browser().new_page()
    page.goto(mailing.url + "/reset")
    page.locator("#email").fill("sun@example.org")
    page.locator("#send").click()
    page.locator("#status", has_text="a mail is on its way").wait_for()
    link = mailing.url + mailing.mailbox.link("password_reset")

    # Only the part after the # changes: the browser would stay on the page.
    page = browser().new_page()
    page.goto(link)
    page.locator("#password").fill("short")
    page.locator("#send").click()
    wait_for(page, "() => !document.querySelector('#password').checkValidity()")
    page.locator("#password").fill(PASSWORD)
    page.locator("#send").click()
    page.locator("#status", has_text="The password is set").wait_for()
    page.locator("#open a").click()
    log_in(page, password=PASSWORD)
    saved(page)

    again = browser().new_page()
    again.goto(link)
    again.locator("#password").fill("another password")
    again.locator("#send").click()
    again.locator("#status", has_text="wrong, used or too old").wait_for()


def test_an_address_is_confirmed_and_an_account_locked_by_links(browser, mailing):
    mailing.account(password=PASSWORD)
    page = browser().new_page()
    page.goto(mailing.url + mailing.mailbox.link("email_verification"))
    page.locator("#email").fill("sun@example.org")
    page.locator("#password").fill("a wrong password")
    page.locator("#send").click()
    page.locator("#status", has_text="E-mail or password is wrong.").wait_for()
    page.locator("#password").fill(PASSWORD)
    page.locator("#send").click()
    page.locator("#status", has_text="The address is confirmed").wait_for()
    token = mailing.call("POST", "/sessions", {"email": "sun@example.org", "password": PASSWORD, "device": "New"})["token"]
    assert mailing.call("GET", "/account", token=token)["emailVerified"] is True

    lock = browser().new_page()
    lock.goto(mailing.url + mailing.mailbox.link("account_lock"))
    lock.locator("#send").click()
    lock.locator("#status", has_text="The account is locked").wait_for()
    expect(lock.locator("#open")).to_be_hidden()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_server_that_is_gone_is_told_in_words(browser, guarded, language):
    page = browser(language).new_page()
    page.goto(f"{guarded.url}/reset#invitation=x")
    guarded.stop()
    page.locator("#email").fill("sun@example.org")
    page.locator("#password").fill(PASSWORD)
    page.locator("#send").click()
    words = {"en": "cannot be reached", "ko": "연결할 수 없습니다", "ja": "接続できません"}[language]
    page.locator("#status", has_text=words).wait_for()
    expect(page.locator("#send")).to_be_enabled()


def test_the_page_keeps_nobody_out(browser, guarded):
    faults = {}
    context = browser(reduced_motion="reduce")
    for kind in ("", "#invitation=x", "#account_lock=x", "#email_verification=x", "#password_reset=x"):
        page = context.new_page()
        page.goto(f"{guarded.url}/reset{kind}")
        page.wait_for_selector("#send")
        # The last is 1280 x 1024 at 400 %.
        for width, height in ((1280, 800), (390, 844), (320, 256)):
            page.set_viewport_size({"width": width, "height": height})
            found = violations(page) + small_targets(page)
            if page.evaluate("() => document.documentElement.scrollWidth > innerWidth"):
                found.append("wider than the screen")
            if found:
                faults[f"{width} {kind}"] = found
        page.close()
    assert faults == {}


def test_another_link_in_the_same_window_is_followed(browser, server):
    page = browser().new_page()
    page.goto(f"{server.url}/reset#password_reset=first")
    expect(page).to_have_title(re.compile("^New password"))
    page.goto(f"{server.url}/reset#account_lock=second")
    expect(page).to_have_title(re.compile("^Lock the account"))
    # The code leaves the address here, too.
    expect(page).to_have_url(f"{server.url}/reset")


@pytest.mark.parametrize("name", ["constructor", "toString", "__proto__", "open", "problems"])
def test_a_link_of_no_kind_of_this_page_asks_for_the_address(browser, server, name):
    page = browser().new_page()
    faults = []
    page.on("pageerror", lambda fault: faults.append(fault))
    page.goto(f"{server.url}/reset?utm=1#{name}=x")
    expect(page.get_by_label("E-mail address")).to_be_visible()
    expect(page.locator("#title")).to_have_text("Forgotten password")
    assert faults == []
