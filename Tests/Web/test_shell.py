"""The files of the board on the device: in which language and version it opens, with a server and without one."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import expect

from harness import PATIENCE, SlowLine, becomes, installed, saved, shows

pytestmark = pytest.mark.worker


def choose_language(page, language, heading):
    page.locator("#main select").first.select_option(language)
    page.get_by_role("heading", name=heading).wait_for()


def test_a_language_is_chosen_and_spoken_without_a_server(browser, server):
    page = browser().new_page()
    page.goto(server.url + "/?screen=settings")
    installed(page)
    saved(page)
    choose_language(page, "ko", "설정")
    server.stop()
    page.reload()
    page.get_by_role("heading", name="설정").wait_for()
    choose_language(page, "ja", "設定")
    page.reload()
    page.get_by_role("heading", name="設定").wait_for()
    server.start()
    saved(page)
    assert server.call("GET", "/settings")["locale"] == "ja"


def test_a_language_that_cannot_be_had_leaves_the_page_as_it_is(browser, server):
    page = browser(service_workers="block").new_page()
    page.goto(server.url + "/?screen=settings")
    saved(page)
    server.stop()
    page.get_by_label("Language").select_option("ja")
    page.wait_for_selector("#state[data-kind=offline]")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    server.start()
    page.get_by_role("heading", name="設定").wait_for()


def test_a_page_whose_language_cannot_be_had_is_not_empty(browser, server):
    server.call("PATCH", "/settings", {"locale": "ko"})
    page = browser(service_workers="block").new_page()
    page.route("**/texts-ko.js", lambda route: route.abort())
    page.add_init_script("localStorage.setItem('kanbase.language', 'ko')")
    page.goto(server.url + "/?screen=settings")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    assert page.evaluate("() => document.documentElement.lang") == "en"


def test_a_language_that_another_version_kept_is_not_asked_for(browser, server):
    page = browser("ja").new_page()
    page.add_init_script("localStorage.setItem('kanbase.language', 'xx')")
    page.goto(server.url + "/?screen=settings")
    page.get_by_role("heading", name="設定").wait_for()


def serve_version(line, mark):
    """The server has another version from now on, with a worker of its own."""

    def change(piece):
        if piece.startswith(b"GET /worker.js"):
            # Neither compressed nor "as before".
            piece = piece.replace(b"Accept-Encoding", b"Former-Encoding").replace(b"If-None-Match", b"Former-Matched")
        return re.sub(rb'(const shell = \{version: ").', lambda found: found[1] + mark, piece)

    line.change = change


#: The first letters of the shells on the device, whether each has all files, and in which state their workers are. To open a shell that
#: is gone would make it again.
SHELLS = """async (files) => {
    const keys = (await caches.keys()).filter((key) => key.startsWith('shell-'));
    const kept = await Promise.all(keys.flatMap((cacheName) => files.map((file) => caches.match(file, { cacheName }))));
    const { installing, waiting, active } = await navigator.serviceWorker.ready;
    return [keys.map((key) => key[6]).join(''), kept.every(Boolean), !!installing, !!waiting, active.state];
}"""


@pytest.fixture
def line(server):
    line = SlowLine(server, "0-0")
    serve_version(line, b"1")
    with urllib.request.urlopen(f"{server.url}/worker.js", timeout=PATIENCE) as answer:
        line.files = json.loads(re.search(r"const shell = .*?files: (\[.*?\])", answer.read().decode())[1])
    assert len(line.files) > 12
    yield line
    line.close()


def test_a_newer_version_takes_over_from_a_page_that_is_complete(browser, server, line):
    server.task("Report")
    page = browser().new_page()
    page.goto(f"http://127.0.0.1:{line.port}")
    saved(page)
    becomes(["1", True, False, False, "activated"], lambda: page.evaluate(SHELLS, line.files))
    for shells in ("12", "23"):
        serve_version(line, shells[1].encode())
        page.reload()
        # The shell before stays: the browser may still be reading from it.
        becomes([shells, True, False, False, "activated"], lambda: page.evaluate(SHELLS, line.files))
    server.stop()
    page.reload()
    shows(page, todo=["Report"])


def test_a_newer_version_waits_while_a_page_is_half_loaded(browser, server, line):
    server.task("Report")
    context = browser()
    page, half = context.new_page(), context.new_page()
    page.goto(f"http://127.0.0.1:{line.port}")
    saved(page)
    becomes(["1", True, False, False, "activated"], lambda: page.evaluate(SHELLS, line.files))
    half.add_init_script("window.requestAnimationFrame = () => {};")
    half.goto(f"http://127.0.0.1:{line.port}")
    half.wait_for_selector("#main")

    serve_version(line, b"2")
    page.reload()
    becomes(["12", True, False, True, "activated"], lambda: page.evaluate(SHELLS, line.files))
    saved(page)
    assert page.evaluate("() => new Promise((resolve) => { navigator.serviceWorker.oncontrollerchange = () => resolve('replaced'); setTimeout(resolve, 500, 'waiting'); })") == "waiting"
    # Meanwhile the older one opens without a server.
    server.stop()
    page.reload()
    shows(page, todo=["Report"])
    half.close()
    page.reload()
    becomes(["12", True, False, False, "activated"], lambda: page.evaluate(SHELLS, line.files))
    page.reload()
    shows(page, todo=["Report"])
