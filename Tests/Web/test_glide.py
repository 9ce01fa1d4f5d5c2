"""Cards that others move glide to their new places; the person's own moves, the focus and the scrolling stay as they are."""

import pytest
from playwright.sync_api import expect

from harness import becomes, card, saved, shows, wait_for

#: Notes which cards glide, and from where.
WATCH = """{ window.glides = []; const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, options) {
        window.glides.push([this.querySelector('.open').textContent, frames.transform[0], options.duration]);
        return animate.call(this, frames, options);
    }; }"""


def open_board(browser, server, **options):
    page = browser(**options).new_page()
    page.add_init_script(WATCH)
    page.goto(server.url)
    saved(page)
    return page


def glides(page):
    return sorted(title for title, *_ in page.evaluate("() => window.glides"))


def test_cards_glide_when_another_device_moves_adds_or_deletes_one(browser, server):
    a, b, c = (server.task(title) for title in "abc")
    page = open_board(browser, server)
    shows(page, todo=["a", "b", "c"])
    step = page.evaluate("() => { const [a, b] = [...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect().top); return b - a; }")
    page.evaluate("() => { window.glides = []; }")

    server.call("POST", f"/tasks/{c['id']}/move", {"place": "first"})

    shows(page, todo=["c", "a", "b"])
    down, up = f"translate(0px, {-step:g}px)", f"translate(0px, {2 * step:g}px)"
    becomes([["a", down, 200], ["b", down, 200], ["c", up, 200]], lambda: sorted(page.evaluate("() => window.glides")))
    arrived = lambda: wait_for(page, "() => document.getAnimations().length === 0")
    arrived()
    page.evaluate("() => { window.glides = []; }")
    server.call("POST", f"/tasks/{a['id']}/move", {"status": "doing"})
    shows(page, todo=["c", "b"], doing=["a"])
    becomes(["a", "b"], lambda: glides(page))
    arrived()
    server.call("DELETE", f"/tasks/{c['id']}")
    shows(page, todo=["b"])
    becomes(["a", "b", "b"], lambda: glides(page))


def test_cards_glide_when_another_tab_moves_one(browser, server):
    for title in "abc":
        server.task(title)
    context = browser()
    one, two = context.new_page(), context.new_page()
    two.add_init_script(WATCH)
    for page in (one, two):
        page.goto(server.url)
        shows(page, todo=["a", "b", "c"])
    saved(two)
    two.evaluate("() => { window.glides = []; }")
    card(one, "a").locator(".open").focus()
    one.keyboard.press("Shift+ArrowDown")
    shows(two, todo=["b", "a", "c"])
    # A card that says that it is not sent yet is higher: then the one below it glides, too.
    becomes(True, lambda: {"a", "b"} <= set(glides(two)))


@pytest.mark.parametrize("options", [{}, {"reduced_motion": "reduce"}])
def test_what_one_does_oneself_does_not_glide_nor_without_motion(browser, server, options):
    tasks = [server.task(title) for title in "abc"]
    page = open_board(browser, server, **options)
    shows(page, todo=["a", "b", "c"])
    page.evaluate("() => { window.glides = []; }")
    if options:
        server.call("POST", f"/tasks/{tasks[0]['id']}/move", {"place": "last"})
    else:
        card(page, "a").locator(".open").focus()
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("Shift+ArrowDown")
    shows(page, todo=["b", "c", "a"])
    saved(page)
    assert glides(page) == []


def test_what_one_does_in_the_frame_of_anothers_move_does_not_glide(browser, server):
    tasks = [server.task(title) for title in "abcd"]
    page = open_board(browser, server)
    shows(page, todo=["a", "b", "c", "d"])
    card(page, "a").locator(".open").focus()
    page.evaluate("() => { window.glides = []; window.frame = []; window.requestAnimationFrame = (run) => window.frame.push(run); }")
    server.call("POST", f"/tasks/{tasks[3]['id']}/move", {"place": "first"})
    wait_for(page, "() => window.frame.length > 0")
    assert glides(page) == []
    page.keyboard.press("Shift+ArrowDown")
    shows(page, todo=["d", "b", "a", "c"])
    # With the own move, b would stand where it was.
    assert glides(page) == ["a", "b", "c", "d"]


def test_nothing_glides_while_a_card_is_dragged(browser, server):
    tasks = [server.task(title) for title in "abc"]
    page = open_board(browser, server)
    shows(page, todo=["a", "b", "c"])
    at = card(page, "a").bounding_box()
    page.mouse.move(at["x"] + 60, at["y"] + 15)
    page.mouse.down()
    page.mouse.move(at["x"] + 80, at["y"] + 40, steps=3)
    page.wait_for_selector(".ghost")
    page.evaluate("() => { window.glides = []; }")
    server.call("POST", f"/tasks/{tasks[2]['id']}/move", {"status": "done"})
    shows(page, done=["c"])
    assert glides(page) == []
    page.keyboard.press("Escape")
    page.mouse.up()


def test_what_changes_above_those_in_sight_moves_nothing(browser, server):
    server.fill(60, ("todo",))
    page = open_board(browser, server)
    wait_for(page, "() => document.querySelectorAll('.card').length >= 20")
    scroll = page.locator("[data-column=todo] .scroll")
    scroll.evaluate("(scroll) => { scroll.scrollTop = 700; }")
    wait_for(page, "() => document.querySelectorAll('.card').length === 60")
    line = card(page, "Task 14")
    line.locator(".open").focus()
    # Twice: those that come into sight get their true height.
    page.evaluate("() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); })")
    before = line.bounding_box()["y"]
    page.evaluate("() => { window.glides = []; }")
    last = server.tasks()[-1]
    server.call("POST", f"/tasks/{last['id']}/move", {"place": "first"})
    wait_for(page, "(title) => document.querySelector('.card .open').textContent === title", last["title"])
    page.evaluate("() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); })")
    assert abs(line.bounding_box()["y"] - before) <= 1
    expect(line.locator(".open")).to_be_focused()
    assert glides(page) == []
