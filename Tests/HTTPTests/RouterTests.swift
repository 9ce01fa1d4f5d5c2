import HTTP
import Testing

struct RouterTests {
    private static let routes: [(method: HTTP.Method, pattern: String, name: String)] = [
        (.get, "/", "home"),
        (.get, "/tasks", "list"),
        (.post, "/tasks", "create"),
        (.get, "/tasks/{id}", "show"),
        (.get, "/tasks/search", "search"),
        (.post, "/tasks/{id}/move", "move"),
        (.get, "/tasks/{task}/notes/{note}", "note"),
    ]
    private let router = Router(routes.map { ($0.method, $0.pattern) })

    private func find(_ method: HTTP.Method, _ target: String) -> String {
        let request = Request(method: method, target: target)
        return switch router.match(request) {
        case .found(let route):
            ([Self.routes[route].name] + request.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        case .notFound: "404"
        case .methodNotAllowed(let allow): "405 \(allow)"
        case .options(let allow): "204 \(allow)"
        }
    }

    @Test(arguments: [
        (HTTP.Method.get, "/", "home"),
        (.get, "/tasks", "list"),
        (.get, "/tasks?limit=5", "list"),
        (.get, "/t%61sks", "list"),
        (.post, "/tasks", "create"),
        (.get, "/tasks/7", "show id=7"),
        (.get, "/tasks/a%2Fb", "show id=a/b"),
        (.get, "/tasks/%ED%95%A0", "show id=할"),
        (.get, "/tasks/search", "search"),
        (.post, "/tasks/search/move", "move id=search"),
        (.get, "/tasks/1/notes/2", "note task=1 note=2"),
        (.head, "/tasks", "list"),
    ])
    func `a path finds its route and the values of its parameters`(
        method: HTTP.Method, target: String, expected: String
    ) {
        #expect(find(method, target) == expected)
    }

    @Test(arguments: [
        "/nothing", "/tasks/", "//tasks", "/tasks//move", "/tasks/.", "/tasks/..", "/tasks/%2e%2E", "/./tasks", "/task",
        "/tasks/1/notes", "/TASKS",
    ])
    func `a path that no pattern describes is not found`(target: String) {
        #expect(find(.get, target) == "404")
    }

    @Test func `a known path with another method says which methods there are`() {
        #expect(find(.delete, "/tasks") == "405 GET, HEAD, POST, OPTIONS")
        #expect(find(.get, "/tasks/1/move") == "405 POST, OPTIONS")
        #expect(find(.post, "/tasks/search") == "405 GET, HEAD, OPTIONS")
        #expect(find(.trace, "/tasks/1") == "405 GET, HEAD, OPTIONS")
    }

    @Test func `OPTIONS answers the methods of a path, and of all of them for an asterisk`() {
        #expect(find(.options, "/tasks/1") == "204 GET, HEAD, OPTIONS")
        #expect(find(.options, "*") == "204 GET, HEAD, POST, OPTIONS")
        #expect(find(.options, "/nothing") == "404")
        #expect(find(.get, "*") == "404")
    }

    @Test func `a segment is decoded after the route is found`() {
        let request = Request(method: .get, target: "/tasks/a%2Fb%20%25")
        guard case .found(3) = router.match(request) else {
            Issue.record("no match")
            return
        }

        #expect(request.parameters["id"] == "a/b %")
        #expect(request.parameters.bytes("id").map(Array.init) == Array("a/b %".utf8))
        #expect(request.parameters["other"] == nil)
    }
}
