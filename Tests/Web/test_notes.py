"""Notes as they are read: links, Markdown, check boxes."""

from playwright.sync_api import expect

from harness import becomes, saved, shows
from test_words import open_task


def test_boxes_are_ticked_and_saved_at_once(page, server):
    task = server.task("Trip", body="- [ ] Tickets\n- [x] Passport\n\nSee https://example.org/a(b)?c=1.")
    shows(page, todo=["Trip"])
    editor = open_task(page, "Trip")
    view = editor.locator(".readable")
    expect(view.get_by_role("checkbox")).to_have_count(2)
    view.get_by_role("checkbox", name="Tickets").check()
    saved(page)
    assert server.call("GET", f"/tasks/{task['id']}")["body"].startswith("- [x] Tickets\n- [x] Passport\n")
    expect(editor.locator("textarea[name=body]")).to_have_value(task["body"].replace("[ ]", "[x]"))
    view.get_by_role("checkbox", name="Passport").uncheck()
    saved(page)
    assert "- [ ] Passport" in server.call("GET", f"/tasks/{task['id']}")["body"]
    expect(editor.locator(".note").first).to_be_hidden()


def test_a_box_is_saved_with_the_words_around_it(page, server):
    task = server.task("Trip", body="- [ ] Tickets")
    shows(page, todo=["Trip"])
    editor = open_task(page, "Trip")
    editor.locator("textarea[name=body]").fill("- [ ] Tickets\n- [ ] Passport")
    editor.get_by_role("checkbox", name="Passport").check()
    becomes("- [ ] Tickets\n- [x] Passport", lambda: server.call("GET", f"/tasks/{task['id']}")["body"])
    expect(editor).to_be_visible()


def test_links_and_emphasis_are_elements_and_nothing_is_html(page, server):
    server.task("Words", body=(
        "# Plan\n**Bold** and *soft*, ~~gone~~, `code`, snake_case_name, 2*3*4\n"
        "[Docs](https://example.org/docs) or https://example.org/x, <img src=x onerror=alert(1)> [bad](javascript:alert(1))\n1. one\n2. two"))
    shows(page, todo=["Words"])
    view = open_task(page, "Words").locator(".readable")
    assert view.locator("a").evaluate_all("all => all.map((a) => [a.getAttribute('href'), a.textContent, a.rel])") == [
        ["https://example.org/docs", "Docs", "noopener noreferrer"],
        ["https://example.org/x", "https://example.org/x", "noopener noreferrer"]]
    expect(view.locator("strong")).to_have_text(["Plan", "Bold"])
    expect(view.locator("em")).to_have_text(["soft"])
    expect(view.locator("s")).to_have_text(["gone"])
    expect(view.locator("code")).to_have_text(["code"])
    expect(view.locator("img")).to_have_count(0)
    expect(view).to_contain_text("snake_case_name, 2*3*4")
    expect(view).to_contain_text("<img src=x onerror=alert(1)> [bad](javascript:alert(1))")
    expect(view.locator("li")).to_have_text(["1. one", "2. two"])


def test_plain_notes_show_nothing_beside(page, server):
    server.task("Plain", body="Just words, and 3 - 2 = 1.")
    shows(page, todo=["Plain"])
    editor = open_task(page, "Plain")
    expect(editor.locator(".readable")).to_be_hidden()
    editor.locator("textarea[name=body]").fill("See https://example.org")
    expect(editor.locator(".readable a")).to_have_text("https://example.org")


def test_notes_in_arabic_and_hebrew_begin_on_the_right(page, server):
    server.task("Trip", body="שלום עולם\n\n- [ ] مرحبا\n- مرحبا\n\nHello")
    shows(page, todo=["Trip"])
    view = open_task(page, "Trip").locator(".readable")
    gaps = view.evaluate("""(view) => [...view.querySelectorAll('p:not([hidden]), li')].map((block) => {
        const range = document.createRange();
        range.selectNodeContents(block.querySelector('span') ?? block);
        const [words, whole] = [range.getBoundingClientRect(), view.getBoundingClientRect()];
        return whole.right - words.right < words.left - whole.left;
    })""")
    assert gaps == [True, True, True, False]


def test_an_address_ends_where_its_words_end(page, server):
    wiki = "https://en.wikipedia.org/wiki/Kanban_(development)"
    server.task("Links", body=(
        f"{wiki} and [wiki]({wiki}), (see {wiki}) or ({wiki}).\nhttps://example.com/a를 보세요\n"
        "https://example.com/bを読んでください。\nhttps://example.com/c、次は(https://example.com/d)です\nhttps://example.com/e看板"))
    shows(page, todo=["Links"])
    view = open_task(page, "Links").locator(".readable")
    assert view.locator("a").evaluate_all("all => all.map((a) => [a.getAttribute('href'), a.textContent])") == [
        [wiki, wiki], [wiki, "wiki"], [wiki, wiki], [wiki, wiki],
        *([address, address] for address in (f"https://example.com/{letter}" for letter in "abcde"))]
    expect(view).to_contain_text("https://example.com/bを読んでください。")
