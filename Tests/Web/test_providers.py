"""Signing in with a provider: to its page and back."""

import base64
import http.server
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse

import pytest
from playwright.sync_api import expect

from harness import KANBASE, Server, loaded, saved
from test_session import log_in


def encoded(data):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer:
    """A stand-in for a provider of OpenID Connect, which signs everybody in at once."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kanbase-issuer-")
        self.key = pathlib.Path(self.folder.name) / "key"
        self.openssl("genrsa", "-out", str(self.key), "2048")
        modulus = self.openssl("rsa", "-in", str(self.key), "-noout", "-modulus").decode().strip().split("=")[1]
        self.jwk = {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "k", "n": encoded(bytes.fromhex(modulus)), "e": "AQAB"}
        #: What people ask for, and what is changed in the answers to them.
        self.asked = []
        self.subject, self.email = "sun", "sun@example.org"
        self.claims, self.answer = {}, {}
        issuer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                address = urllib.parse.urlsplit(self.path)
                if address.path == "/authorize":
                    query = dict(urllib.parse.parse_qsl(address.query))
                    issuer.asked.append((query, dict(self.headers)))
                    self.send_response(302)
                    self.send_header("Location", f"{query['redirect_uri']}#{urllib.parse.urlencode(issuer.answer_to(query))}")
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                document = {"/.well-known/openid-configuration": {
                    "issuer": issuer.url, "jwks_uri": f"{issuer.url}/keys", "authorization_endpoint": f"{issuer.url}/authorize?tenant=1",
                }, "/keys": {"keys": [issuer.jwk]}}.get(address.path)
                body = json.dumps(document).encode()
                self.send_response(200 if document else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.service.server_port}"
        threading.Thread(target=self.service.serve_forever, daemon=True).start()

    def openssl(self, *arguments, **options):
        return subprocess.run(["openssl", *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **options).stdout

    def answer_to(self, query):
        now = int(time.time())
        claims = {
            "iss": self.url, "aud": query["client_id"], "sub": self.subject, "iat": now, "exp": now + 600, "nonce": query["nonce"],
            "email": self.email, "email_verified": True, **self.claims,
        }
        signed = f"{encoded({'alg': 'RS256', 'kid': 'k'})}.{encoded(claims)}"
        token = f"{signed}.{encoded(self.openssl('dgst', '-sha256', '-sign', str(self.key), input=signed.encode()))}"
        answer = {"id_token": token, "state": query["state"], **self.answer}
        return {name: value for name, value in answer.items() if value is not None}

    def close(self):
        self.service.shutdown()
        self.service.server_close()
        self.folder.cleanup()


@pytest.fixture
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.close()


@pytest.fixture
def signing(issuer):
    server = Server("--auth", "required", "--rate-limit", "0", "--oidc", f"company={issuer.url},board,app")
    yield server
    server.close()


def set_password(server, command, email):
    """`kanbase account add` or `password`, which read it."""
    subprocess.run([KANBASE, "account", command, email, "--data", server.data], input=b"correct horse\n", check=True, stdout=subprocess.DEVNULL)


def entry(page, server, path="/"):
    page.goto(server.url + path)
    page.wait_for_selector(".entry [name=password]")
    return page.get_by_role("button", name="Continue with Company")


def test_a_press_goes_to_the_provider_and_comes_back_to_the_board(browser, signing, issuer):
    page = browser().new_page()
    seen = []
    page.on("request", lambda request: seen.append(request.url))
    entry(page, signing).click()
    saved(page)
    [(query, headers)] = issuer.asked
    assert (query["response_type"], query["response_mode"], query["scope"]) == ("id_token", "fragment", "openid email")
    assert (query["client_id"], query["redirect_uri"], query["tenant"]) == ("board", f"{signing.url}/", "1")
    assert "Referer" not in headers and query["state"] != query["nonce"]
    # Nothing of it is left in the address, in the history or in the browser's storage, and no request had it in its address.
    assert page.url == f"{signing.url}/"
    assert page.evaluate("() => sessionStorage.length") == 0
    assert not any("id_token" in url.split("#")[0] for url in seen if url.startswith(signing.url))
    page.goto(signing.url + "/?screen=account")
    expect(page.locator(".rows li", has_text="company · sun@example.org")).to_be_visible()
    page.go_back()
    saved(page)
    assert "id_token" not in page.url


def test_an_answer_that_this_tab_did_not_ask_for_is_not_taken(browser, signing, issuer):
    page = browser().new_page()
    query = {"client_id": "board", "nonce": "n", "state": "s", "redirect_uri": ""}
    foreign = urllib.parse.urlencode(issuer.answer_to(query))
    sessions = []
    page.on("request", lambda request: sessions.append(request.url) if request.url.endswith("/sessions") else None)
    entry(page, signing, f"/#{foreign}")
    expect(page.locator(".note")).to_contain_text("did not come back")
    assert page.url == f"{signing.url}/"
    # Nor one with a state of its own.
    issuer.answer = {"state": "another"}
    page.get_by_role("button", name="Continue with Company").click()
    expect(page.locator(".note")).to_contain_text("did not come back")
    assert len(issuer.asked) == 1 and sessions == []


@pytest.mark.parametrize("answer, words", [
    ({"error": "access_denied"}, "The sign-in was cancelled."),
    ({"error": "<img src=x onerror=alert(1)>"}, "did not sign you in (<img src=x onerror=alert(1)>)"),
])
def test_a_refusal_of_the_provider_is_told(browser, signing, issuer, answer, words):
    issuer.answer = {"id_token": None, **answer}
    page = browser().new_page()
    entry(page, signing).click()
    expect(page.locator(".note")).to_contain_text(words)
    assert page.url == f"{signing.url}/"


def test_a_token_that_the_server_refuses_is_told(browser, signing, issuer):
    issuer.claims = {"nonce": "of another request"}
    page = browser().new_page()
    entry(page, signing).click()
    expect(page.locator(".note")).to_contain_text("not valid or too old")
    issuer.claims = {}
    page.get_by_role("button", name="Continue with Company").click()
    saved(page)


def test_an_account_with_the_address_is_linked_by_its_password(browser, signing, issuer):
    page = browser().new_page()
    entry(page, signing).click()
    saved(page)
    set_password(signing, "password", "sun@example.org")
    issuer.subject = "another sun"
    other = browser().new_page()
    entry(other, signing).click()
    expect(other.locator(".note")).to_contain_text("There is an account with this address. Log in with its password once; then company opens it, too.")
    log_in(other, "sun@example.org")
    saved(other)
    other.goto(signing.url + "/?screen=account")
    expect(other.locator(".rows li", has_text="company · sun@example.org")).to_have_count(2)


def test_an_invitation_goes_along(browser, issuer):
    server = Server("--auth", "required", "--signup", "invite", "--oidc", f"company={issuer.url},board")
    set_password(server, "add", "moon@example.org")
    page = browser().new_page()
    entry(page, server).click()
    expect(page.locator(".note")).to_contain_text("Signing up needs an invitation.")
    token = server.call("POST", "/sessions", {"email": "moon@example.org", "password": "correct horse"})["token"]
    page.locator("[name=invitation]").fill(server.call("POST", "/invitations", {}, token)["code"])
    page.get_by_role("button", name="Continue with Company").click()
    saved(page)
    server.close()


def test_apple_is_asked_without_a_scope(browser, issuer):
    server = Server("--auth", "required", "--oidc", f"apple={issuer.url},board")
    page = browser().new_page()
    page.goto(server.url)
    page.get_by_role("button", name="Continue with Apple").click()
    saved(page)
    [(query, _)] = issuer.asked
    assert query["response_type"] == "code id_token" and "scope" not in query
    server.close()


def test_a_server_without_providers_is_not_asked(browser, guarded):
    page = browser().new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(guarded.url)
    page.wait_for_selector(".entry [name=password]")
    page.wait_for_load_state("networkidle")
    assert not any(url.endswith("/providers") for url in asked)
    expect(page.get_by_role("button", name=re.compile("Continue with"))).to_have_count(0)


def open_account(page, server):
    page.goto(server.url + "/?screen=account")
    loaded(page)
    expect(page.locator(".rows li", has_text="company · sun@example.org").first).to_be_visible()


def test_an_account_without_a_password_is_not_asked_for_one(browser, signing, issuer):
    page = browser().new_page()
    entry(page, signing).click()
    saved(page)
    open_account(page, signing)
    page.evaluate("() => { for (const details of document.querySelectorAll('details')) details.open = true; }")
    expect(page.locator("[name=password]:visible")).to_have_count(0)
    page.get_by_role("button", name="Make a token").click()
    form = page.locator("form", has=page.get_by_label("May"))
    form.get_by_label("May").select_option("full")
    form.get_by_label("Name").fill("Script")
    form.get_by_role("button").click()
    expect(page.locator(".note code")).to_contain_text("kb_")
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete the account").click()
    page.wait_for_selector(".entry [name=password]")


def test_an_old_session_of_a_provider_is_told_to_log_in_again(browser, signing, issuer):
    page = browser().new_page()
    entry(page, signing).click()
    saved(page)
    refusal = {"status": 403, "code": "fresh_session_required", "detail": "POST /sessions"}
    page.route("**/account", lambda route: route.fulfill(status=403, content_type="application/problem+json", body=json.dumps(refusal))
               if route.request.method == "DELETE" else route.continue_())
    open_account(page, signing)
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete the account").click()
    expect(page.locator(".fault", has_text="Log out and in again with the provider.")).to_be_visible()
    expect(page.locator("[name=password]:visible")).to_have_count(0)


def test_an_account_with_both_is_asked_for_its_password(browser, signing, issuer):
    page = browser().new_page()
    entry(page, signing).click()
    saved(page)
    # It ends all sessions.
    set_password(signing, "password", "sun@example.org")
    page.wait_for_selector(".entry [name=password]")
    log_in(page)
    saved(page)
    open_account(page, signing)
    page.get_by_text("Change the password", exact=True).click()
    form = page.locator("form", has=page.locator("[name=newPassword]"))
    form.locator("[name=newPassword]").fill("battery staple")
    form.get_by_role("button").click()
    expect(form.locator(".fault")).to_have_text("Password: Missing.")
    expect(form.locator("[name=password]")).to_be_focused()
    form.locator("[name=password]").fill("correct horse")
    form.get_by_role("button").click()
    page.locator(".toast", has_text="The password is changed.").wait_for()
    signing.call("POST", "/sessions", {"email": "sun@example.org", "password": "battery staple"})
