"""How the board looks at a glance, what its colors say, and that it stays as it was left."""

import datetime

import pytest
from playwright.sync_api import expect

from barriers import in_both_schemes, violations
from harness import add, becomes, card, loaded, open_filters, shows, wait_for
from test_hands import PHONE, open_board, paste
from test_screens import seed


def test_under_a_title_is_one_quiet_line(page, server):
    category = server.call("POST", "/categories", {"name": "Home", "color": "#fef08a"})["id"]
    for title, day, status in (("Late", "2021-05-04", "todo"), ("Soon", (datetime.date.today() + datetime.timedelta(days=1)).isoformat(), "todo"), ("Done", "2021-05-04", "done")):
        server.task(title, dueDate=day, status=status, categoryId=category, body="**Bold** words")
    shows(page, todo=["Late", "Soon"], done=["Done"])
    color = lambda title, part: card(page, title).locator(part).evaluate("(element) => getComputedStyle(element).color")
    assert color("Soon", "time") == color("Soon", ".category") == color("Late", ".category") != color("Late", "time")
    expect(card(page, "Done").locator("time")).to_have_count(0)
    expect(card(page, "Late").locator(".body")).to_have_text("Bold words")


def test_one_row_of_chrome(browser, server):
    server.call("POST", "/categories", {"name": "Home"})
    for size, most in (((1440, 900), 72), ((800, 600), 72), ((390, 844), 130)):
        page = browser(viewport={"width": size[0], "height": size[1]}, has_touch=size[0] < 700).new_page()
        page.goto(server.url)
        assert page.locator(".board").bounding_box()["y"] <= most


@pytest.mark.unopened
def test_a_filter_is_no_step_of_back(page, server):
    home = server.call("POST", "/categories", {"name": "Home"})["id"]
    server.task("Wash", categoryId=home)
    server.task("Cook")
    page.goto(server.url + "/?screen=today")
    page.get_by_role("link", name="Board").click()
    shows(page, todo=["Wash", "Cook"])
    open_filters(page)
    page.locator(".chip", has_text="Home").click()
    shows(page, todo=["Wash"])
    expect(page.locator("#filter .count")).to_have_text("1")
    page.get_by_label("Due", exact=True).select_option("none")
    expect(page.locator("#filter .count")).to_have_text("2")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Today")


def test_the_board_is_where_it_was_left(browser, server):
    server.fill(300)
    page = browser(**PHONE).new_page()
    open_board(page, server, 20)
    page.locator("[data-tab=doing]").tap()
    expect(page.locator("[data-tab=doing]")).to_have_attribute("aria-pressed", "true")
    scroll = page.locator("[data-column=doing] .scroll")
    scroll.evaluate("(scroll) => { scroll.scrollTop = scroll.scrollHeight; }")
    wait_for(page, "() => document.querySelectorAll('[data-column=doing] .card').length > 60")
    scroll.evaluate("(scroll) => { scroll.scrollTop = 900; }")
    page.get_by_role("link", name="Today").tap()
    loaded(page)
    page.go_back()
    expect(page.locator("[data-tab=doing]")).to_have_attribute("aria-pressed", "true")
    becomes(True, lambda: abs(scroll.evaluate("(scroll) => scroll.scrollTop") - 900) < 60)


@pytest.mark.unopened
def test_today_shows_all_that_comes(page, server):
    for number in range(25):
        server.task(f"Trip {number:02}", dueDate=f"2031-05-{number + 1:02}")
    page.goto(server.url + "/?screen=today")
    expect(page.locator(".row-open", has_text="Trip")).to_have_count(20)
    page.get_by_role("button", name="Show more (5)").click()
    expect(page.locator(".row-open", has_text="Trip")).to_have_count(25)
    expect(page.get_by_role("button", name="Show more")).to_have_count(0)


def test_caps_lock_changes_no_key(page, server):
    page.evaluate("() => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'N', code: 'KeyN', bubbles: true, cancelable: true }))")
    expect(page.locator("[data-column=todo] .add input")).to_be_focused()


@pytest.mark.unopened
def test_an_export_is_made_with_the_keyboard(page, server):
    server.task("Report")
    page.goto(server.url + "/?screen=settings")
    button = page.get_by_role("button", name="Export (JSON)")
    button.focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "kanbase.json"
    expect(button).to_be_focused()


def test_fields_on_phones_are_large_enough_and_nothing_is_cut(browser, server):
    server.call("POST", "/categories", {"name": "Home"})
    server.task("Report")
    page = browser(**PHONE).new_page()
    open_board(page, server, 1)
    page.locator(".round").tap()
    open_filters(page)
    small = """() => [...document.querySelectorAll('input, select, textarea')].filter((field) => field.offsetWidth && parseFloat(getComputedStyle(field).fontSize) < 16).map((field) => field.outerHTML)"""
    assert page.evaluate(small) == []
    page.goto(server.url + "/?screen=settings")
    assert page.evaluate(small) == []


def test_forced_colors_show_what_is_chosen(browser, server):
    server.call("POST", "/categories", {"name": "Home"})
    server.task("Report")
    page = browser(forced_colors="active").new_page()
    open_board(page, server, 1)
    look = "(element) => getComputedStyle(element).backgroundColor"
    assert page.locator(".nav[aria-current=page]").evaluate(look) != page.locator(".nav[data-screen=today]").evaluate(look)
    open_filters(page)
    page.locator(".chip", has_text="Home").click()
    chosen, other = page.locator(".chip[aria-pressed=true]"), page.locator(".chip[aria-pressed=false]")
    assert chosen.evaluate(look) != other.evaluate(look)
    page.keyboard.press("Escape")
    page.locator("#more").click()
    items = page.locator(".menu button")
    assert items.nth(0).evaluate(look) != items.nth(1).evaluate(look)


def test_forced_colors_show_the_chart_the_panels_and_the_color_that_is_chosen(browser, server):
    server.call("POST", "/categories", {"name": "Home", "color": "#fef08a"})
    server.task("Done", status="done")
    page = browser(forced_colors="active").new_page()
    page.goto(server.url + "/?screen=stats")
    loaded(page)
    look = "(element) => getComputedStyle(element).backgroundColor"
    assert page.locator(".bar:not(.none)").evaluate(look) not in (page.locator(".bar.none").first.evaluate(look), page.locator("body").evaluate(look))
    assert page.locator(".bar.none").first.evaluate(look) != page.locator("body").evaluate(look)
    assert page.locator(".panel").first.evaluate("(element) => getComputedStyle(element).borderTopWidth") == "1px"
    page.goto(server.url + "/?screen=categories")
    page.locator(".row-open", has_text="Home").click()
    page.locator(".swatches input").nth(2).check()
    outlines = page.locator(".swatches .swatch").evaluate_all("(all) => all.map((swatch) => getComputedStyle(swatch).outlineStyle)")
    assert [style == "solid" for style in outlines] == [index == 2 for index in range(len(outlines))]


def test_print_is_the_page_without_what_is_open_over_it(browser, server):
    server.task("Report", status="done")
    page = browser().new_page()
    open_board(page, server, 1)
    page.locator("#more").click()
    page.emulate_media(media="print")
    expect(page.locator(".menu")).to_be_hidden()
    page.emulate_media(media="screen")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")
    page.emulate_media(media="print")
    expect(page.locator("dialog")).to_be_hidden()
    page.goto(server.url + "/?screen=stats")
    loaded(page)
    assert page.locator(".bar:not(.none)").evaluate("(bar) => getComputedStyle(bar).printColorAdjust") == "exact"


def test_at_400_percent_the_bar_of_selected_cards_leaves_the_board_visible(browser, server):
    server.fill(3)
    page = browser(viewport={"width": 320, "height": 256}).new_page()
    page.goto(server.url)
    page.locator(".card .open").first.focus()
    page.keyboard.press("x")
    bar = page.locator(".picks")
    expect(bar).to_be_visible()
    box = bar.bounding_box()
    assert box["height"] <= 64 and box["y"] + box["height"] <= 256 and box["x"] >= 0 and box["x"] + box["width"] <= 320
    # All of it can be reached.
    bar.get_by_role("button", name="Clear the selection").click()
    expect(bar).to_be_hidden()


def test_every_color_of_a_category_can_be_read(browser, server):
    colors = ["#fef08a", "#ffffff", "#000000", "#00ff00", "#1e3a8a"]
    for color in colors:
        category = server.call("POST", "/categories", {"name": color, "color": color})["id"]
        server.task(f"Report in {color}", categoryId=category, dueDate="2021-05-04")
    page = browser(reduced_motion="reduce").new_page()
    page.goto(server.url + "/?screen=today")
    expect(page.locator(".pill.category")).to_have_count(len(colors))
    contrasts = lambda _: page.evaluate(
        """() => {
            const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
            const light = (color) => { context.fillStyle = color; context.fillRect(0, 0, 1, 1); return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)
                .map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0); };
            return [...document.querySelectorAll('.pill.category')].map((pill) => {
                const { color, backgroundColor } = getComputedStyle(pill);
                const [a, b] = [light(color), light(backgroundColor)].sort((x, y) => y - x);
                return [pill.textContent, (a + 0.05) / (b + 0.05)];
            });
        }"""
    )
    assert [fault for fault in in_both_schemes(page, contrasts) if fault[1][1] < 4.5] == []


@pytest.mark.parametrize("language, width", [("en", 1024), ("ja", 768), ("ja", 360)])
def test_what_the_state_says_is_one_line(browser, server, language, width):
    page = browser(language, viewport={"width": width, "height": 740}).new_page()
    page.goto(server.url)
    page.wait_for_selector("#state[data-kind=live]")
    assert page.locator("#state .words").bounding_box()["height"] < 30
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_box_of_the_notes_stands_beside_its_words_and_the_editor_can_always_be_closed(page, server):
    server.task("Trip", body="- [ ] Tickets")
    card(page, "Trip").locator(".open").click()
    line = page.locator(".readable .check")
    box, words = line.locator("input").bounding_box(), line.locator("span").bounding_box()
    assert box["x"] + box["width"] <= words["x"] and abs(box["y"] + box["height"] / 2 - words["y"] - words["height"] / 2) < 4
    expect(page.locator("dialog.editor button.primary")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
def test_the_buttons_of_the_editor_are_on_one_row(browser, server, language):
    server.task("Report")
    page = browser(language, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True).new_page()
    page.goto(server.url)
    card(page, "Report").locator(".open").tap()
    rows = page.locator("dialog.editor .end button").evaluate_all("(buttons) => new Set(buttons.map((button) => button.getBoundingClientRect().top)).size")
    assert rows == 1
    assert page.locator("dialog.editor").evaluate("(dialog) => dialog.scrollWidth <= dialog.clientWidth")


def test_the_menu_covers_no_title(page, server):
    for title in ("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd " * 6, "Report " * 12):
        server.task(title.strip())
    wait_for(page, "() => document.querySelectorAll('.card').length === 2")
    for index in range(2):
        one = page.locator(".card").nth(index)
        check, title, menu = (one.locator(part).bounding_box() for part in (".tick", ".open", ".more"))
        assert check["x"] + check["width"] <= title["x"] and title["x"] + title["width"] <= menu["x"]


def test_what_is_said_is_said_once(page, server):
    server.task("Report")
    server.task("Reply")
    shows(page, todo=["Report", "Reply"])
    page.evaluate(
        """() => { window.said = []; new MutationObserver(() => { const words = document.querySelector('#announcer').textContent; if (words) window.said.push(words); })
            .observe(document.querySelector('#announcer'), { childList: true }); }"""
    )
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Shift+ArrowDown")
    becomes(["Report: To do, place 2"], lambda: page.evaluate("() => window.said"))
    page.locator("#search").press_sequentially("Rep")
    becomes(["Report: To do, place 2", "2 tasks"], lambda: page.evaluate("() => window.said"))


def test_a_button_shows_that_it_has_the_focus_whole(page, server):
    add(page, "Report")
    page.keyboard.press("Escape")
    card(page, "Report").locator(".open").focus()
    page.keyboard.press("Tab")
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.card')].filter((card) => {
            const at = card.getBoundingClientRect(), list = card.closest('.scroll').getBoundingClientRect();
            return at.top - 4 < list.top || at.left - 4 < list.left || at.right + 4 > list.right;
        }).length"""
    )
    assert cut == 0


def test_filters_questions_and_finished_cards_keep_nobody_out(browser, server):
    seed(server)
    page = browser(reduced_motion="reduce").new_page()
    open_board(page, server, 5)
    open_filters(page)
    page.locator(".chip", has_text="Home").click()
    faults = {"filters": violations(page)}
    page.keyboard.press("Escape")
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.press("n")
    paste(page, "One\nTwo")
    faults["paste"] = violations(page)
    page.get_by_role("button", name="2 tasks").click()
    page.locator(".toast").wait_for()
    faults["toast"] = violations(page)
    assert {name: found for name, found in faults.items() if found} == {}
