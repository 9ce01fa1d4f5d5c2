import Kanban
import KanbanAccess

/// The rate-limit fields of an answer (draft-ietf-httpapi-ratelimit-headers-10).
struct RateLimitFields: Sendable {
    private let limit: RateLimit
    private let policy: String
    /// The `RateLimit` field by the number of remaining requests, made once.
    private let values: [String]

    init(_ limit: RateLimit) {
        self.limit = limit
        policy = "\"default\";q=\(limit.burst);w=\(Self.seconds(limit.burst, limit))"
        values = (0...min(limit.burst, 10_000)).map { Self.value($0, limit) }
    }

    func fields(_ verdict: RateLimiter.Verdict) -> [(name: String, value: String)] {
        let left = verdict.remaining
        return [
            (name: "RateLimit-Policy", value: policy),
            (name: "RateLimit", value: left < values.count ? values[left] : Self.value(left, limit)),
        ]
    }

    /// The seconds until the limit is full again.
    private static func value(_ left: Int, _ limit: RateLimit) -> String {
        "\"default\";r=\(left);t=\(seconds(limit.burst - left, limit))"
    }

    /// Seconds until this many requests are available again, rounded up.
    private static func seconds(_ requests: Int, _ limit: RateLimit) -> Int {
        (requests + limit.perSecond - 1) / limit.perSecond
    }
}
