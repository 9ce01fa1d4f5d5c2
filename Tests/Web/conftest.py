import pytest
from playwright.sync_api import sync_playwright

from harness import CHROMIUM, LANGUAGES, Server


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def guarded():
    """A server on which people log in."""
    server = Server("--auth", "required", "--rate-limit", "0")
    yield server
    server.close()


@pytest.fixture
def browser(chromium):
    """Opens windows: `browser()` a context of its own, with options of Playwright. Errors of a page fail the test."""
    contexts = []
    errors = []

    def context(language="en", **options):
        options = {"viewport": {"width": 1280, "height": 800}, "locale": LANGUAGES[language], **options}
        made = chromium.new_context(**options)
        made.set_default_timeout(15000)
        made.on("weberror", lambda error: errors.append(str(error.error)))
        contexts.append(made)
        return made

    yield context
    for made in contexts:
        made.close()
    assert errors == []


@pytest.fixture
def page(browser, server):
    """A page of the board, on a server of its own."""
    page = browser().new_page()
    page.goto(server.url)
    page.wait_for_selector("#state[data-kind=live]")
    return page
