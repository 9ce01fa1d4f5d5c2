import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire
import Turns

/// One call of an operation: the request, the caller, and the server's environment.
package struct Call: Sendable {
    package let request: Request
    package let caller: Caller
    let shared: SharedEnvironment
    package let query: Query
    /// The time of the call: everything in it that depends on the clock uses this.
    package let now: Timestamp
    /// The body, if it was large and so was parsed on another thread.
    var parsed: Result<JSON, any Error>?

    package var environment: Environment { shared.environment }
    package var store: any Store { environment.store }
    package var account: AccountKey { caller.account }
    package var requestID: RequestID { request.id }
    package var precondition: Precondition { Precondition(request.headers) }

    /// The id at `{name}` of the path. A text that is not a UUID is a 404.
    package func id(_ name: String = "id", of type: ResourceType) throws -> ID {
        guard let bytes = request.parameters.bytes(name), let id = ID(ascii: bytes) else {
            throw BoardError.notFound(type)
        }
        return id
    }

    /// The body as JSON.
    /// - Throws: a 400 problem with the byte offset.
    package func json() throws -> JSON {
        if let parsed { return try parsed.get() }
        do {
            return try JSON(parsing: request.body)
        } catch {
            throw Problem(.malformedJSON, "At byte \(error.offset): \(error.detail)")
        }
    }

    /// Larger bodies take too long to parse on an event loop.
    static let muchJSON = 64 << 10

    /// Parses a large body on another thread. Not on one of the store: long reads would keep it waiting.
    mutating func parseAside() async throws {
        guard request.body.count > Self.muchJSON else { return }
        let call = self
        parsed = try await environment.parsing.run(for: account) { Result { try call.json() } }
    }

    /// Reads the account's board. For indexed reads.
    package func read<T: Sendable>(
        _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        if let local = environment.local { return try local.readNow(account, body) }
        return try await store.read(account, body)
    }

    /// Reads on a thread of the store if the read may be long, else as ``read(_:)``.
    func read<T: Sendable>(
        aside isLong: Bool, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        isLong ? try await store.readAside(account, body) : try await read(body)
    }

    /// True if reading the changes after the cursor takes more than a millisecond.
    func isLong(after cursor: Cursor?) async throws -> Bool {
        try await environment.feed(of: account).revision - (cursor?.revision ?? 0) > ChangePage.few
    }

    /// `?timeZone=`, else the account's setting, else the server's zone.
    package func zone(_ reader: any BoardReader) throws -> Zone {
        try query.zone ?? reader.settings().zone ?? environment.zone
    }

    /// The time of the call in the user's zone.
    package func moment(_ reader: any BoardReader) throws -> Moment {
        Moment(now: now, zone: try zone(reader))
    }

    /// The language of `Accept-Language`, else of the account's settings, else English.
    package func language(_ reader: any BoardReader) throws -> Language {
        if let language = Language(negotiating: request.headers.values("accept-language")) { return language }
        return try reader.settings().locale.flatMap(Language.init(rawValue:)) ?? .en
    }
}

/// The caller.
package struct Caller: Sendable {
    package let account: AccountKey
    private let known: Known?

    /// What is known of a caller, where the server asks who calls. By reference: a caller is copied on its way.
    private final class Known: Sendable {
        let grant: Grant?
        let feed: FeedState?
        let endings: Int64?
        let admittedAt: Timestamp
        let origin: String

        init(_ grant: Grant?, _ feed: FeedState?, _ endings: Int64?, _ admittedAt: Timestamp, _ origin: String) {
            self.grant = grant
            self.feed = feed
            self.endings = endings
            self.admittedAt = admittedAt
            self.origin = origin
        }
    }

    private init(account: AccountKey, _ known: Known? = nil) {
        self.account = account
        self.known = known
    }

    /// This caller, with the feed state that a version check reported.
    func with(feed: FeedState) -> Caller {
        Caller(
            account: account,
            Known(grant, feed, endings, known?.admittedAt ?? Timestamp(milliseconds: 0), origin))
    }

    /// - Parameters:
    ///   - grant: of the token; `nil` for anonymous callers.
    ///   - feed: where the account stood after the request came; `nil` when nobody has asked yet.
    ///   - endings: see ``endings``.
    ///   - now: when the token was looked up.
    ///   - origin: the caller's network.
    package init(
        _ grant: Grant?, feed: FeedState? = nil, endings: Int64? = nil, at now: Timestamp, from origin: String
    ) {
        account = grant?.account ?? AccountKey(number: 0)
        known = Known(grant, feed, endings, now, origin)
    }

    /// How long a token that was looked up counts as valid: a body that takes longer to arrive may come after its end.
    private static let trust: Int64 = 250

    /// True if the token was looked up too long ago to write with it. Where ``endings`` are compared, the write itself does.
    func isOutdated(at now: Timestamp) -> Bool {
        guard let known, known.grant != nil, known.endings == nil else { return false }
        return (now.milliseconds - known.admittedAt.milliseconds).magnitude > Self.trust.magnitude
    }

    /// The grant of the token; `nil` in open mode and for anonymous callers.
    package var grant: Grant? { known?.grant }

    /// Where the account stood after the request came; `nil` when nobody has asked yet.
    package var feed: FeedState? { known?.feed }

    /// The endings of the account at which the grant holds, when only the write will tell whether there were more.
    package var endings: Int64? { known?.endings }

    /// The network for which wrong passwords are counted; empty in open mode.
    package var origin: String { known?.origin ?? "" }

    /// The caller's session or token; `nil` in open mode.
    package var session: ID? { grant?.id }

    /// The built-in account of open mode.
    package static var local: Caller { Caller(account: .local) }
}

/// The parts of the server that calls need. Fixed after the start.
package struct Environment: Sendable {
    package let store: any Store
    /// ``Store/local``, asked once.
    package let local: (any LocalStore)?
    /// Accounts, sessions and tokens; `nil` in open mode.
    package var accounts: AccessService?
    package var clock: @Sendable () -> Timestamp
    /// Of the server.
    package var version = ""
    /// The public address of the server, without a `/` at its end.
    package var site: @Sendable () -> String = { "" }
    /// The server's `--time-zone`.
    package var zone: Zone
    package var bodyLimit: Int
    /// The default quota of accounts; `nil`: none.
    package var quota: Quota?
    /// `nil`: off.
    package var weather: WeatherService?
    /// `nil`: no device is notified.
    package var push: PushService?
    /// Called for each notification in Apple's name.
    package var noteAppleNotification: @Sendable (AppleNote) -> Void = { _ in }
    /// Idempotency keys of running requests.
    package let runningKeys = RunningKeys()
    package var exports = ExportQueue()
    /// Parses large bodies.
    package let parsing = AccountWorkers()
    package let memory: BoardMemory
    /// Notifies after each commit, and when a session or token ends.
    package let notifier: ChangeNotifier
    package var streamPace = StreamPace()
    /// False once the server drains: `/health/ready` answers 503.
    package var isReady: @Sendable () -> Bool

    package init(
        store: any Store, accounts: AccessService? = nil, clock: @escaping @Sendable () -> Timestamp,
        zone: Zone = .utc, bodyLimit: Int = 1 << 20, weather: WeatherService? = nil,
        memory: BoardMemory = BoardMemory(), notifier: ChangeNotifier = ChangeNotifier(),
        isReady: @escaping @Sendable () -> Bool = { true }
    ) {
        self.store = store
        local = store.local
        self.accounts = accounts
        self.clock = clock
        self.zone = zone
        self.bodyLimit = bodyLimit
        self.weather = weather
        self.memory = memory
        self.notifier = notifier
        self.isReady = isReady
        local?.addObserver(memory)
    }
}

/// An environment by reference: the closures of a handler copy their call.
final class SharedEnvironment: Sendable {
    let environment: Environment

    init(_ environment: Environment) {
        self.environment = environment
    }
}
