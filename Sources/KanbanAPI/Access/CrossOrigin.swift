import HTTP
import KanbanAccess

/// Which web pages may call from the browser (the Fetch Standard's CORS protocol): those of the origins in a list.
package struct CrossOrigin: Sendable {
    private let origins: Set<String>

    /// - Parameter origins: such as `https://app.example.org`; none turns CORS off.
    package init(origins: some Sequence<String> = []) {
        self.origins = Set(origins.map { $0.lowercased() })
    }

    package func allows(_ origin: String) -> Bool {
        origins.contains(origin.lowercased())
    }

    /// The fields for the answer to a request, a preflight's among them.
    func headers(for head: Request) -> [(name: String, value: String)] {
        guard !origins.isEmpty else { return [] }
        // A cache must not give the answer for one origin to another, or to a request without an origin.
        guard let origin = Self.origin(of: head), allows(origin) else { return [("Vary", "Origin")] }
        var fields = [("Vary", "Origin"), ("Access-Control-Allow-Origin", origin)]
        if Self.isPreflight(head) {
            fields += Self.preflight
        } else {
            fields.append(("Access-Control-Expose-Headers", Self.exposed))
        }
        return fields
    }

    /// What a preflight is called in logs and metrics. No limit counts them, so one client can cause any number of lines.
    package static let preflightOperation = "preflight"

    static func isPreflight(_ head: Request) -> Bool {
        head.method == .options && head.has("origin") && head.has("access-control-request-method")
    }

    /// The origin of the request; `nil` without the field, or with several.
    static func origin(of head: Request) -> String? {
        guard head.headers.has("origin") else { return nil }
        let values = head.headers.values("origin")
        return values.count == 1 ? values[0] : nil
    }

    private static let preflight = [
        ("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"),
        (
            "Access-Control-Allow-Headers",
            "Accept, Accept-Language, Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
                + "Last-Event-ID, Prefer, X-Request-Id"
        ),
        ("Access-Control-Max-Age", "600"),
    ]

    private static let exposed =
        "Allow, Content-Disposition, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, "
        + "Retry-After, WWW-Authenticate, X-Request-Id"
}

extension Response {
    /// True if pages of any origin may read it. Then it has the field, and browsers refuse a second one.
    var isForEveryOrigin: Bool { headers.contains { $0.name == "Access-Control-Allow-Origin" } }
}
