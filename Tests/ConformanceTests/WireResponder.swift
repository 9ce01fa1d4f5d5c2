import HTTP

/// The few addresses that the cases of the wire ask for, without a board behind them.
final class WireResponder: Responder {
    private enum Page {
        case alive, list, create, task
    }

    private static let routes: [(method: HTTP.Method, pattern: String, page: Page)] = [
        (.get, "/health/live", .alive), (.get, "/tasks", .list), (.post, "/tasks", .create),
        (.get, "/tasks/{id}", .task), (.delete, "/tasks/{id}", .task),
    ]
    private let router = Router(routes.map { ($0.method, $0.pattern) })

    func receive(_ head: Request, ready: ReadyAnswer) -> Reception {
        switch router.match(head) {
        case .notFound: .answer(Self.text("not found", 404))
        case .methodNotAllowed(let allow): .answer(Self.text("", 405, [("Allow", allow)]))
        case .options(let allow): .read(bodyLimit: 1 << 20) { _ in Response(status: 204, headers: [("Allow", allow)]) }
        case .found(let route): receive(head, Self.routes[route].page)
        }
    }

    private func receive(_ head: Request, _ page: Page) -> Reception {
        if page == .create, !head.headers.has("content-type", equalTo: "application/json") {
            return .answer(Self.text("json only", 415))
        }
        return .read(bodyLimit: 1 << 20) { await self.respond($0, page) }
    }

    private func respond(_ request: Request, _ page: Page) async -> Response {
        switch page {
        case .alive, .list: Self.text("ok")
        case .task: Self.text("no such task", 404)
        case .create: Response(status: 201, body: .bytes(request.body))
        }
    }

    func answer(to error: WireError, head: Request?) -> Response {
        Self.text(error.detail, error.status)
    }

    func finished(_ exchange: Exchange) {}

    private static func text(_ text: String, _ status: Int = 200, _ headers: [(String, String)] = []) -> Response {
        Response(
            status: status, contentType: "text/plain", headers: headers.map { (name: $0.0, value: $0.1) },
            body: .bytes(Array(text.utf8)))
    }
}
