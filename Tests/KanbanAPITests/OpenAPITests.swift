import HTTP
import JSON
import TestSupport
import Testing

@testable import KanbanAPI

/// openapi.yaml, openapi.json and the routes must name the same operations.
struct OpenAPITests {
    @Test func `every route is described, and every description has its route`() async throws {
        let board = try TestBoard()
        let document = await board.send(.get, "/openapi.json").json

        let described = Set(operations(in: document))
        let routed = Set(Routes.all.map { "\($0.method.rawValue) \($0.pattern) \($0.operation)" })

        #expect(routed.subtracting(described).sorted() == [])
        // The metrics are a route that the program adds, for it alone has them.
        #expect(described.subtracting(routed).sorted() == ["GET /metrics showMetrics"])
    }

    /// `Scripts/openapi-json --check`, which `make lint` runs, compares every word.
    @Test func `the description is the same in YAML and in JSON`() async throws {
        let board = try TestBoard()
        let document = await board.send(.get, "/openapi.json").json
        let text = String(decoding: await board.send(.get, "/openapi.yaml").body, as: UTF8.self)
        let label = "operationId: "
        let named = text.split(separator: "\n").filter { $0.contains(label) }
            .map { $0.trimmingPrefix { $0 == " " }.dropFirst(label.count) }

        let names = operations(in: document).map { $0.split(separator: " ")[2] }

        #expect(names == named)
        #expect(document["openapi"] == "3.1.0")
    }

    @Test func `every code of a problem is described`() async throws {
        let document = try await TestBoard().send(.get, "/openapi.json").json
        let described = document["components"]?["schemas"]?["ProblemCode"]?["enum"]?.arrayValue ?? []

        #expect(Set(described.compactMap(\.stringValue)) == Set(Problem.kinds.map { $0.rawValue }))
    }

    @Test(arguments: ["/tasks", "/calendar.ics", "/export"])
    func `each header that belongs to an answer alone is described`(path: String) async throws {
        let common: Set = [
            "Cache-Control", "Content-Length", "Content-Security-Policy", "Content-Type",
            "Cross-Origin-Resource-Policy", "Date", "Transfer-Encoding", "Vary", "X-Content-Type-Options",
        ]
        let board = try TestBoard()
        let document = await board.send(.get, "/openapi.json").json
        let described = document["paths"]?[path]?["get"]?["responses"]?["200"]?["headers"]?.objectMembers ?? []

        let sent = Set(await board.send(.get, path).headers.map(\.name))

        #expect(sent.subtracting(common).subtracting(described.map(\.name)) == [])
    }

    @Test func `no two routes have the same name`() {
        let names = Routes.all.map(\.operation)

        #expect(Set(names).count == names.count)
    }

    /// `METHOD /path operationId` for each operation, in their order.
    private func operations(in document: JSON) -> [String] {
        (document["paths"]?.objectMembers ?? []).flatMap { path in
            (path.value.objectMembers ?? []).compactMap { method in
                method.value["operationId"]?.stringValue.map { "\(method.name.uppercased()) \(path.name) \($0)" }
            }
        }
    }
}
