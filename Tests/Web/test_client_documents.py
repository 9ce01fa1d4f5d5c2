"""The examples of docs/javascript-client.md, as they stand there."""

import re

from playwright.sync_api import expect

from harness import ROOT, becomes
from stage import node

TEXT = (ROOT / "docs/javascript-client.md").read_text()


def example(kind, word):
    """The first example in a language that has a word in it."""
    return next(block for block in re.findall(rf"```{kind}\n(.*?)```", TEXT, re.S) if word in block)


def test_twelve_lines_make_an_app_of_an_empty_page(browser, stage):
    lines = example("html", "open(")
    assert len(lines.splitlines()) == 12
    stage.pages["app"] = lines.replace("http://127.0.0.1:8080", stage.server.url)
    page = browser().new_page()
    page.goto(f"{stage.url}/app")
    items = page.locator("#list li")

    def type_in(title):
        page.locator("#title").fill(title)
        page.locator("#title").press("Enter")

    type_in("Milk")
    expect(items).to_have_text(["Milk"])
    becomes(["Milk"], lambda: [task["title"] for task in stage.server.tasks()])
    stage.server.task("Bread")
    expect(items).to_have_text(["Milk", "Bread"])
    # Without a server, over a reload.
    stage.server.stop()
    type_in("Tea")
    expect(items).to_have_text(["Milk", "Bread", "Tea"])
    stage.server.start()
    page.reload()
    expect(items).to_have_text(["Milk", "Bread", "Tea"])
    items.first.click()
    expect(items).to_have_text(["Bread", "Tea"])
    becomes({"Milk": "done", "Bread": "todo", "Tea": "todo"}, lambda: {task["title"]: task["status"] for task in stage.server.tasks()})


def test_a_page_that_the_server_does_not_know_loads_the_library_and_is_told(browser, guarded, stage):
    page = browser().new_page()
    page.goto(stage.url)
    # Of the other server: its `--cors-origin` does not have this page.
    code = page.evaluate(
        """async (server) => {
            const { open } = await import(server + '/client/kanbase.js');
            const board = await open({ server, storage: 'memory' });
            return board.sync().then(() => '', ({ code }) => code);
        }""",
        guarded.url,
    )
    assert code == "unreachable"


def test_an_app_in_node_keeps_its_board_in_a_file(stage, tmp_path):
    (tmp_path / "storage.mjs").write_text(example("js", "fileStorage"))
    with node(stage.server, tmp_path) as run:
        beginning = "const { fileStorage } = await import(argument.module); const storage = fileStorage(argument.file);"
        argument = {"module": str(tmp_path / "storage.mjs"), "file": str(tmp_path / "board.json"), "server": stage.server.url}
        run(
            beginning + "const board = await library.open({ server: argument.server, storage }); await board.create({ title: 'Kept' });"
            "await board.sync(); await board.create({ title: 'Unsent' }); await board.close();", argument,
        )
        stage.server.stop()
        assert run(
            beginning + "const board = await library.open({ server: argument.server, storage });"
            "const seen = board.tasks().value.map(({ title }) => title); await board.close(); return seen;", argument,
        ) == ["Kept", "Unsent"]


def test_the_table_of_calls_names_what_there_is(stage, tmp_path):
    calls = set(re.findall(r"board\.(\w+)", TEXT)) | {"editCategory", "createDDay", "restoreCategory", "restoreDDay"}
    with node(stage.server, tmp_path) as run:
        names = run(
            "const board = await library.open({ server: argument, storage: 'memory' });"
            "const names = [...Object.getOwnPropertyNames(board), ...Object.getOwnPropertyNames(Object.getPrototypeOf(board))];"
            "await board.close(); return names;", stage.server.url,
        )
    assert calls - set(names) - {"js"} == set()
    # All that there is stands in the types, and in the document.
    types = (ROOT / "Sources/CWeb/pages/kanbase.d.ts").read_text()
    for name in set(names) - {"constructor"}:
        assert re.search(rf"\b{name}\b", types) and re.search(rf"\b{name}\b", TEXT), name
