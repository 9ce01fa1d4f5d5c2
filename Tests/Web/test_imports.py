"""Bringing tasks from elsewhere, in the settings."""

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


def test_a_table_is_looked_at_imported_and_taken_back(page, server, tmp_path):
    server.task("Kept")
    titles = lambda: sorted(task["title"] for task in server.tasks())
    panel = open_import(page, server)
    choose(panel, tmp_path, "CSV", TABLE)
    expect(panel.locator("[role=status]")).to_contain_text("2 made, 0 changed, 0 as before, 0 skipped.")
    assert titles() == ["Kept"]
    panel.get_by_role("button", name="Import", exact=True).click()
    expect(panel.locator(".note")).to_have_text("The import is done.")
    assert titles() == ["Buy <b>milk</b>", "Kept", "Read"]

    # The same file changes nothing.
    choose(panel, tmp_path, "CSV", TABLE)
    expect(panel.locator("[role=status]")).to_contain_text("0 made, 0 changed, 2 as before")
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
