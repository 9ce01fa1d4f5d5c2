"""The library for web apps: the cases of client/cases.mjs, in a page of another origin and in Node."""

import json
import subprocess

import pytest

from harness import PATIENCE, ROOT, wait_for
from stage import FILES, NODE, node

CASES = json.loads(
    subprocess.run(
        [NODE, "--input-type=module", "-e", f"import {{ cases }} from '{FILES}/cases.mjs';"
         "console.log(JSON.stringify(Object.entries(cases).map(([name, [kind]]) => [name, kind])));"],
        check=True, capture_output=True, text=True,
    ).stdout
)
VECTORS = {"search": json.loads((ROOT / "Tests/Cases/search.json").read_text())}
RUN = "await (await import(argument.cases)).run(library, argument.given);"


@pytest.mark.parametrize("name, stage", CASES, ids=[name for name, _ in CASES], indirect=["stage"])
@pytest.mark.parametrize("place", ["chromium", "node"])
def test_the_library_keeps_the_promise(place, name, stage, browser, tmp_path):
    given = {"name": name, "server": stage.server.url, "stage": stage.url, "cases": VECTORS, "seconds": PATIENCE}
    if place == "node":
        with node(stage.server, tmp_path) as run:
            run(RUN, {"cases": f"file://{FILES}/cases.mjs", "given": given})
        return
    page = browser().new_page()
    page.goto(stage.url)
    page.evaluate(
        f"async ([server, argument]) => {{ const library = await import(server + '/client/kanbase.js'); {RUN} }}",
        [stage.server.url, {"cases": "/cases.mjs", "given": given}],
    )


OPEN = """async (server) => {
    const { open } = await import(server + '/client/kanbase.js');
    window.board = await open({ server });
    window.titles = () => board.tasks().value.map(({ title }) => title);
}"""


@pytest.mark.parametrize("stage", ["guarded"], indirect=True)
def test_tabs_share_a_board_and_its_log_in(stage, browser):
    stage.server.account()
    context = browser()
    one, two = context.new_page(), context.new_page()
    for page in (one, two):
        page.goto(stage.url)
        page.evaluate(OPEN, stage.server.url)
    one.evaluate("() => board.logIn({ email: 'sun@example.org', password: 'correct horse' })")
    for page in (one, two):
        wait_for(page, "() => board.status.value.phase === 'live' && board.account.value?.email === 'sun@example.org'")

    # Either sends what the other writes, whichever talks to the server.
    one.evaluate("() => board.create({ title: 'Of one' })")
    wait_for(two, "() => String(titles()) === 'Of one'")
    two.evaluate("() => board.create({ title: 'Of two' })")
    for page in (one, two):
        wait_for(page, "() => String(titles()) === 'Of one,Of two' && board.status.value.pending === 0")
    # The other goes on when the one that talks to the server is closed.
    one.close()
    two.evaluate("() => board.create({ title: 'Alone' }).then(() => board.sync())")
    three = context.new_page()
    three.goto(stage.url)
    three.evaluate(OPEN, stage.server.url)
    assert three.evaluate("() => titles()") == ["Of one", "Of two", "Alone"]

    three.evaluate("() => board.logOut()")
    for page in (two, three):
        wait_for(page, "() => board.status.value.phase === 'loggedOut' && titles().length === 0 && board.account.value === null")
    assert two.evaluate("() => board.undo()") is False
    three.reload()
    three.evaluate(OPEN, stage.server.url)
    assert three.evaluate("() => [titles(), board.status.value.phase]") == [[], "loggedOut"]
