import HTTP
import Kanban

/// One operation of the API: its address, who may call it, what body it takes, and its handler.
// A class, so that every request passes a reference instead of a copy of all members.
package final class Route: Sendable {
    package typealias Handler = @Sendable (Call) async throws -> Response
    /// Finds a resource without a ``Call``: puts its JSON into the answer and returns its revision. After `nil` the handler
    /// has to answer.
    package typealias Finder = @Sendable (Request, AccountKey, Environment, ReadyAnswer) throws -> Revision?

    /// Who may call.
    package enum Audience: Sendable {
        /// Everybody, without a token.
        case everyone
        /// An account; in required mode with a token.
        case account
        /// As `account`; a token may also come as `?token=`, for calendar apps that cannot send header fields.
        case calendar
        /// An account, for what is about the server. An operator's tools ask on a listener of their own, without a token.
        case operators
    }

    /// The body that it takes.
    package enum Content: Sendable {
        case none
        case json
        /// The same, or no body. The handler finds out which: see ``Call/hasJSON()``.
        case optionalJSON
        /// `application/merge-patch+json` as well.
        case mergePatch
        /// JSON of at most this many bytes, instead of the general limit.
        case sized(Int)
        /// JSON or CSV of at most this many bytes.
        case file(Int)
        /// At most this many bytes of any `Content-Type`, instead of the general limit.
        case bytes(Int)

        /// For requests without a token: many of them at once must not fill the memory.
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
    /// True if any query is allowed. The call has none of it: a handler looks for its own parameters in the request.
    package let ignoresQuery: Bool
    /// True if the handler is cancelled when the client disconnects, as where passwords are hashed.
    package let endsWithClient: Bool
    /// Called first if the request has no body.
    package let find: Finder?
    /// True if the route's answer is the same for everybody.
    var isPublic: Bool { audience == .everyone && method == .get }
    /// True if the route's answers may come from the ``PageMemory``: the handler makes them with
    /// ``Call/cached(aside:_:)``.
    package let isCached: Bool
    /// True if the route's answers may be kept where other servers write, too: there also those that ``find`` finds.
    var isKept: Bool { isCached || find != nil }
    /// True if the route succeeds only after a ``Call/write(_:isLong:committed:_:)`` of the account's board, which can
    /// compare ``Caller/endings``, and reads nothing for its answer before. Then a server beside others calls the handler
    /// without a version check.
    package let beginsWithWrite: Bool
    package let handler: Handler
    /// False where a body has no meaning: it is read and ignored, whatever its coding.
    var readsBody: Bool {
        if case .none = content { false } else { true }
    }

    package init(
        _ method: Method, _ pattern: String, _ operation: String, audience: Audience = .account,
        content: Content = .none, parameters: Set<String> = [], ignoresQuery: Bool = false,
        isCached: Bool = false, beginsWithWrite: Bool = false, endsWithClient: Bool = false, find: Finder? = nil,
        _ handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.operation = operation
        self.audience = audience
        self.content = content
        self.endsWithClient = endsWithClient
        // Every call on an account's data takes the user's zone.
        self.parameters = audience == .account ? parameters.union(["timeZone"]) : parameters
        self.ignoresQuery = ignoresQuery
        self.find = find
        self.isCached = isCached
        self.beginsWithWrite = beginsWithWrite
        self.handler = isCached ? Self.cached(handler) : handler
    }

    /// Looks for a kept answer before it calls the handler, where the store has to be asked whether the answer is still
    /// right.
    private static func cached(_ handler: @escaping Handler) -> Handler {
        { call in
            if call.environment.local == nil, let answer = try await call.cachedAnswer() { return answer }
            return try await handler(call)
        }
    }
}
