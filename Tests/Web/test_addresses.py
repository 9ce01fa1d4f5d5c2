"""What the board shows of its address and its settings: searches, filters, zones, colors, scripts."""

import re

import pytest
from playwright.sync_api import expect

from harness import CHROMIUM, LANGUAGES, card, saved, shows


def test_back_leaves_a_search_for_the_screen_where_it_began(page, server):
    server.task("Report")
    server.task("Letter")
    shows(page, todo=["Report", "Letter"])
    page.keyboard.press("t")
    page.keyboard.press("/")
    page.keyboard.type("let")
    shows(page, todo=["Letter"])
    page.go_back()
    expect(page).to_have_url(server.url + "/?screen=today")
    expect(page.locator("#search")).to_have_value("")
    page.go_back()
    shows(page, todo=["Report", "Letter"])


def test_the_space_after_a_word_is_not_searched_for(page, server):
    server.task("Report")
    server.task("Letter")
    # As the keyboards of phones add it.
    page.locator("#search").fill("report ")
    shows(page, todo=["Report"])
    expect(page.locator("#search")).to_have_value("report ")


def test_a_search_for_a_whole_page_of_words_opens_again(page, server):
    # Three bytes a letter, and three characters a byte in an address; the server takes 8,192.
    page.locator("#search").focus()
    page.keyboard.insert_text("가나다라마 " * 300)
    expect(page).to_have_url(re.compile("q="))
    page.reload()
    expect(page.locator("#search")).to_have_value(re.compile("^가나다라마"))


@pytest.mark.unopened
def test_a_filter_that_does_not_exist_hides_nothing(page, server):
    server.task("Report", dueDate="2021-05-04")
    page.goto(server.url + "/?due=whenever&sort=size")
    shows(page, todo=["Report"])
    expect(page.locator("#filter .count")).to_be_hidden()
    expect(page.locator(".filters [name=due]")).to_have_value("")
    expect(page.locator(".filters [name=sort]")).to_have_value("")


@pytest.mark.unopened
def test_utc_can_be_chosen(page, server):
    page.goto(server.url + "/?screen=settings")
    page.get_by_label("Time zone").select_option("UTC")
    saved(page)
    assert server.call("GET", "/settings")["timeZone"] == "UTC"


@pytest.mark.parametrize("theme, scheme", [("dark", "light"), (None, "dark")])
def test_paper_is_light(browser, server, theme, scheme):
    server.task("Report", body="Of March", dueDate="2021-05-04")
    server.call("PATCH", "/settings", {"custom": {"theme": theme}})
    page = browser(color_scheme=scheme).new_page()
    page.goto(server.url)
    saved(page)
    color = lambda selector, name: page.locator(selector).evaluate("(element, name) => getComputedStyle(element)[name]", name)
    expect(card(page, "Report")).to_have_css("background-color", "rgb(39, 45, 42)")
    page.emulate_media(media="print")
    assert color(".card", "background-color") == "rgb(255, 255, 255)"
    assert color(".card .open", "color") == "rgb(0, 0, 0)"
    assert color(".card .due", "color") == "rgb(168, 38, 27)"


def test_hebrew_and_arabic_begin_on_the_right(page, server):
    server.task("שלום (test)!")
    server.task("Hello")
    shows(page, todo=["שלום (test)!", "Hello"])
    # Where the last character is: on the left of a line that begins on the right.
    place = """(element) => {
        const range = document.createRange(), { firstChild: words } = element;
        range.setStart(words, words.length - 1);
        range.setEnd(words, words.length);
        const all = document.createRange();
        all.selectNodeContents(element);
        return range.getBoundingClientRect().left <= all.getBoundingClientRect().left + 1 ? 'left' : 'right';
    }"""
    assert card(page, "שלום (test)!").locator(".open").evaluate(place) == "left"
    assert card(page, "Hello").locator(".open").evaluate(place) == "right"


def test_the_scroll_bar_of_the_editor_does_not_close_it(chromium, server):
    server.task("Report")
    # Playwright hides scroll bars.
    browser = chromium.browser_type.launch(
        executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"], ignore_default_args=["--hide-scrollbars"]
    )
    page = browser.new_context(viewport={"width": 1000, "height": 500}, locale=LANGUAGES["en"]).new_page()
    page.goto(server.url)
    card(page, "Report").locator(".open").click()
    editor = page.locator("dialog.editor")
    box = editor.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 6, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 6, box["y"] + 200)
    page.mouse.up()
    assert editor.evaluate("(sheet) => sheet.scrollTop") > 0
    expect(editor).to_be_visible()
    page.mouse.click(box["x"] - 20, box["y"] + 60)
    expect(editor).to_have_count(0)
    browser.close()
