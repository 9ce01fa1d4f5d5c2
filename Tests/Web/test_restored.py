"""What a server lost, by a restore from a backup or because its trash was emptied, is offered by the device that has it."""

import subprocess

from playwright.sync_api import expect

from harness import KANBASE, becomes, columns, open_questions, saved, shows
from test_words import open_task


def restored(page, server, backup, after):
    """Makes a backup, calls `after`, and serves the backup."""
    subprocess.run([KANBASE, "backup", "--data", server.data, backup], check=True, capture_output=True)
    after()
    server.stop()
    page.wait_for_selector("#state[data-kind=offline]")
    subprocess.run([KANBASE, "restore", "--data", server.data, backup], check=True, capture_output=True)
    server.start()


def test_what_a_restored_server_lost_can_be_sent_again(page, server, tmp_path):
    old = server.task("Old")

    def after():
        category = server.call("POST", "/categories", {"name": "Garden", "color": "#4d7c0f"})
        server.task("Lost", body="A long thought", dueDate="2031-05-04", categoryId=category["id"], status="doing")
        server.call("PATCH", f"/tasks/{old['id']}", {"body": "Newer words"})
        page.locator(".card .category", has_text="Garden").wait_for()
        page.locator(".card .body", has_text="Newer words").wait_for()

    restored(page, server, str(tmp_path / "backup"), after)

    page.locator("#state", has_text="3 questions").click()
    lost = page.locator(".issue", has_text="A long thought")
    lost.get_by_role("button", name="Send again").click()
    # Its category went along.
    page.locator(".issue").get_by_role("button", name="Send again").click()
    saved(page)
    shows(page, todo=["Old"], doing=["Lost"])
    [category] = server.call("GET", "/categories")["items"]
    assert (category["name"], category["color"]) == ("Garden", "#4d7c0f")
    tasks = {task["title"]: task for task in server.tasks()}
    assert tasks["Old"]["body"] == "Newer words"
    assert (tasks["Lost"]["body"], tasks["Lost"]["dueDate"], tasks["Lost"]["categoryId"]) == ("A long thought", "2031-05-04", category["id"])


def test_what_a_restored_server_lost_can_be_given_up(page, server, tmp_path):
    restored(page, server, str(tmp_path / "backup"), lambda: (server.task("Lost"), shows(page, todo=["Lost"])))
    page.locator("#state", has_text="1 question").click()
    page.locator(".issue").get_by_role("button", name="Discard").click()
    saved(page)
    becomes([], lambda: columns(page)["todo"])
    assert server.tasks() == []


def test_words_about_a_task_that_the_server_has_no_more_are_one_question(page, server):
    task = server.task("Report", status="doing")
    editor = open_task(page, "Report")
    editor.locator("textarea[name=body]").fill("A long thought")
    server.call("DELETE", f"/tasks/{task['id']}")
    page.locator(".editor .fault", has_text="deleted").wait_for()
    gone = {"status": "rejected", "conflicts": [], "problem": {"code": "not_found", "detail": "There is no task with this id."}}

    def purged(route):
        mutations = route.request.post_data_json["mutations"]
        route.fulfill(json={"results": [{"mutationId": mutation["mutationId"], **gone} for mutation in mutations]})

    page.route("**/sync", purged)
    page.keyboard.press("Control+Enter")
    page.locator("#state", has_text="1 question").click()
    page.unroute("**/sync")
    expect(page.locator(".issue h3")).to_have_text("Report")
    page.locator(".issue").get_by_role("button", name="Send again").click()
    saved(page)
    shows(page, todo=[], doing=["Report"])
    assert [(task["title"], task["body"]) for task in server.tasks()] == [("Report", "A long thought")]


def test_an_edit_of_a_task_whose_import_was_taken_back_brings_it_back_whole(browser, server):
    answer = server.call("POST", "/import?format=trello", {
        "name": "Work", "lists": [{"id": "1", "name": "To Do", "closed": False}],
        "cards": [{"id": "2", "name": "Report", "desc": "Old words", "idList": "1", "closed": False, "pos": 1, "labels": []}]})
    context = browser()
    page = context.new_page()
    page.goto(server.url)
    shows(page, todo=["Report"])
    saved(page)
    context.set_offline(True)
    editor = open_task(page, "Report")
    editor.locator("[name=date]").fill("2031-05-04")
    editor.locator("button.primary").click()
    server.call("DELETE", f"/imports/{answer['importId']}")
    context.set_offline(False)

    open_questions(page)
    issue = page.locator(".issue")
    expect(issue.locator("h3")).to_have_text("Report")
    issue.get_by_role("button", name="Restore and save").click()
    # The trash has it no more.
    open_questions(page)
    expect(issue).to_contain_text("Old words")
    expect(issue).to_have_count(1)
    expect(issue.locator("h3")).to_have_text("Report")
    issue.get_by_role("button", name="Send again").click()
    expect(issue).to_have_count(0)
    saved(page)
    shows(page, todo=["Report"])
    assert [(task["title"], task["body"], task["dueDate"]) for task in server.tasks()] == [("Report", "Old words", "2031-05-04")]
