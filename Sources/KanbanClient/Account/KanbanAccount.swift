import Foundation
import JSON
import Kanban

/// Who is logged in, as the server last reported: on the device, so that a screen has it without a network.
public struct KanbanAccount: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    /// `nil` for an account of a provider that reported none, and while nothing is known yet.
    public let email: String?
    /// A code that came to the address was sent back, or a provider vouched for it.
    public let isEmailVerified: Bool
    /// The address that takes the place of ``email`` once its code is sent back: see ``KanbanBoard/verifyEmail(code:)``.
    public let pendingEmail: String?
    public let name: String?
    /// For ``KanbanBoard/image(_:)``.
    public let picture: KanbanID?
    public let createdAt: Date?
    /// `nil` while nothing is known yet.
    public let usage: AccountUsage?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), email: String? = nil, isEmailVerified: Bool = false, pendingEmail: String? = nil,
        name: String? = nil, picture: KanbanID? = nil, createdAt: Date? = nil, usage: AccountUsage? = nil
    ) {
        self.id = id
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.pendingEmail = pendingEmail
        self.name = name
        self.picture = picture
        self.createdAt = createdAt
        self.usage = usage
    }

    /// Reads the account as the API shows it.
    init?(_ json: JSON) {
        guard let id = json.id("id") else { return nil }
        self.init(
            id: id, email: json["email"]?.stringValue, isEmailVerified: json["emailVerified"]?.boolValue ?? false,
            pendingEmail: json["pendingEmail"]?.stringValue, name: json["displayName"]?.stringValue,
            picture: json.id("image"), createdAt: json.date("createdAt"),
            usage: json["usage"].flatMap { AccountUsage($0) })
    }
}

/// How much room the account takes on the server.
public struct AccountUsage: Hashable, Sendable {
    public let bytes: Int
    /// Those in the trash included.
    public let tasks: Int
    /// `nil`: no limit.
    public let bytesLimit, tasksLimit: Int?

    /// For previews and tests of an app.
    public init(bytes: Int, tasks: Int, bytesLimit: Int? = nil, tasksLimit: Int? = nil) {
        self.bytes = bytes
        self.tasks = tasks
        self.bytesLimit = bytesLimit
        self.tasksLimit = tasksLimit
    }

    init?(_ json: JSON) {
        guard let bytes = json["bytes"]?.intValue, let tasks = json["tasks"]?.intValue else { return nil }
        self.init(
            bytes: bytes, tasks: tasks, bytesLimit: json["bytesLimit"]?.intValue,
            tasksLimit: json["tasksLimit"]?.intValue)
    }
}

/// A device that is logged in.
public struct AccountSession: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    /// The name that the device gave at its log-in.
    public let device: String?
    /// That opened it; `nil` for a password.
    public let provider: String?
    public let createdAt, lastUsedAt, expiresAt: Date?
    /// It is this device's: ``KanbanBoard/logOut(_:)`` ends it.
    public let isCurrent: Bool

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), device: String? = nil, provider: String? = nil, createdAt: Date? = nil,
        lastUsedAt: Date? = nil, expiresAt: Date? = nil, isCurrent: Bool = false
    ) {
        self.id = id
        self.device = device
        self.provider = provider
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.isCurrent = isCurrent
    }

    init?(_ json: JSON, current: KanbanID?) {
        guard let id = json.id("id") else { return nil }
        self.init(
            id: id, device: json["device"]?.stringValue, provider: json["provider"]?.stringValue,
            createdAt: json.date("createdAt"), lastUsedAt: json.date("lastUsedAt"), expiresAt: json.date("expiresAt"),
            isCurrent: id == current)
    }
}

/// A personal token, for a script, a widget of another maker or a calendar app.
public struct AccountToken: Identifiable, Hashable, Sendable {
    public enum Scope: String, Hashable, Sendable, CaseIterable {
        /// All that a session may.
        case full
        case read
        /// The calendar feed alone. The only scope whose token may be in an address.
        case calendar
    }

    public let id: KanbanID
    public let name: String
    public let scope: Scope
    public let createdAt, lastUsedAt, expiresAt: Date?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), name: String, scope: Scope, createdAt: Date? = nil, lastUsedAt: Date? = nil,
        expiresAt: Date? = nil
    ) {
        self.id = id
        self.name = name
        self.scope = scope
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    init?(_ json: JSON) {
        guard let id = json.id("id"), let name = json["name"]?.stringValue,
            let scope = json["scope"]?.stringValue.flatMap(Scope.init(rawValue:))
        else { return nil }
        self.init(
            id: id, name: name, scope: scope, createdAt: json.date("createdAt"), lastUsedAt: json.date("lastUsedAt"),
            expiresAt: json.date("expiresAt"))
    }
}

/// A sign-in of a provider that opens the account.
public struct AccountIdentity: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    /// As the server's operator named it: `apple`, `google` …
    public let provider: String
    /// The address that the provider reported.
    public let email: String?
    public let createdAt: Date?

    /// For previews and tests of an app.
    public init(id: KanbanID = .init(), provider: String, email: String? = nil, createdAt: Date? = nil) {
        self.id = id
        self.provider = provider
        self.email = email
        self.createdAt = createdAt
    }

    init?(_ json: JSON) {
        guard let id = json.id("id"), let provider = json["provider"]?.stringValue else { return nil }
        self.init(id: id, provider: provider, email: json["email"]?.stringValue, createdAt: json.date("createdAt"))
    }
}

/// A log-in, a failed one, or a change of what opens the account.
public struct AccountEvent: Identifiable, Hashable, Sendable {
    public let id: KanbanID
    public let at: Date
    /// `log_in`, `log_in_failed`, `password_changed`, `identity_linked` … A later server may tell of more.
    public let kind: String
    public let device: String?
    /// The network that it came from, without the part that names a single device: `192.0.2.0/24`.
    public let network: String?

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), at: Date = .now, kind: String, device: String? = nil, network: String? = nil
    ) {
        self.id = id
        self.at = at
        self.kind = kind
        self.device = device
        self.network = network
    }

    init?(_ json: JSON) {
        guard let id = json.id("id"), let at = json.date("at"), let kind = json["kind"]?.stringValue else { return nil }
        self.init(
            id: id, at: at, kind: kind, device: json["device"]?.stringValue, network: json["network"]?.stringValue)
    }
}

/// Some events of an account, newest first.
public struct AccountEventPage: Hashable, Sendable {
    public let events: [AccountEvent]
    /// Where the next page begins.
    let next: String?

    public var hasMore: Bool { next != nil }

    /// For previews and tests of an app.
    public init(_ events: [AccountEvent]) {
        self.init(events, next: nil)
    }

    init(_ events: [AccountEvent], next: String?) {
        self.events = events
        self.next = next
    }
}

extension JSON {
    func id(_ member: String) -> KanbanID? { self[member]?.stringValue.flatMap { KanbanID($0) } }

    func date(_ member: String) -> Date? { instant(member).map { Date($0) } }

    /// The items of a list that this version understands.
    func items<Item>(_ read: (JSON) -> Item?) -> [Item] {
        (self["items"]?.arrayValue ?? []).compactMap(read)
    }
}
