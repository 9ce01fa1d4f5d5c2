"""Places in which the library for apps runs, apart from the board: a page of another origin in Chromium, and Node."""

import contextlib
import http.server
import json
import os
import subprocess
import threading
import urllib.request

from harness import KANBASE, PATIENCE, ROOT, Server, modules

FILES = ROOT / "Tests/Web/client"
NODE = os.environ.get("NODE", "node")
#: By the kind of server that a case needs.
OPTIONS = {
    "open": ("--auth", "open"),
    "guarded": ("--auth", "required", "--rate-limit", "0"),
    "full": ("--auth", "required", "--rate-limit", "0", "--account-tasks", "1"),
}


class Stage:
    """An origin with an empty page, and what a case does to a Kanbase server, which pages of this origin may call."""

    def __init__(self, kind, folder):
        self.backup = str(folder / "backup")
        self.pages = {}
        self.listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        # It looks that often whether it is to end.
        threading.Thread(target=self.listener.serve_forever, args=[0.02], daemon=True).start()
        self.url = f"http://127.0.0.1:{self.listener.server_port}"
        self.server = Server(*OPTIONS[kind], "--cors-origin", self.url)

    def handler(stage):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.partition("?")[0].strip("/")
                if name.endswith(".mjs"):
                    return self.answer((FILES / name).read_bytes(), "text/javascript")
                kind = "text/javascript" if name.endswith(".js") else "text/html"
                self.answer(stage.pages.get(name, "<!doctype html><title>An empty page</title>").encode(), kind)

            def do_POST(self):
                name = self.path.strip("/")
                # As the page of a hotel.
                if "/" in name:
                    return self.answer(b"<p>Welcome!</p>", "text/html")
                {"stop": stage.server.stop, "start": stage.server.start, "backup": stage.save, "restore": stage.restore}[name]()
                self.answer(b"", "text/plain")

            def answer(self, content, kind):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        return Handler

    def save(self):
        subprocess.run([KANBASE, "backup", "--data", self.server.data, self.backup], check=True, capture_output=True)

    def restore(self):
        subprocess.run([KANBASE, "restore", "--data", self.server.data, self.backup], check=True, capture_output=True)

    def close(self):
        self.server.close()
        self.listener.shutdown()
        self.listener.server_close()


@contextlib.contextmanager
def node(server, folder):
    """Runs JavaScript in Node, with the library as the server sends it in `library`."""
    with urllib.request.urlopen(f"{server.url}/client/kanbase.js", timeout=PATIENCE) as answer:
        (folder / "kanbase.mjs").write_bytes(answer.read())
    process = subprocess.Popen(
        [NODE, FILES / "run.mjs", folder / "kanbase.mjs"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )

    def run(body, argument=None):
        process.stdin.write(json.dumps({"body": body, "argument": argument}) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline() or '{"error": "Node ended."}')
        assert "error" not in answer, answer["error"]
        return answer["value"]

    yield run
    process.stdin.close()
    process.wait(PATIENCE)
    process.stdout.close()


@contextlib.contextmanager
def rules_in(place, chromium, folder, beginning):
    """Runs the pure functions of the library in Chromium or Node, after a beginning that may use `library`."""
    if place == "chromium":
        with modules(chromium, f"const library = await import('/client/kanbase.js'); {beginning}") as run:
            yield run
        return
    server = Server()
    with node(server, folder) as run:
        yield lambda body, argument=None: run(f"{beginning}\n{body}", argument)
    server.close()
