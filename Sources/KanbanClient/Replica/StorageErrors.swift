import Kanban
import KanbanRows

extension KanbanError {
    /// Maps an error of the rules or of the disk to the error that an app gets.
    init(storage error: any Error) {
        switch error {
        case let error as KanbanError: self = error
        case let error as BoardError: self.init(error)
        case let error as StoreError: self.init(error)
        case let error as SQLiteError: self = error.storeError.map { KanbanError($0) } ?? .storage("\(error)")
        default: self = .storage("\(error)")
        }
    }

    private init(_ error: StoreError) {
        switch error {
        case .newer: self = .newerData
        case .full: self = .full
        case .io(let what): self = .storage(what)
        case .corrupt: self = .damaged
        case .closed: self = .closed
        // Errors of servers only.
        case .quotaExceeded, .moved, .away, .unsettled, .busy, .tooLong, .accessChanged: self = .storage("\(error)")
        case .noAccount: self = .storage("The file has no board.")
        }
    }

    static let full = KanbanError.storage("The disk is full.")
    static let deleted = KanbanError.storage("The board's folder was deleted while it was open.")
    static let closed = KanbanError.storage("The board is closed.")
    static let openedForReading = KanbanError.storage("The board was opened for reading.")
    /// The file is damaged.
    static let damaged = KanbanError.storage("The file is damaged.")

    /// - Parameter type: of what was to be changed.
    init(_ error: BoardError, of type: ResourceType? = nil) {
        switch error {
        case .notFound: self = .notFound
        case .alreadyExists, .deleted, .stale: self = .conflict(nil)
        case .nameTaken: self = .invalid([Fault(pointer: "#/name", code: "name_taken")])
        case .invalid(let faults):
            self = .invalid(faults.map { Fault($0, of: type) })
        }
    }
}
