"""The targets of speed. They are of an idle machine: KANBASE_WEB_SLACK multiplies them on a slow one."""

import re
import urllib.request

import pytest

from harness import PATIENCE, SLACK, add, card, installed, saved, wait_for

pytestmark = [pytest.mark.timing, pytest.mark.worker]

#: When the first card was made, by the page's own mark: the code that a test puts into a page to watch it costs as much.
FIRST_CARD = "() => performance.getEntriesByName('first-card')[0].startTime"


def best(measure, target, rounds=3):
    """The least of a few: what the page takes, without what else the machine does. One within the target is enough."""
    least = measure()
    for _ in range(rounds - 1):
        if least <= target:
            break
        least = min(least, measure())
    return least


def test_the_shell_is_light(server):
    with urllib.request.urlopen(f"{server.url}/worker.js", timeout=PATIENCE) as answer:
        files = re.findall(r"(?:board|client)/[^\"]+", answer.readline().decode())
    # One language is loaded, and what holds only types is not.
    modules = [path for path in files if not path.endswith(("/types.js", "/texts-en.js", "/texts-ja.js"))]
    assert {"board/app.js", "board/shell.js", "board/screens.js", "client/kanbase.js"} < set(modules)
    sizes = {}
    for path in ("", "worker.js", *modules):
        request = urllib.request.Request(f"{server.url}/{path}", headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            sizes[path] = len(answer.read())
    print(f"shell: {sum(sizes.values())} bytes")
    assert sum(sizes.values()) <= 96 * 1024, sizes


def test_the_first_card_is_there_at_once(browser, server):
    server.fill(3000)

    def cold():
        page = browser(service_workers="block").new_page()
        page.goto(server.url)
        page.wait_for_selector(".card")
        return page.evaluate(FIRST_CARD)

    context = browser()
    page = context.new_page()
    page.goto(server.url)
    installed(page)
    saved(page)

    def warm():
        page.reload()
        page.wait_for_selector(".card")
        return page.evaluate(FIRST_CARD)

    warm_time, cold_time = best(warm, 300 * SLACK, 5), best(cold, 600 * SLACK)
    print(f"first card: warm {warm_time:.0f} ms, cold {cold_time:.0f} ms")
    assert warm_time <= 300 * SLACK
    assert cold_time <= 600 * SLACK


def test_a_move_among_1500_shown_cards_is_quick(browser, server):
    server.fill(1500, ("todo",))
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    wait_for(page, "() => document.querySelectorAll('.card').length === 1500")
    page.locator(".card .open").first.focus()

    def move():
        return page.evaluate(
            """() => new Promise((resolve) => {
                const began = performance.now();
                document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', shiftKey: true, bubbles: true, cancelable: true }));
                document.body.offsetHeight;
                resolve(performance.now() - began);
            })"""
        )

    taken = best(move, 50 * SLACK, 6)
    print(f"a move among 1500: {taken:.0f} ms")
    assert taken <= 50 * SLACK


def test_a_change_in_another_window_is_seen_at_once(browser, server):
    one, two = browser().new_page(), browser().new_page()
    for page in (one, two):
        page.goto(server.url)
        saved(page)
    times = []
    for number in range(5):
        title = f"Seen {number}"
        two.evaluate(
            """(title) => { window.seen = new Promise((resolve) => {
                const look = () => [...document.querySelectorAll('.open')].some((open) => open.textContent === title) ? resolve(Date.now()) : requestAnimationFrame(look);
                look();
            }); }""",
            title,
        )
        one.evaluate("() => { document.addEventListener('submit', () => { window.began = Date.now(); }, { capture: true, once: true }); }")
        add(one, title)
        times.append(two.evaluate("() => window.seen") - one.evaluate("() => window.began"))
    print(f"in another window after {min(times)} ms")
    assert min(times) <= 150 * SLACK


def watch_long_tasks(page):
    """Notes how long each task of the page takes that is longer than 50 ms."""
    page.evaluate(
        """() => { window.tasks = []; window.observer = new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.tasks.push(entry.duration); });
            window.observer.observe({ entryTypes: ['longtask'] }); }"""
    )


def longest_task(page):
    return max([0, *page.evaluate("() => { for (const entry of window.observer.takeRecords()) window.tasks.push(entry.duration); window.observer.disconnect(); return window.tasks; }")])


def test_a_move_by_another_device_never_blocks(browser, server):
    server.fill(3000)
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    wait_for(page, "() => document.querySelectorAll('.card').length >= 60")
    ids = [task["id"] for task in server.tasks("&status=todo")]
    moved = iter(ids[1:])

    def move():
        watch_long_tasks(page)
        title = server.call("POST", f"/tasks/{next(moved)}/move", {"place": "first"})["title"]
        wait_for(page, "(title) => document.querySelector('[data-column=todo] .open').textContent === title", title)
        assert page.evaluate("() => document.getAnimations().length") > 0
        page.evaluate("() => new Promise((done) => { requestAnimationFrame(() => { requestAnimationFrame(done); }); })")
        return longest_task(page)

    longest = best(move, 100 * SLACK, 5)
    print(f"longest task of a move by another device: {longest:.0f} ms")
    assert longest <= 100 * SLACK


def test_dragging_never_blocks(browser, server):
    server.fill(1500, ("todo",))
    server.task("Mover", status="doing")
    page = browser().new_page()
    page.goto(server.url)
    saved(page)
    page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    wait_for(page, "() => document.querySelectorAll('.card').length === 1501")

    def drag():
        watch_long_tasks(page)
        at = card(page, "Mover").bounding_box()
        page.mouse.move(at["x"] + 40, at["y"] + 15)
        page.mouse.down()
        column = page.locator("[data-column=todo]").bounding_box()
        for step in range(20):
            page.mouse.move(column["x"] + 80, column["y"] + 100 + step * 25, steps=2)
        page.keyboard.press("Escape")
        page.mouse.up()
        return longest_task(page)

    longest = best(drag, 100 * SLACK)
    print(f"longest task while dragging: {longest:.0f} ms")
    assert longest <= 100 * SLACK
