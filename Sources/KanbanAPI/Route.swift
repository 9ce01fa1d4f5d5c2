import HTTP
import Kanban

/// One operation of the API: where it is, who may call it, what it takes, and what answers it.
// A class, so that every request hands on a reference instead of a copy of all this.
package final class Route: Sendable {
    package typealias Handler = @Sendable (Call) async throws -> Response
    /// An answer that is at hand, right now and without a ``Call``; `nil`: the handler has to make it.
    package typealias Shortcut = @Sendable (Request, PathParameters, AccountKey, Environment) throws -> Response?

    /// Who may call.
    package enum Audience: Sendable {
        /// Anybody, without a token.
        case everyone
        /// An account, by a token in required mode.
        case account
        /// As `account`; a token may also come as `?token=`, for calendar apps that cannot send header fields.
        case calendar
        /// Loopback peers, and accounts.
        case operators
    }

    /// What body it takes.
    package enum Content: Sendable {
        case none
        case json
        /// `application/merge-patch+json` as well.
        case mergePatch
        /// JSON of at most so many bytes, whatever the general limit.
        case sized(Int)
        /// At most so many bytes of anything, whatever the general limit and whatever `Content-Type` says.
        case bytes(Int)

        /// Of strangers: many of them at once must not fill the memory.
        package static let brief = Content.sized(16 << 10)
    }

    package let method: Method
    package let pattern: String
    /// The `operationId` in openapi.yaml.
    package let operation: String
    package let audience: Audience
    package let content: Content
    /// The names of the query parameters it knows.
    package let parameters: Set<String>
    /// Takes any query and heeds none.
    package let ignoresQuery: Bool
    /// Whether the handler is cancelled when the client leaves: where passwords are hashed.
    package let endsWithClient: Bool
    /// Asked first, when the request has no body.
    package let shortcut: Shortcut?
    package let handler: Handler

    /// - Parameter isCached: its answers may come from the ``PageMemory``: the handler makes them with
    ///   ``Call/cached(aside:_:)``.
    package init(
        _ method: Method, _ pattern: String, _ operation: String, audience: Audience = .account,
        content: Content = .none, parameters: Set<String> = [], ignoresQuery: Bool = false,
        isCached: Bool = false, endsWithClient: Bool = false, shortcut: Shortcut? = nil,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.audience = audience
        self.content = content
        self.endsWithClient = endsWithClient
        // The zone of the user can be told to every call on an account's data.
        self.parameters = audience == .account ? parameters.union(["timeZone"]) : parameters
        self.ignoresQuery = ignoresQuery
        self.shortcut = isCached ? Self.cached : shortcut
        self.handler = isCached ? Self.cached(handler) : handler
    }

    private static let cached: Shortcut = { request, _, account, environment in
        try environment.cachedAnswer(request, account)
    }

    /// Where only the store knows whether a kept answer is still right, it is asked before the handler is.
    private static func cached(_ handler: @escaping Handler) -> Handler {
        { call in
            if call.environment.local == nil, let answer = try await call.cachedAnswer() { return answer }
            return try await handler(call)
        }
    }
}
