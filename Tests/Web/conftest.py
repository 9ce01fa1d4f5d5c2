import os

import pytest
from playwright.sync_api import expect, sync_playwright

from harness import LANGUAGES, PATIENCE, SHELL, Server, launched
from stage import Stage

#: How many times slower than this machine pages run, to find what a test does too early.
THROTTLE = float(os.environ.get("KANBASE_WEB_THROTTLE", "1"))


def pytest_configure(config):
    config.addinivalue_line("markers", "timing: measures times, and so runs alone")
    config.addinivalue_line("markers", "worker: pages keep their files in a service worker, a seventh of the work of opening one")
    config.addinivalue_line("markers", "unopened: the test opens its page itself, at another screen or after something else")


def pytest_terminal_summary(terminalreporter):
    """What failed and passed the second time says why, too."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.section(f"Failed once: {report.nodeid}", sep="_")
        terminalreporter.write_line(report.longreprtext)


expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright):
    with launched(playwright, SHELL) as browser:
        yield browser


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def guarded():
    """A server on which people log in, and sun@example.org has an account."""
    server = Server("--auth", "required", "--rate-limit", "0", sun=True)
    yield server
    server.close()


@pytest.fixture
def full():
    """A server whose accounts take one task, with that of sun@example.org."""
    server = Server("--auth", "required", "--rate-limit", "0", "--account-tasks", "1", sun=True)
    yield server
    server.close()


@pytest.fixture
def stage(request, tmp_path):
    """A server, and another origin that may call it. Its parameter is the kind of the server."""
    stage = Stage(getattr(request, "param", "open"), tmp_path)
    yield stage
    stage.close()


@pytest.fixture
def browser(request, chromium):
    """Opens windows: `browser()` a context of its own, with options of Playwright. Errors of a page fail the test."""
    contexts = []
    errors = []

    def context(language="en", **options):
        workers = "allow" if request.node.get_closest_marker("worker") else "block"
        options = {"viewport": {"width": 1280, "height": 800}, "locale": LANGUAGES[language], "service_workers": workers, **options}
        made = chromium.new_context(**options)
        made.set_default_timeout(PATIENCE * 1000)
        made.on("weberror", lambda error: errors.append(str(error.error)))
        if THROTTLE > 1:
            throttle(made)
        contexts.append(made)
        return made

    yield context
    for made in contexts:
        made.close()
    assert errors == []


def throttle(context):
    """Makes the pages of a context slow."""
    new_page = context.new_page

    def slow_page():
        page = new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        return page

    context.new_page = slow_page


@pytest.fixture
def page(request, browser, server):
    """A page of the board, on a server of its own."""
    page = browser().new_page()
    if request.node.get_closest_marker("unopened"):
        return page
    page.goto(server.url)
    page.wait_for_selector("#state[data-kind=live]")
    return page
