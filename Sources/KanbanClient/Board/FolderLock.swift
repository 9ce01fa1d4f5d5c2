import Foundation
import Locks

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Keeps other processes out of the folder while a board of this one has it. Held by the board, unless it is paused, and by each
/// replica that has its file open for writing.
final class FolderLock: Sendable {
    private let path: String
    private let state = Locked((descriptor: Int32(-1), holders: 0))

    /// - Throws: ``KanbanError/storage(_:)`` when another process has it.
    init(_ folder: URL) throws {
        path = folder.appending(path: "lock", directoryHint: .notDirectory).path
        try hold()
    }

    deinit {
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { Self.close(descriptor) }
    }

    /// Each call needs one of ``release()``.
    /// - Throws: ``KanbanError/storage(_:)`` when another process has it.
    func hold() throws {
        try state.withLock { state in
            if state.holders == 0 { state.descriptor = try take() }
            state.holders += 1
        }
    }

    func release() {
        state.withLock { state in
            state.holders -= 1
            guard state.holders == 0 else { return }
            // Unlocked as well: a process that the app starts has a copy of the descriptor until its exec, which keeps the lock.
            flock(state.descriptor, LOCK_UN)
            Self.close(state.descriptor)
            state.descriptor = -1
        }
    }

    private func take() throws -> Int32 {
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw KanbanError.storage("\(path) cannot be opened.") }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            Self.close(opened)
            throw KanbanError.storage("Another process has the board open; only one may.")
        }
        return opened
    }

    private static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            Darwin.close(descriptor)
        #else
            Glibc.close(descriptor)
        #endif
    }
}
