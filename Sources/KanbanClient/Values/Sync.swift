import Foundation
import Kanban

/// Where the board stands with the server.
public struct SyncStatus: Hashable, Sendable {
    public enum Phase: Hashable, Sendable {
        /// Not started, or paused.
        case idle
        /// The first load, or a new one after the server was restored. What is there is usable.
        case loading(done: Int, of: Int?)
        case syncing
        /// Others' edits arrive as they happen.
        case live
        /// The server asked to wait, or failed, or has no room for some of the edits; ``SyncStatus/reason`` tells.
        case waiting(until: Date)
        /// No way to the server.
        case offline
        /// The server wants a log-in. Edits stay on the device until then.
        case loggedOut
        /// The server refuses this device for good.
        case stopped(KanbanError)
    }

    public var phase: Phase
    /// Why the phase is `waiting`; `nil` in every other. `server(status: 507, code: "quota_exceeded", …)`: the account is full, the
    /// edits that it has no room for wait, and all others are sent.
    public var reason: KanbanError?
    /// Edits that the server has not answered yet.
    public var pendingEdits: Int
    public var lastSync: Date?
    /// True until a pull has reached the end of the feed since `start()`.
    public var isFromDevice: Bool

    public init(
        phase: Phase = .idle, reason: KanbanError? = nil, pendingEdits: Int = 0, lastSync: Date? = nil,
        isFromDevice: Bool = true
    ) {
        self.phase = phase
        self.reason = reason
        self.pendingEdits = pendingEdits
        self.lastSync = lastSync
        self.isFromDevice = isFromDevice
    }
}

/// What ``KanbanBoard/syncNow(until:timeout:)`` waits for.
public enum SyncGoal: Hashable, Sendable {
    case pushed, pulled, pushedAndPulled
}

/// How a call on the board fails.
public enum KanbanError: Error, Hashable {
    /// The rules of the board forbid it; every fault is listed.
    case invalid([Fault])
    case notFound
    /// There is something else in its place: the task as it is now.
    case conflict(KanbanTask?)
    case offline
    case loggedOut
    /// What the server does not let this session do.
    case forbidden(String)
    /// The server is too old for this library. Of a folder opened for reading: an earlier version of the library wrote it, and
    /// the app has not opened it since.
    case tooOld
    /// A newer version of the library wrote the folder.
    case newerData
    /// The disk, or another process that has the folder.
    case storage(String)
    /// The number of edits, images and issues that would be lost: only this device has them.
    case unsent(Int)
    case server(status: Int, code: String, requestID: String?)
    /// The board without an account has data: log in again with `.add` or `.discard`.
    case guestData(BoardCounts)
    case wrongPassword
    case timedOut
}

// No cases of their own: apps switch over all of them.
extension KanbanError {
    /// The device does not trust the server's certificate. The log has the cause.
    public static let untrustedCertificate = KanbanError.server(
        status: 0, code: "untrusted_certificate", requestID: nil)
    /// What answers is no Kanbase: another web server, or a network that wants a log-in of its own. The log has the cause.
    public static let notKanbase = KanbanError.server(status: 0, code: "not_kanbase", requestID: nil)
}

/// One fault of an edit.
public struct Fault: Hashable, Sendable {
    /// The member, as a JSON pointer: `#/title`.
    public let pointer: String
    /// As the server's: `blank`, `too_long`, `unknown_category` …
    public let code: String
    /// What it is a member of, for ``limit``; `nil` when nothing tells. Two faults are the same without it.
    let kind: ResourceType?

    public init(pointer: String, code: String) {
        self.init(pointer: pointer, code: code, of: nil)
    }

    init(pointer: String, code: String, of kind: ResourceType?) {
        self.pointer = pointer
        self.code = code
        self.kind = kind
    }

    init(_ fault: Kanban.Fault, of kind: ResourceType?) {
        self.init(pointer: fault.pointer, code: fault.code.rawValue, of: kind)
    }

    public static func == (one: Fault, other: Fault) -> Bool {
        one.pointer == other.pointer && one.code == other.code
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(pointer)
        hasher.combine(code)
    }
}

/// A member that was changed on two devices.
public struct Conflict: Hashable, Sendable {
    public let target: KanbanID
    public let member: String
    /// As the API shows them; `nil` for none.
    public let mine, theirs: String?

    /// For previews and tests of an app.
    public init(target: KanbanID, member: String, mine: String? = nil, theirs: String? = nil) {
        self.target = target
        self.member = member
        self.mine = mine
        self.theirs = theirs
    }
}

/// Something that the user may want to decide. Kept on disk until it is answered.
public struct Issue: Identifiable, Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Both changed the same member. With an edit younger than an hour mine is applied, with an older one theirs.
        case merged
        /// Somebody else deleted what I edited. It stays deleted.
        case deleted
        /// The server refused the edit; the resource is shown as the server has it. With the fault `damaged` at `#/file`: the file of
        /// the board was damaged, and something that only this device had is lost. `conflicts` has one with the member
        /// `edits`, whose `mine` is the number of the unsent edits that are missing; `nil` when nothing tells it.
        case rejected([Fault])
        /// The server was restored from a backup and no longer has this.
        case restoredServer
    }

    public enum Answer: Hashable, Sendable {
        /// Makes mine so, for `merged`. Where somebody wrote other words since, another issue has these as theirs. Where the resource
        /// was deleted since, and the trash does not have mine, a `deleted` issue has them. Leaves out what names something that was
        /// deleted.
        case mine
        /// Makes theirs so, for `merged`, in the place of mine: what somebody wrote since stays. Does nothing where the resource, or
        /// what the value names, was deleted since.
        case theirs
        case dismiss
        /// Brings it back with the members that I changed, for `deleted`: all others are as they are by now. Where somebody wrote the
        /// same members, another issue has these words as theirs.
        case restoreWithMine
        /// Sends other values, for `rejected`.
        case retry(TaskDraft)
        /// Sends what the server lost, for `restoredServer`, but for members that somebody changed since. With a task goes its
        /// category, where that is lost, too.
        case sendAgain
    }

    public let id: KanbanID
    public let kind: Kind
    public let target: KanbanID
    public let conflicts: [Conflict]
    /// My values: of a task; of a category its name, of a D-day its title and date.
    public let mine: TaskDraft?
    public let at: Date

    /// For previews and tests of an app.
    public init(
        id: KanbanID = .init(), kind: Kind, target: KanbanID, conflicts: [Conflict] = [], mine: TaskDraft? = nil,
        at: Date = .now
    ) {
        self.id = id
        self.kind = kind
        self.target = target
        self.conflicts = conflicts
        self.mine = mine
        self.at = at
    }
}

public struct UndoState: Hashable, Sendable {
    public let undoName, redoName: String?
    public let canUndo, canRedo: Bool

    public init(undoName: String? = nil, redoName: String? = nil, canUndo: Bool = false, canRedo: Bool = false) {
        self.undoName = undoName
        self.redoName = redoName
        self.canUndo = canUndo
        self.canRedo = canRedo
    }
}

public enum UndoOutcome: Hashable, Sendable {
    case done
    /// What others changed since stays theirs.
    case partly([Conflict])
    /// There is nothing to undo.
    case nothing
}

/// What becomes of the board without an account at a log-in.
public enum GuestData: Hashable, Sendable {
    /// Throws ``KanbanError/guestData(_:)`` when there is any.
    case ask
    /// Goes to the account.
    case add
    /// Stays on the device, as when the account has no room for it: it is there again after a log-out.
    case keep
    case discard
}

/// What becomes of the account's board on this device at a log-out.
public enum LocalData: Hashable, Sendable {
    /// Removes it, unless it holds edits that the server does not have: then throws ``KanbanError/unsent(_:)``.
    case remove
    /// Removes it, unsent edits included.
    case removeUnsent
    /// Keeps it for the next log-in.
    case keep
}
