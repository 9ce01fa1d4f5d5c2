"""The documentation at /docs, in Chromium."""

import json
import re

import pytest
from playwright.sync_api import expect

from barriers import in_both_schemes, violations
from harness import becomes, wait_for

MODULES = ["dom", "examples", "guides", "main", "markdown", "operation", "schema", "search", "spec", "tryit"]


def opened(page, server, anchor=""):
    page.goto(f"{server.url}/docs{anchor}")
    page.wait_for_selector("body[data-ready]")
    return page


@pytest.fixture
def docs(browser, server):
    context = browser(permissions=["clipboard-read", "clipboard-write"])
    return opened(context.new_page(), server)


def test_every_operation_schema_and_guide_of_the_server_is_on_the_page(docs, server):
    description = server.call("GET", "/openapi.json")
    operations = {
        operation["operationId"]
        for item in description["paths"].values()
        for method, operation in item.items()
        if method != "parameters"
    }
    sections = docs.evaluate("[...document.querySelectorAll('.operation')].map((section) => section.id)")
    assert set(sections) == operations and len(sections) == len(operations)
    shown = docs.evaluate("[...document.querySelectorAll('[id^=schema-]')].map((section) => section.id)")
    schemas = description["components"]["schemas"].items()
    assert sorted(shown) == sorted(f"schema-{name}" for name, schema in schemas if "properties" in schema or "oneOf" in schema)
    for guide in ("sync", "concurrency", "time", "clients"):
        assert len(docs.locator(f"#guide-{guide}").inner_text()) > 500


def test_every_link_of_the_page_leads_somewhere(docs):
    broken = docs.evaluate(
        """async () => {
            const found = [];
            for (const link of document.querySelectorAll('a[href]')) {
                const address = link.getAttribute('href');
                if (address.startsWith('#')) {
                    if (!document.getElementById(decodeURIComponent(address.slice(1)))) found.push(address);
                } else if (address.startsWith('/') && !(await fetch(address)).ok) found.push(address);
            }
            return found;
        }"""
    )
    assert broken == []


def test_the_page_asks_nothing_from_elsewhere_and_obeys_its_policy(browser, server):
    page = browser().new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    opened(page, server)
    assert asked and all(address.startswith(server.url) for address in asked)
    assert said == []


def test_schemas_unfold_down_to_their_last_member(docs):
    board = docs.locator("#schema-Board")
    board.locator(":scope > summary").click()
    board.locator("summary", has_text="BoardColumn").click()
    board.locator("summary", has_text=re.compile("^Task$")).click()
    expect(board).to_contain_text("RFC 9562", use_inner_text=True)
    board.locator("summary", has_text=re.compile("^Deadline$")).click()
    expect(board).to_contain_text("D-DAY", use_inner_text=True)


def test_examples_are_in_three_languages_with_the_address_of_the_page(docs, server):
    example = docs.locator("#createTask .example")
    expect(example.locator("code")).to_have_text(f"""curl {server.url}/tasks --json '{{"title":"API 문서 쓰기"}}'""")
    docs.select_option("#language", "swift")
    expect(example.locator("code")).to_contain_text(f'URL(string: "{server.url}/tasks")')
    expect(example.locator("code")).to_contain_text("URLSession.shared.data(for: request)")
    docs.select_option("#language", "javascript")
    expect(example.locator("code")).to_contain_text("await fetch(")
    script = example.locator("code").inner_text()
    example.get_by_role("button").click()
    expect(docs.locator("#said")).to_have_text("Copied.")
    assert docs.evaluate("() => navigator.clipboard.readText()") == script
    docs.locator("#guide-sync .copy").first.click()
    becomes(True, lambda: docs.evaluate("() => navigator.clipboard.readText()").startswith("curl "))
    docs.reload()
    docs.wait_for_selector("body[data-ready]")
    expect(example.locator("code")).to_have_text(script)
    assert "8080" not in docs.locator("main").inner_text()


def test_the_javascript_examples_of_the_page_run(docs, server):
    task = server.task("One")
    docs.select_option("#language", "javascript")
    for name, status in [("listTasks", 200), ("showTask", 200), ("createTask", 201), ("updateTask", 200), ("syncChanges", 200)]:
        expect(docs.locator(f"#{name} .example code")).to_contain_text("await fetch(")
        code = docs.locator(f"#{name} .example code").inner_text().replace("{id}", task["id"])
        # The policy of the page forbids eval; the debugger does not ask it.
        assert docs.evaluate("async () => {" + code.replace("console.log(", "return [").replace("());", "()];") + "}")[0] == status, name


def test_a_call_is_tried_on_the_page(docs, server):
    section = docs.locator("#createTask")
    section.locator("summary", has_text="Try it").click()
    section.locator("textarea").fill(json.dumps({"title": "From the page"}))
    section.get_by_role("button", name="Send POST").click()
    expect(section.locator(".answer .good")).to_contain_text("201")
    assert [task["title"] for task in server.tasks()] == ["From the page"]

    section.locator("textarea").fill('{"title": " "}')
    section.get_by_role("button", name="Send POST").click()
    section.locator(".answer .bad").wait_for()
    expect(section.locator(".answer")).to_contain_text('"pointer": "#/title"')

    section = docs.locator("#showTask")
    section.locator("summary", has_text="Try it").click()
    section.locator("label", has_text="id").first.locator("input").fill(server.tasks()[0]["id"])
    section.get_by_role("button", name="Send GET").click()
    section.locator(".answer .good").wait_for()
    expect(section.locator(".answer")).to_contain_text("From the page")


def test_a_token_is_sent_and_never_shown(browser, guarded):
    token = guarded.token
    page = opened(browser().new_page(), guarded)
    section = page.locator("#listTasks")
    section.locator("summary", has_text="Try it").click()
    section.get_by_role("button", name="Send GET").click()
    expect(section.locator(".answer .bad")).to_contain_text("401")
    page.fill("#token", token)
    section.get_by_role("button", name="Send GET").click()
    section.locator(".answer .good").wait_for()
    assert token not in page.locator("body").inner_text()
    assert token not in json.dumps(page.evaluate("[{...localStorage}, {...sessionStorage}]"))

    # The session of the board serves as well.
    page.evaluate("(token) => localStorage.setItem('kanbase.session', JSON.stringify({token}))", token)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    section.locator("summary", has_text="Try it").click()
    section.get_by_role("button", name="Send GET").click()
    section.locator(".answer .good").wait_for()


def test_the_keyboard_finds_a_call(docs):
    docs.keyboard.press("/")
    docs.keyboard.type("history task")
    expect(docs.locator("#search")).to_have_value("history task")
    docs.wait_for_selector("#found [aria-selected=true]")
    options = docs.locator("#found [role=option]").all_inner_texts()
    assert any("GET /tasks/{id}/history" in option for option in options)
    place = next(place for place, option in enumerate(options) if "GET /tasks/{id}/history" in option)
    for _ in range(place):
        docs.keyboard.press("ArrowDown")
    docs.keyboard.press("Enter")
    wait_for(docs, "() => document.activeElement.id === 'listTaskHistory'")
    assert docs.evaluate("location.hash") == "#listTaskHistory"
    expect(docs.locator("#contents [aria-current]")).to_have_attribute("href", "#listTaskHistory")
    docs.keyboard.press("/")
    docs.keyboard.type("zzzz")
    expect(docs.locator("#found")).to_have_text("Nothing has these words.")
    docs.keyboard.press("Escape")
    expect(docs.locator("#found")).to_be_hidden()
    # Blocks of code that are wider than the page are scrolled with the arrows.
    assert docs.evaluate("[...document.querySelectorAll('pre')].length > 5")
    assert docs.evaluate("[...document.querySelectorAll('pre')].every((block) => block.tabIndex === 0)")


def test_an_address_with_an_anchor_opens_what_it_names(browser, server):
    page = opened(browser().new_page(), server, "#schema-Task")
    expect(page.locator("#schema-Task")).to_have_attribute("open", "")
    expect(page.locator("#schema-Task > .folded")).not_to_be_empty()
    becomes(True, lambda: 0 <= page.locator("#schema-Task").bounding_box()["y"] < 800)


def test_on_a_phone_nothing_is_wider_than_the_screen(browser, server):
    context = browser(viewport={"width": 375, "height": 700}, has_touch=True, is_mobile=True)
    page = opened(context.new_page(), server)
    for fold in page.locator("#createTask > details").all():
        fold.locator(":scope > summary").click()
        expect(fold.locator(":scope > .folded")).not_to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.locator("#menu > summary").click()
    page.locator("#contents summary", has_text=re.compile("^Tasks$")).click(position={"x": 3, "y": 10})
    page.locator("#contents a", has_text="Create a task").click()
    expect(page.locator("#menu")).not_to_have_attribute("open", "")
    wait_for(page, "() => location.hash === '#createTask'")


def test_axe_finds_nothing(browser, server):
    page = opened(browser(reduced_motion="reduce").new_page(), server)
    page.locator("#contents summary", has_text=re.compile("^Tasks$")).click()
    assert violations(page, alike=True) == []


def test_text_has_contrast_in_both_schemes(browser, server):
    page = opened(browser(reduced_motion="reduce").new_page(), server)
    lowest = lambda _: page.evaluate(
        """() => {
            const light = (color) => {
                const parts = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
                    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
                return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
            };
            const behind = (element) => {
                for (let at = element; at; at = at.parentElement) {
                    const color = getComputedStyle(at).backgroundColor;
                    if (!/, 0\\)$|transparent/.test(color)) return color;
                }
                return 'rgb(255, 255, 255)';
            };
            let lowest = [99, ''];
            for (const element of document.querySelectorAll('main p, main code, main summary, main .type, main .method, .menu a, .required')) {
                const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
                const ratio = (a + 0.05) / (b + 0.05);
                if (ratio < lowest[0]) lowest = [ratio, element.outerHTML.slice(0, 80)];
            }
            return [lowest];
        }"""
    )
    found = in_both_schemes(page, lowest)
    assert len(found) == 2 and [fault for fault in found if fault[1][0] < 4.5] == []


def test_the_modules_are_short():
    from harness import ROOT

    folder = ROOT / "Sources/CWeb/pages/docs"
    assert sorted(path.stem for path in folder.glob("*.js")) == MODULES
    for path in folder.glob("*.js"):
        assert path.read_text().count("\n") < 300, path


def test_an_anchor_that_is_not_escaped_as_it_should_be_names_nothing(browser, server):
    page = opened(browser().new_page(), server, "#%")
    expect(page.locator("h1")).to_contain_text("API")
