/// How a board works on this device.
public struct Configuration: Sendable {
    public init() {}

    /// Receives what the library does. Events hold codes, counts and request ids; never texts, tokens or addresses.
    public var log: @Sendable (LogEvent) -> Void = { _ in }
    /// Where tokens are kept; `nil`: in a file that only this user can read. On Apple's platforms give it
    /// `KeychainSecrets` of KanbanClientUI.
    public var secrets: (any Secrets)?
    /// Shows the reminders of the board at their time, also while the app is closed: it schedules the 64 soonest and follows every
    /// change. On Apple's platforms give it `SystemReminderCenter` of KanbanClientUI; `nil`: nobody does. The library never asks
    /// the user for permission. Of several boards in one process only one may have it, because each removes what it does not know.
    public var reminderCenter: (any ReminderCenter)?
    /// Of default titles.
    public var language: Language = .en
    /// Clock, chance and network; tests bring their own.
    package var dependencies = Dependencies()
}

/// Something that the library did.
public struct LogEvent: Hashable, Sendable {
    /// `push.answered`, `pull.failed`, `replica.set_aside` …
    public let code: String
    /// Of resources, bytes or attempts.
    public var count: Int?
    /// An HTTP status.
    public var status: Int?
    public var requestID: String?
    /// Why a connection or an answer was none, in numbers and media types: `curl 60, X.509 10`, `404 text/html`.
    public var cause: String?

    public init(
        code: String, count: Int? = nil, status: Int? = nil, requestID: String? = nil, cause: String? = nil
    ) {
        self.code = code
        self.count = count
        self.status = status
        self.requestID = requestID
        self.cause = cause
    }
}

/// Where the tokens of sessions are kept.
public protocol Secrets: Sendable {
    func read(_ account: String) throws -> String?
    /// `nil` removes it.
    func write(_ secret: String?, for account: String) throws
}
