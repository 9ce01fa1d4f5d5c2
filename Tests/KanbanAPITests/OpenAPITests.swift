import HTTP
import Testing

@testable import KanbanAPI

/// openapi.yaml and the routes must name the same operations.
struct OpenAPITests {
    @Test func `every route is described, and every description has its route`() async throws {
        let board = try TestBoard()
        let text = String(decoding: await board.send(.get, "/openapi.yaml").body, as: UTF8.self)

        let described = operations(in: text)
        let routed = Set(Routes.all.map { "\($0.method.rawValue) \($0.pattern) \($0.operation)" })

        #expect(routed.subtracting(described).sorted() == [])
        // The metrics are a route that the program adds, for it alone has them.
        #expect(described.subtracting(routed).sorted() == ["GET /metrics showMetrics"])
    }

    @Test func `no two routes have the same name`() {
        let names = Routes.all.map(\.operation)

        #expect(Set(names).count == names.count)
    }

    /// `METHOD /path operationId` for each operation. Reads only the lines that a path, a method and a name stand on,
    /// which are at fixed depths in the file.
    private func operations(in text: String) -> Set<String> {
        var operations: Set<String> = []
        var path = ""
        var method = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") {
                path = String(line.dropFirst(2).dropLast())
            } else if line.hasPrefix("    "), line.dropFirst(4).first != " ", line.hasSuffix(":") {
                method = line.dropFirst(4).dropLast().uppercased()
            } else if line.hasPrefix("      operationId: ") {
                operations.insert("\(method) \(path) \(line.dropFirst("      operationId: ".count))")
            }
        }
        return operations
    }
}
