"""Every screen: what it shows, and that nothing of it keeps anybody out (axe-core, WCAG and best practices)."""

import datetime
import json
import re
import time

import pytest
from playwright.sync_api import expect

from barriers import small_targets, violations
from harness import SLACK, becomes, card, closed, installed, loaded, open_filters, saved, shows, visit, wait_for

SCREENS = ["", "today", "stats", "categories", "trash", "history", "settings"]


def seed(server):
    """A board on which every kind of thing is shown."""
    # Not across midnight: what is due today would be overdue.
    now = datetime.datetime.now()
    left = 86_400 - (now - now.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
    if left < 60 * max(1, SLACK):
        time.sleep(left + 1)
    day = lambda days: (datetime.date.today() + datetime.timedelta(days=days)).isoformat()
    work = server.call("POST", "/categories", {"name": "Work", "color": "#0369a1", "emoji": "💼"})["id"]
    home = server.call("POST", "/categories", {"name": "Home", "color": "#b45309"})["id"]
    server.task("Write the report", body="Numbers of March", categoryId=work, dueDate=day(0))
    server.task("Fix the tap", categoryId=home, dueDate=day(-3))
    server.task("Book the train", dueDate=day(12))
    server.task("Prepare slides", status="doing", dueDate=day(1), categoryId=work)
    server.task("Send the invoice", status="done", dueDate=day(-5))
    gone = server.task("Thrown away")
    server.call("DELETE", f"/tasks/{gone['id']}")
    server.call("POST", "/ddays", {"title": "Exam", "date": day(23), "emoji": "📚", "color": "#4338ca"})
    return work


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_no_screen_keeps_anybody_out(browser, server, size):
    seed(server)
    page = browser(viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=size[0] < 700).new_page()
    page.goto(server.url)
    page.wait_for_selector(".card")
    faults = {}
    for screen in SCREENS:
        if screen:
            visit(page, screen)
        saved(page)
        if found := violations(page) + small_targets(page):
            faults[screen or "board"] = found
    assert faults == {}


def test_dialogs_and_menus_keep_nobody_out(browser, server):
    seed(server)
    page = browser(reduced_motion="reduce").new_page()
    page.goto(server.url)
    page.wait_for_selector(".card")
    card(page, "Write the report").locator(".open").click()
    page.wait_for_selector("dialog.editor[open]")
    faults = {"editor": violations(page)}
    page.keyboard.press("Escape")
    closed(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog.help[open]")
    faults["help"] = violations(page)
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.help", state="detached")
    card(page, "Fix the tap").hover()
    card(page, "Fix the tap").locator(".more").click()
    page.wait_for_selector(".menu")
    faults["menu"] = violations(page)
    page.keyboard.press("Escape")
    page.locator("[data-column=doing] .add-open").click()
    page.locator(".add:visible input").fill("Something tomorrow #Work")
    faults["add"] = violations(page)
    assert {name: found for name, found in faults.items() if found} == {}


def test_the_log_in_and_the_account_keep_nobody_out(browser, guarded):
    page = browser(reduced_motion="reduce").new_page()
    page.goto(guarded.url)
    page.wait_for_selector(".entry [name=password]")
    faults = {"log-in": violations(page) + small_targets(page)}
    page.locator("[name=email]").fill("sun@example.org")
    page.locator("[name=password]").fill("correct horse")
    page.locator("button.primary").click()
    saved(page)
    page.goto(guarded.url + "/?screen=account")
    page.wait_for_selector("main .rows")
    loaded(page)
    faults["account"] = violations(page) + small_targets(page)
    assert {name: found for name, found in faults.items() if found} == {}


@pytest.mark.parametrize("language", ["en", "ko", "ja"])
def test_every_language_has_every_word(browser, server, language):
    page = browser(language).new_page()
    page.goto(server.url)
    saved(page)
    expect(page.locator("html")).to_have_attribute("lang", language)
    shapes = page.evaluate(
        """async () => {
            const shape = (value) => typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map((key) => [key, shape(value[key])])) : typeof value;
            const all = await Promise.all(['en', 'ko', 'ja'].map((name) => import(`/board/texts-${name}.js`)));
            return all.map(({ texts }) => JSON.stringify(shape(texts)));
        }"""
    )
    assert shapes[0] == shapes[1] == shapes[2]
    for screen in SCREENS:
        visit(page, screen)
        saved(page)
        assert "undefined" not in page.locator("body").inner_text()


def test_search_filter_and_sort_are_in_the_address(browser, server):
    work = seed(server)
    page = browser().new_page()
    page.goto(f"{server.url}/?category={work}&due=today")
    shows(page, todo=["Write the report"], doing=[], done=[])
    page.goto(f"{server.url}/?sort=title")
    shows(page, todo=["Book the train", "Fix the tap", "Write the report"])
    page.keyboard.press("/")
    page.keyboard.type("MARCH")
    shows(page, todo=["Write the report"], doing=[], done=[])
    expect(page).to_have_url(re.compile("q=MARCH"))
    page.reload()
    shows(page, todo=["Write the report"], doing=[], done=[])


def test_a_deep_link_opens_a_task_and_back_closes_it(browser, server):
    task = server.task("Linked")
    page = browser().new_page()
    page.goto(f"{server.url}/?task={task['id']}")
    page.wait_for_selector("dialog.editor[open]")
    expect(page.locator("[name=title]")).to_have_value("Linked")
    page.keyboard.press("Escape")
    closed(page)
    expect(page).not_to_have_url(re.compile("task="))


@pytest.mark.unopened
def test_the_trash_gives_back(page, server):
    seed(server)
    page.goto(server.url + "/?screen=trash")
    # The list is read once: the row does not wait for the next answer.
    page.wait_for_selector(".rows strong")
    page.route("**/tasks?deleted=true*", lambda route: route.abort())
    page.get_by_role("button", name="Restore Thrown away").click()
    expect(page.locator(".rows strong", has_text="Thrown away")).to_have_count(0)
    saved(page)
    assert "Thrown away" in [task["title"] for task in server.tasks("&status=todo")]


@pytest.mark.unopened
def test_the_history_tells_in_words(page, server):
    task = server.task("Report")
    server.call("PATCH", f"/tasks/{task['id']}", {"title": "Report of March"})
    server.call("POST", f"/tasks/{task['id']}/move", {"status": "doing"})
    page.goto(f"{server.url}/?screen=history&of={task['id']}")
    for words in ("Moved from To do to Doing", "Report → Report of March", "Created"):
        expect(page.locator(".history")).to_contain_text(words)
    page.goto(server.url + "/?screen=history")
    expect(page.locator(".history")).to_contain_text("Report of March")


@pytest.mark.unopened
def test_categories_are_made_changed_and_deleted(page, server):
    page.goto(server.url + "/?screen=categories")
    page.get_by_role("button", name="New category").click()
    page.locator("dialog input").first.fill("Garden")
    page.locator("dialog button.primary").click()
    page.get_by_role("button", name="Garden", exact=True).click()
    page.locator("dialog input").first.fill("Balcony")
    page.locator("dialog .swatches input").nth(3).check()
    page.locator("dialog button.primary").click()
    # Its button was redrawn; the keyboard stays on it.
    expect(page.get_by_role("button", name="Balcony", exact=True)).to_be_focused()
    saved(page)
    stored = server.call("GET", "/categories")["items"]
    assert [(category["name"], category["color"]) for category in stored] == [("Balcony", "#0f766e")]
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Balcony", exact=True).click()
    page.locator("dialog button.danger").click()
    saved(page)
    assert server.call("GET", "/categories")["items"] == []


@pytest.mark.unopened
def test_today_shows_what_is_due_and_marks_it_done(page, server):
    seed(server)
    page.goto(server.url + "/?screen=today")
    for words in ("Fix the tap", "Write the report", "Exam", "D-23"):
        expect(page.locator("main")).to_contain_text(words)
    page.get_by_role("button", name="Done: Write the report").click()
    saved(page)
    assert [task["title"] for task in server.tasks("&status=done")] == ["Send the invoice", "Write the report"]
    page.get_by_role("button", name="Add a D-day").click()
    page.locator("dialog input").first.fill("Wedding")
    page.locator("dialog input[type=date]").fill("2019-05-18")
    page.locator("dialog input[type=checkbox]").check()
    page.locator("dialog button.primary").click()
    page.locator(".row-open", has_text="Wedding").wait_for()
    saved(page)
    assert "yearly" in [dday["repeats"] for dday in server.call("GET", "/ddays")["items"]]


@pytest.mark.worker
def test_today_is_true_without_a_server(page, server):
    seed(server)
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Write the report").wait_for()
    installed(page)
    server.stop()
    page.wait_for_selector("#state[data-kind=offline]")
    page.get_by_role("button", name="Done: Fix the tap").click()
    expect(page.locator(".row-open", has_text="Fix the tap")).to_have_count(0)
    expect(page.get_by_role("button", name="Done: Write the report")).to_be_focused()
    page.get_by_role("button", name="Add a D-day").click()
    page.locator("dialog input").first.fill("Trip")
    page.locator("dialog input[type=date]").fill((datetime.date.today() + datetime.timedelta(days=400)).isoformat())
    page.locator("dialog button.primary").click()
    for again in (False, True):
        if again:
            page.reload()
        expect(page.locator(".row-open", has_text="Trip")).to_be_visible()
        expect(page.locator("main")).to_contain_text("2 of 5 done")
    server.start()
    saved(page)
    assert "Fix the tap" in [task["title"] for task in server.tasks("&status=done")]
    assert sorted(dday["title"] for dday in server.call("GET", "/ddays")["items"]) == ["Exam", "Trip"]


@pytest.mark.unopened
def test_statistics_count(page, server):
    seed(server)
    page.goto(server.url + "/?screen=stats")
    page.wait_for_selector(".figure")
    for words in ("5\nAll", "1\nDone", "1\nOverdue"):
        expect(page.locator(".figures")).to_contain_text(words, use_inner_text=True)
    expect(page.locator("figcaption")).to_contain_text("1 task in 30 days")


@pytest.mark.unopened
def test_settings_change_the_language_the_zone_and_the_theme(page, server):
    page.goto(server.url + "/?screen=settings")
    selects = page.locator("main select")
    selects.nth(2).select_option("dark")
    wait_for(page, "() => document.documentElement.dataset.theme === 'dark'")
    selects.nth(1).select_option("Asia/Seoul")
    selects.nth(0).select_option("ko")
    page.wait_for_selector("h1:has-text('설정')")
    saved(page)
    settings = server.call("GET", "/settings")
    assert (settings["locale"], settings["timeZone"], settings["custom"]["theme"]) == ("ko", "Asia/Seoul", "dark")


@pytest.mark.unopened
def test_export_and_import(page, server, tmp_path):
    server.task("Kept")
    page.goto(server.url + "/?screen=settings")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export (JSON)").click()
    path = tmp_path / "export.json"
    download.value.save_as(path)
    document = json.loads(path.read_text())
    assert [task["title"] for task in document["tasks"]] == ["Kept"]
    document["tasks"][0].update(id="22222222-2222-4222-8222-222222222222", title="Imported")
    path.write_text(json.dumps(document))
    page.locator("input[type=file]").set_input_files(path)
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_text("The import is done.").wait_for()
    assert sorted(task["title"] for task in server.tasks()) == ["Imported", "Kept"]


@pytest.mark.worker
def test_the_board_can_be_installed(page, server):
    manifest = server.call("GET", "/manifest.webmanifest")
    assert manifest["start_url"] == "/" and manifest["display"] == "standalone"
    assert {icon["sizes"] for icon in manifest["icons"]} >= {"192x192", "512x512"}
    for icon in manifest["icons"]:
        answer = page.request.get(server.url + icon["src"])
        assert answer.status == 200 and answer.headers["content-type"] == icon["type"]
    assert page.evaluate("() => navigator.serviceWorker.ready.then((ready) => ready.active !== null)")
    requests = page.evaluate("() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)")
    assert set(requests) == {server.url}


def test_a_long_category_stays_within_its_panel_and_the_window(browser, server):
    category = server.call("POST", "/categories", {"name": "A category with a name of almost fifty letters"})
    server.task("Report", categoryId=category["id"])
    page = browser(viewport={"width": 320, "height": 640}).new_page()
    page.goto(server.url + "/?screen=stats")
    page.locator("table").wait_for()
    # In one turn of the page, which may redraw the panel between two questions.
    table, panel = page.evaluate("""() => {
        const table = document.querySelector("table");
        return [table, table.closest(".panel")].map((element) => element.getBoundingClientRect().right);
    }""")
    assert table <= panel
    assert page.evaluate("() => document.querySelector('main').scrollWidth <= innerWidth")
    page.goto(server.url)
    open_filters(page)
    box = page.locator(".selects select").first.bounding_box()
    assert box["x"] + box["width"] <= 320


def test_midnight_is_that_of_the_account(browser, server):
    server.call("PATCH", "/settings", {"timeZone": "Asia/Seoul"})
    server.task("Report", dueDate="2031-01-01")
    page = browser(timezone_id="America/New_York").new_page()
    page.clock.install(time="2031-01-01T14:59:45Z")
    page.goto(server.url)
    expect(card(page, "Report").locator(".due")).to_contain_text("Today")
    # A longer leap would break the stream, and what then follows redraws the board.
    page.clock.fast_forward(16000)
    expect(card(page, "Report").locator(".due")).to_contain_text("Yesterday")


def test_statistics_are_those_of_the_new_day(browser, server):
    page = browser(timezone_id="Asia/Seoul").new_page()
    page.clock.install(time="2031-01-01T14:59:45Z")
    page.goto(server.url + "/?screen=stats")
    loaded(page)
    saved(page)
    with page.expect_response("**/stats?*"):
        page.clock.fast_forward(17000)


def test_a_device_that_slept_over_midnight_shows_the_new_day(browser, server):
    server.task("Report", dueDate="2031-01-02")
    page = browser(timezone_id="Asia/Seoul").new_page()
    page.clock.install(time="2031-01-01T03:00:00Z")
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Report").wait_for()
    page.clock.set_system_time("2031-01-02T03:00:00Z")
    page.evaluate("() => { document.dispatchEvent(new Event('visibilitychange')); }")
    expect(page.locator(".tick + .row-open + .due")).to_contain_text("Today")


@pytest.mark.unopened
def test_a_date_beyond_all_years_stops_no_other_task(page, server):
    server.call("PATCH", "/settings", {"timeZone": "Asia/Seoul"})
    server.task("Far", dueDate="9999-12-31T23:59:59Z")
    server.task("Late", dueDate="2021-05-04")
    page.goto(server.url + "/?screen=today")
    page.locator(".row-open", has_text="Late").wait_for()
    expect(page.locator(".row-open", has_text="Far")).to_be_visible()


@pytest.mark.unopened
def test_the_settings_follow_other_devices(page, server):
    page.goto(server.url + "/?screen=settings")
    zone, theme = page.get_by_label("Time zone"), page.get_by_label("Theme")
    shortcuts = page.get_by_label("Shortcuts of a single letter")
    expect(shortcuts).to_be_checked()
    saved(page)
    zone.focus()
    server.call("PATCH", "/settings", {"timeZone": "Asia/Tokyo", "custom": {"theme": "dark", "shortcuts": False}})
    expect(theme).to_have_value("dark")
    expect(shortcuts).not_to_be_checked()
    # Somebody may be choosing there.
    expect(zone).to_have_value("")
    theme.focus()
    expect(zone).to_have_value("Asia/Tokyo")


HERE = {"latitude": 37.56, "longitude": 126.99}


def test_the_weather_comes_where_the_person_and_the_server_let_it(browser, server):
    page = browser().new_page()
    with page.expect_response("**/health/ready"):
        page.goto(server.url + "/?screen=today")
    show = page.get_by_role("button", name="Show the weather here")
    expect(show).to_have_count(0)
    ready = {**server.call("GET", "/health/ready"), "features": ["weather"]}
    page.route("**/health/ready", lambda route: route.fulfill(json=ready))
    page.reload()
    show.click()
    expect(page.locator(".toast")).to_contain_text("The browser does not tell where you are.")

    page = browser(geolocation=HERE, permissions=["geolocation"]).new_page()
    page.route("**/health/ready", lambda route: route.fulfill(json=ready))
    page.goto(server.url + "/?screen=today")
    show = page.get_by_role("button", name="Show the weather here")
    show.click()
    page.locator(".toast.fault").wait_for()
    page.reload()
    expect(show).to_be_visible()

    asked, sky = [], {"condition": "snow", "temperature": -2.4, "low": -7, "high": 0.6}
    page.route("**/weather?*", lambda route: (asked.append(route.request.url.split("?")[1]), route.fulfill(json=sky)))
    show.click()
    expect(page.locator(".weather")).to_have_text("Snow · -2° (-7° to 1°)")
    page.reload()
    expect(page.locator(".weather")).to_have_text("Snow · -2° (-7° to 1°)")
    assert asked == ["latitude=37.6&longitude=127.0"] * 2
