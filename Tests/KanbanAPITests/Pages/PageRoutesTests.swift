import HTTP
import Testing

@testable import KanbanAPI

struct PageRoutesTests {
    @Test(arguments: [
        ("/", "text/html; charset=utf-8"), ("/board.css", "text/css; charset=utf-8"),
        ("/board.js", "text/javascript; charset=utf-8"), ("/docs", "text/html; charset=utf-8"),
        ("/docs.css", "text/css; charset=utf-8"), ("/openapi.yaml", "application/yaml; charset=utf-8"),
        ("/openapi.json", "application/json"),
        ("/problems/not_found", "text/html; charset=utf-8"),
    ])
    func `a page comes with its type, a strict policy and a tag`(path: String, type: String) async throws {
        let board = try TestBoard()

        let page = await board.send(.get, path)
        let again = await board.send(.get, path, headers: [("If-None-Match", page["ETag"] ?? "")])

        #expect(page.status == 200)
        #expect(!page.body.isEmpty)
        #expect(page["Content-Type"] == type)
        #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(page["Content-Security-Policy"]?.contains("unsafe") == false)
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

    @Test func `the documentation speaks of every address of the API`() async throws {
        let board = try TestBoard()
        let page = String(decoding: await board.send(.get, "/docs").body, as: UTF8.self)
        let pages: Set<String> = ["/", "/docs", "/docs.css", "/board.css", "/board.js"]

        for route in Routes.all where !pages.contains(route.pattern) {
            #expect(page.contains(route.pattern), "\(route.method.rawValue) \(route.pattern)")
        }
    }
}
