"""The library for web apps: the cases of client/cases.mjs, in a page of another origin and in Node."""

import json
import subprocess

import pytest

from harness import PATIENCE, ROOT
from stage import FILES, NODE, node

CASES = json.loads(
    subprocess.run(
        [NODE, "--input-type=module", "-e", f"import {{ cases }} from '{FILES}/cases.mjs';"
         "console.log(JSON.stringify(Object.entries(cases).map(([name, [kind]]) => [name, kind])));"],
        check=True, capture_output=True, text=True,
    ).stdout
)
VECTORS = {
    "search": json.loads((ROOT / "Tests/Cases/search.json").read_text()),
    "recurrence": (ROOT / "Tests/Cases/recurrence.txt").read_text().splitlines(),
}
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
