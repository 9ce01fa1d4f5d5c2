"""Bringing tasks from elsewhere, in the settings."""

import json
import urllib.parse

from playwright.sync_api import expect

from harness import becomes, loaded

TABLE = "Title,Status,Due\nBuy <b>milk</b>,Doing,2031-05-04\nRead,Backlog,\n"


def open_import(page, server):
    page.goto(server.url + "/?screen=settings")
    loaded(page)
    return page.locator(".panel", has=page.get_by_role("heading", name="Your data"))


def choose(panel, tmp_path, label, words, name="tasks.csv"):
    path = tmp_path / name
    path.write_text(words)
    panel.get_by_label("Format").select_option(label=label)
    panel.locator("input[type=file]").set_input_files(path)


def tried(panel, *rows):
    """Waits until the dry run is shown as these rows, the one of the headings first."""
    cells = lambda: panel.evaluate("(panel) => [...panel.querySelectorAll('[role=status] tr')].map((row) => [...row.children].map((cell) => cell.textContent))")
    becomes([list(row) for row in rows], cells)


def counts(made, changed, kept, skipped):
    return [("", "Task"), ("New", made), ("Changed", changed), ("As before", kept), ("Skipped", skipped)]


def test_a_table_is_looked_at_imported_and_taken_back(page, server, tmp_path):
    server.task("Kept")
    titles = lambda: sorted(task["title"] for task in server.tasks())
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", TABLE)
    tried(panel, *counts("2", "0", "0", "0"))
    assert titles() == ["Kept"]
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    expect(panel.get_by_role("button", name="Import…")).to_be_focused()
    assert titles() == ["Buy <b>milk</b>", "Kept", "Read"]

    # The same file changes nothing.
    choose(panel, tmp_path, "CSV", TABLE)
    tried(panel, *counts("0", "0", "2", "0"))
    row = panel.locator(".rows li")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("CSV · ")
    page.once("dialog", lambda dialog: dialog.dismiss())
    row.get_by_role("button").click()
    expect(row).to_have_count(1)
    page.once("dialog", lambda dialog: dialog.accept())
    row.get_by_role("button").click()
    page.locator(".toast", has_text="2 removed, 0 kept.").wait_for()
    expect(row).to_have_count(0)
    becomes(["Kept"], titles)


def test_rows_that_cannot_be_read_are_named(page, server, tmp_path):
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", f"Title,Due\nFine,2031-05-04\nBad,the day after\n{'x' * 201},\n")
    status = panel.locator("[role=status]")
    expect(status).to_contain_text("Nothing is imported: 2 places of the file cannot be read.")
    expect(status.locator("li")).to_have_count(2)
    expect(status.locator("li").first).to_contain_text("Row 3: ")
    expect(panel.get_by_role("button", name="Import", exact=True)).to_have_count(0)
    choose(panel, tmp_path, "Kanbase", "no JSON", "export.json")
    expect(status.locator("li")).to_have_text(["An import must be a JSON object."])
    choose(panel, tmp_path, "Trello", "{}", "board.json")
    expect(status).to_contain_text("1 place of the file cannot be read.")
    assert server.tasks() == []


def test_the_newest_choice_counts(page, server, tmp_path):
    panel = open_import(page, server)
    status, button = panel.locator("[role=status]"), panel.get_by_role("button", name="Import", exact=True)
    held = []
    page.route("**/import?*", lambda route: held.append(route), times=1)
    choose(panel, tmp_path, "CSV", "Title\nSlow\n", "slow.csv")
    expect(status).to_have_text("slow.csv · CSVReading…")
    becomes(1, lambda: page.evaluate("1") * len(held))
    choose(panel, tmp_path, "CSV", "Title\nQuick\nSoon\n", "quick.csv")
    tried(panel, *counts("2", "0", "0", "0"))
    with page.expect_response("**/import?*"):
        held[0].continue_()
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve, 100))")
    expect(status).to_contain_text("quick.csv · CSV")
    tried(panel, *counts("2", "0", "0", "0"))
    # While the next one is read, there is no button for the last.
    held.clear()
    page.route("**/import?*", lambda route: held.append(route), times=1)
    choose(panel, tmp_path, "CSV", "Title\nSlow too\n", "slow.csv")
    becomes(1, lambda: page.evaluate("1") * len(held))
    expect(button).to_have_count(0)
    expect(status).not_to_contain_text("quick.csv")
    held[0].continue_()
    button.click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    assert [task["title"] for task in server.tasks()] == ["Slow too"]


def test_the_import_is_of_what_was_looked_at(page, server, tmp_path):
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", "Title\nLooked at\n")
    tried(panel, *counts("1", "0", "0", "0"))
    (tmp_path / "tasks.csv").write_text("Title\nChanged since\nAnd more\n")
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    assert [task["title"] for task in server.tasks()] == ["Looked at"]


def test_an_import_that_fails_can_be_tried_again(page, server, tmp_path):
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", "Title,Category\nReport,Work\n")
    tried(panel, ("", "Task", "Category"), ("New", "1", "1"), ("Changed", "0", "0"), ("As before", "0", "0"), ("Skipped", "0", "0"))
    button = panel.get_by_role("button", name="Import", exact=True)
    page.route("**/import?*", lambda route: route.abort())
    button.click()
    expect(panel.locator(".fault")).to_have_text("The server cannot be reached.")
    expect(button).to_be_focused()
    page.unroute("**/import?*")
    button.click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    expect(panel.locator(".rows li")).to_contain_text("With categories and D-days: New 2 · Changed 0 · As before 0 · Skipped 0")
    # What was taken back is not called done.
    page.once("dialog", lambda dialog: dialog.accept())
    panel.get_by_role("button", name="Take back").click()
    expect(panel.locator(".rows li")).to_have_count(0)
    expect(panel.locator(".note")).to_have_count(0)


def test_a_file_that_is_too_large_is_no_picture(page, server, tmp_path):
    panel = open_import(page, server)
    problem = json.dumps({"status": 413, "code": "payload_too_large", "detail": "Too large."})
    page.route("**/import?*", lambda route: route.fulfill(status=413, content_type="application/problem+json", body=problem))
    choose(panel, tmp_path, "CSV", TABLE)
    expect(panel.locator(".fault")).to_contain_text("The file cannot be read, or is larger than 64 MiB.")


TRELLO = {
    "name": "Work", "lists": [{"id": "l1", "name": "Shipped", "pos": 1}, {"id": "l2", "name": "Ideas, later", "pos": 2}],
    "cards": [{"id": f"c{number}", "idList": f"l{number}", "name": f"Card {number}", "pos": number} for number in (1, 2)],
}


def test_the_lists_of_a_file_are_mapped_to_columns(page, server, tmp_path):
    panel = open_import(page, server)
    choose(panel, tmp_path, "Trello", json.dumps(TRELLO), "board.json")
    shipped = panel.get_by_label("Shipped")
    expect(shipped).to_have_value("")
    expect(panel.locator("[role=status] li")).to_contain_text(["Ideas, later"])
    shipped.focus()
    with page.expect_response("**/import?*") as answer:
        shipped.select_option("done")
    assert urllib.parse.parse_qs(urllib.parse.urlsplit(answer.value.url).query)["rules"] == ["list:Shipped=done"]
    # What was asked stays, for another answer.
    expect(panel.get_by_role("button", name="Import", exact=True)).to_be_enabled()
    expect(shipped).to_have_value("done")
    expect(shipped).to_be_focused()
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    assert {task["title"]: task["status"] for task in server.tasks()} == {"Card 1": "done", "Card 2": "todo"}


def test_a_status_that_is_no_column_is_asked_for(page, server, tmp_path):
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", "Title,Status\nOne,Blocked & waiting\nTwo,Blocked & waiting\nThree,쉬는 중\n")
    expect(panel.locator("[role=status]")).to_contain_text("3 places of the file cannot be read.")
    panel.get_by_label("Blocked & waiting").select_option("doing")
    expect(panel.locator("[role=status]")).to_contain_text("1 place of the file cannot be read.")
    panel.get_by_label("쉬는 중").select_option("todo")
    tried(panel, *counts("3", "0", "0", "0"))
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    assert {task["title"]: task["status"] for task in server.tasks()} == {"One": "doing", "Two": "doing", "Three": "todo"}


def test_times_without_a_zone_are_those_of_the_board(browser, server, tmp_path):
    page = browser(timezone_id="Asia/Seoul").new_page()
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", "Title,Due\nReport,2031-05-04 15:00\n")
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    assert [task["dueDate"] for task in server.tasks()] == ["2031-05-04T06:00:00.000Z"]
