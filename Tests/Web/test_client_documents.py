"""The examples of docs/javascript-client.md, as they stand there."""

import importlib.util
import pathlib
import re
import subprocess

import pytest
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


def react(lines, folder):
    """The globals of React, as Debian has them, and the example as a module."""
    (folder / "todo.jsx").write_text(lines)
    options = ["--allowJs", "--jsx", "react", "--module", "esnext", "--target", "es2022", "--noResolve", "--outDir", folder / "out"]
    subprocess.run(["tsc", *options, folder / "todo.jsx"], check=True)
    globals = [f"/usr/share/nodejs/{name}/umd/{name}.development.js" for name in ("react", "react-dom")]
    start = "ReactDOM.createRoot(document.querySelector('#app')).render(React.createElement(Todo));"
    return globals, "export const { useSyncExternalStore } = React;", (folder / "out/todo.js").read_text(), start


def vue(lines, _):
    """The global of Vue 3, which a package of PyPI brings, and the example as its compiler makes a module of it."""
    script, template = (re.search(rf"<{tag}[^>]*>\n(.*)</{tag}>", lines, re.S)[1] for tag in ("script", "template"))
    imports = "".join(line + "\n" for line in script.splitlines() if line.startswith("import "))
    body = "\n".join(line for line in script.splitlines() if not line.startswith("import "))
    module = f"{imports}export const Todo = {{ template: `{template}`, setup() {{ {body}\nreturn {{ tasks, board }}; }} }};"
    [package] = importlib.util.find_spec("trame_client").submodule_search_locations
    globals = [f"{package}/module/vue3-www/vue.global.js"]
    return globals, "export const { onUnmounted, shallowRef } = Vue;", module, "Vue.createApp(Todo).mount('#app');"


@pytest.mark.parametrize("framework, kind, make", [("react", "js", react), ("vue", "vue", vue)])
def test_ten_lines_make_a_list_in_a_framework(browser, stage, tmp_path, framework, kind, make):
    lines = example(kind, f'from "{framework}"')
    assert len(lines.splitlines()) <= 10
    globals, exports, module, start = make(lines, tmp_path)
    for number, path in enumerate(globals):
        stage.pages[f"global{number}.js"] = pathlib.Path(path).read_text()
    stage.pages["framework.js"] = exports
    stage.pages["todo.js"] = module
    stage.pages["board.js"] = (
        f'import {{ open }} from "{stage.server.url}/client/kanbase.js"; export const board = await open({{ server: "{stage.server.url}" }});')
    stage.pages["app"] = (
        "<!doctype html><div id=app></div>" + "".join(f"<script src=/global{number}.js></script>" for number in range(len(globals)))
        + f'<script type=importmap>{{"imports": {{"{framework}": "/framework.js"}}}}</script>'
        + f'<script type=module>import {{ Todo }} from "/todo.js"; {start}</script>')
    stage.server.task("Milk")
    page = browser().new_page()
    page.goto(f"{stage.url}/app")
    items = page.locator("li")
    expect(items).to_have_text(["Milk"])
    stage.server.task("Bread")
    expect(items).to_have_text(["Milk", "Bread"])
    items.first.click()
    expect(items).to_have_text(["Bread"])
    becomes({"Milk": "done", "Bread": "todo"}, lambda: {task["title"]: task["status"] for task in stage.server.tasks()})


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
        # One that cannot be read is not taken for an empty one, and not written over.
        assert run(
            "const { fileStorage } = await import(argument.module);"
            "return library.open({ server: argument.server, storage: fileStorage(argument.folder) }).then(() => '', ({ code }) => code);",
            {**argument, "folder": str(tmp_path)},
        ) == "EISDIR"


def test_the_table_of_calls_names_what_there_is(stage, tmp_path):
    calls = set(re.findall(r"board\.(\w+)", TEXT)) | {"editCategory", "createDDay", "restoreCategory", "restoreDDay"}
    with node(stage.server, tmp_path) as run:
        names = run(
            "const board = await library.open({ server: argument, storage: 'memory' });"
            "const names = [...Object.getOwnPropertyNames(board), ...Object.getOwnPropertyNames(Object.getPrototypeOf(board))];"
            "await board.close(); return names;", stage.server.url,
        )
    assert calls - set(names) - {"js"} == set()
    # All that there is is in the types, and in the document.
    types = (ROOT / "Sources/CWeb/pages/kanbase.d.ts").read_text()
    for name in set(names) - {"constructor"}:
        assert re.search(rf"\b{name}\b", types) and re.search(rf"\b{name}\b", TEXT), name
