import Foundation
import HTTP
import TestSupport
import Testing

@testable import KanbanAPI

struct PageRoutesTests {
    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/board/board.css", "text/css; charset=utf-8"),
        ("/board/shell.js", "text/javascript; charset=utf-8"), ("/worker.js", "text/javascript; charset=utf-8"),
        ("/manifest.webmanifest", "application/manifest+json"), ("/icons/icon.svg", "image/svg+xml"),
        ("/icons/icon-192.png", "image/png"), ("/docs", "text/html; charset=utf-8"),
        ("/docs.css", "text/css; charset=utf-8"), ("/docs/main.js", "text/javascript; charset=utf-8"),
        ("/docs/sync.md", "text/markdown; charset=utf-8"), ("/openapi.yaml", "application/yaml; charset=utf-8"),
        ("/openapi.json", "application/json"), ("/client/kanbase.js", "text/javascript; charset=utf-8"),
        ("/client/kanbase.d.ts", "application/typescript; charset=utf-8"),
        ("/problems/not_found", "text/html; charset=utf-8"),
    ])
    func `a page comes with its type, a strict policy and a tag`(path: String, type: String) async throws {
        let board = try TestBoard()

        let page = await board.send(.get, path)
        let again = await board.send(.get, path, headers: [("If-None-Match", page.header("ETag") ?? "")])

        #expect(page.status == 200)
        #expect(!page.body.isEmpty)
        #expect(page.header("Content-Type") == type)
        #expect(page.header("Content-Security-Policy")?.hasPrefix("default-src 'none'") == true)
        #expect(page.header("Content-Security-Policy")?.contains("unsafe") == false)
        #expect(again.status == 304)
    }

    @Test(arguments: ["/", "/docs", "/problems/blank"])
    func `a page needs nothing from elsewhere and nothing that the policy forbids`(path: String) async throws {
        let board = try TestBoard()
        let page = String(decoding: await board.send(.get, path).body, as: UTF8.self)

        for attribute in ["src", "href"] {
            for part in page.split(separator: " \(attribute)=\"").dropFirst() {
                let address = part.prefix { $0 != "\"" }
                #expect(["/", "#", "data:"].contains { address.hasPrefix($0) }, "\(attribute)=\(address)")
                guard address.hasPrefix("/") else { continue }
                let answer = await board.send(.get, String(address))
                #expect(answer.status == 200, "\(address)")
            }
        }
        #expect(!page.contains("<style") && !page.contains("style=") && !page.contains("<script>"))
        #expect(!page.contains(#/\son[a-z]+="/#))
    }

    @Test func `the binary carries every file of the pages and the guides as it is`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
        let pages = root.appending(path: "Sources/CWeb/pages")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: pages.path).filter { path in
            var isDirectory: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: pages.appending(path: path).path, isDirectory: &isDirectory)
            return !isDirectory.boolValue
        }

        let guides = PageFile.all.keys.filter { $0.hasSuffix(".md") }
        #expect(guides.count == 5)
        #expect(
            Set(paths + guides) == Set(PageFile.all.keys.filter { !$0.hasPrefix("openapi") }), "Run Scripts/web.")
        // Only the names: an expectation would print the bytes.
        let others = try (paths + guides).filter { path in
            let file = try Data(contentsOf: (path.hasSuffix(".md") ? root : pages).appending(path: path))
            return PageFile.all[path]?.bytes != Array(file)
        }
        #expect(others == [], "Run Scripts/web.")
    }

    @Test func `the service worker names every file of the board and a version of them`() async throws {
        let board = try TestBoard()
        let script = String(decoding: await board.send(.get, "/worker.js").body, as: UTF8.self)
        let line = script.prefix { $0 != "\n" }

        #expect(line.contains("version: \"") && line.contains("\"/\"") && line.contains("\"/icons/icon-192.png\""))
        for match in line.matches(of: #/"(/[^"]*)"/#) {
            let answer = await board.send(.get, String(match.1))
            #expect(answer.status == 200, "\(match.1)")
        }
    }

    @Test func `every page takes any query`() async throws {
        let board = try TestBoard()

        for path in ["/?utm_source=x&task=1&task=2", "/docs?utm_source=x", "/reset?x", "/problems/blank?x"] {
            #expect(await board.send(.get, path).status == 200, "\(path)")
        }
    }

    @Test func `a file that is not there is 404`() async throws {
        let board = try TestBoard()

        for path in ["/board/none.js", "/icons/..%2Fboard.html", "/docs/none.js"] {
            #expect(await board.send(.get, path).status == 404, "\(path)")
        }
    }

    @Test(arguments: [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"),
        ("text/html;q=0.5, application/json", "application/problem+json"),
        ("*/*", "application/problem+json"), ("", "application/problem+json"),
    ])
    func `a wrong address is a page where Accept prefers one`(accept: String, type: String) async throws {
        let board = try TestBoard()
        for address in ["/nowhere/at/all", "/board/none.js", "/problems/none"] {
            let answer = await board.send(.get, address, headers: [("Accept", accept)])

            #expect(answer.status == 404, "\(address)")
            #expect(answer.header("Content-Type") == type && answer.header("Vary") == "Accept", "\(address)")
            #expect(answer.header("X-Request-Id")?.isEmpty == false)
        }
    }

    @Test func `the board preloads its modules, so that they do not come one after another`() async throws {
        let board = try TestBoard()
        let page = String(decoding: await board.send(.get, "/").body, as: UTF8.self)
        // The page itself begins these: its entry, the theme, and the texts of one language. Types are no code. The log-in
        // and the screens beside the board come when they are needed, or later.
        let others = ["app", "login", "screens", "theme", "types"].map { "board/\($0).js" }

        for path in PageFile.sent.keys where path.hasPrefix("board/") && path.hasSuffix(".js") {
            let isPreloaded = page.contains("<link rel=\"modulepreload\" href=\"/\(path)\">")
            #expect(isPreloaded == (!others.contains(path) && !path.hasPrefix("board/texts-")), "\(path)")
        }
    }

    @Test func `several modules are sent as one, without what they take from each other`() {
        let one = PageFile(
            path: "board/one.js",
            bytes: Array("import { b, a } from \"./x.js\";\n\nexport const c = a(b);\n".utf8))
        let two = PageFile(
            path: "board/two.js",
            bytes: Array(
                "import { a, d } from \"./x.js\";\nimport { c } from \"./one.js\";\nexport { c } from \"./one.js\";\nd(c);\n"
                    .utf8))

        #expect(
            PageFile.joined([one, two]) == "import { a, b, d } from \"./x.js\";\nexport const c = a(b);\nd(c);\n")
        #expect(PageFile.sent["board/forms.js"] == nil && PageFile.sent["board/screens.js"] != nil)
    }

    @Test func `no two modules that are sent as one use one name`() throws {
        for paths in PageFile.bundles {
            var homes: [Substring: String] = [:]
            for path in paths {
                let module = String(decoding: try #require(PageFile.all[path]?.bytes, "\(path)"), as: UTF8.self)
                for line in module.split(separator: "\n") {
                    guard
                        let name = line.firstMatch(
                            of: #/^(?:export )?(?:async )?(?:function\*? |const |let |class )(\w+)/#)?.1
                    else { continue }
                    #expect(homes[name] == nil, "\(name) of \(path)")
                    homes[name] = path
                }
            }
        }
    }

    @Test func `what is taken from a module that is sent in another is taken from that one`() {
        let sent = PageFile.sent["board/app.js"].map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""

        #expect(sent.contains("} from \"./shell.js\";") && !sent.contains("./menu.js"))
        for (path, file) in PageFile.sent
        where path.hasSuffix(".js") && (path.hasPrefix("board/") || path == "client/kanbase.js") {
            for match in String(decoding: file.bytes, as: UTF8.self).matches(of: #/ from "([./]+)([^"]+)";/#) {
                let folder = match.1 == "./" ? String(path.prefix { $0 != "/" }) + "/" : ""
                #expect(PageFile.sent[folder + match.2] != nil, "\(path) takes \(match.2)")
            }
        }
    }

    @Test func `an app of any origin may load the library, which is small, and of each origin once`() async throws {
        let app = "https://app.example.org"
        let board = try TestBoard(gate: OpenGate(crossOrigin: CrossOrigin(origins: [app])))
        for path in ["/client/kanbase.js", "/client/kanbase.d.ts"] {
            let file = await board.send(.get, path, headers: [("Accept-Encoding", "gzip"), ("Origin", app)])

            #expect(file.headers.filter { $0.name == "Access-Control-Allow-Origin" }.map(\.value) == ["*"], "\(path)")
            #expect(file.header("Content-Encoding") == "gzip" && file.body.count <= 20 * 1024, "\(file.body.count)")
        }
        #expect(await board.send(.get, "/board/app.js").header("Access-Control-Allow-Origin") == nil)
    }

    @Test func `a module is sent without its comments, line by line`() {
        let module = """
            // Why.
            export const a = "// no comment"; // beside
              // Why.
            /* Why. */
            /** @type {(a: string) => void} */
            const b = (a) => {};
            /**
             * Why.
             * @param {string} a
             */
            function c(/** @type {string} */ a) {
              return [
                /** @type {any} */ (a), `https://`,
              ];
            }

            """
        let sent = """

            export const a = "// no comment"; // beside



            const b = (a) => {};




            function c(a) {
            return [
            (a), `https://`,
            ];
            }

            """

        #expect(String(decoding: PageFile.withoutComments(Array(module.utf8)), as: UTF8.self) == sent)
    }

    @Test func `a style sheet is sent without the spaces that mean nothing`() {
        let sheet = """
            a:not(.b, .c) > d { margin: 0 1px; --tint: 14%; }
            @media (hover: hover) { e { width: calc(1px + 2px); } }
            """
        let sent = "a:not(.b,.c) > d{margin:0 1px;--tint:14%}@media (hover:hover){e{width:calc(1px + 2px)}}"

        #expect(String(decoding: PageFile.withoutSpaces(sheet: Array(sheet.utf8)), as: UTF8.self) == sent)
    }

    @Test
    func `a module is sent without the spaces that mean nothing, and its texts, patterns and templates as they are`() {
        let module = #"""
            import { a } from "./b.js";

            export function c(d, e = "x = { y; }") {
            if (d !== e && !(d < 1)) { return `${d} : ${f({ e }, "; }")}; } `; }
            const f = `${d ? ` : ${e}` : e} = `;
            const g = d ? (h) => h + +1 : /a = b/.exec(e);
            const i = "\\"; const j = [ "\" = " ]; const k = h - 1 + +i - -j++ + h;
            call(d, // why,
            e);
            }
            """#
        let sent = #"""
            import{a}from "./b.js";export function c(d,e="x = { y; }"){if(d!==e&&!(d<1)){return `${d} : ${f({ e }, "; }")}; } `}const f = `${d ? ` : ${e}` : e} = `;
            const g = d ? (h) => h + +1 : /a = b/.exec(e);
            const i="\\";const j=["\" = "];const k=h-1+ +i- -j++ +h;call(d, // why,
            e)}
            """#

        #expect(String(decoding: PageFile.withoutSpaces(module: Array(module.utf8)), as: UTF8.self) == sent)
    }
}
