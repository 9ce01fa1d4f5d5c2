import CSQLite
import Foundation
import Locks

/// SQLite's own file system, that stops at an ordered write or sync and does nothing more: what a process leaves that is
/// killed there.
///
/// One for the whole process, since C functions keep no context: the suites that use it are serialized.
enum StoppingFileSystem {
    static let name = "kanban-stopping"

    /// How many writes and syncs are still done; `nil`: all.
    private static let left = Locked<Int?>(nil)

    static func stop(after writes: Int?) {
        left.withLock { $0 = writes }
    }

    static var hasStopped: Bool { left.withLock { $0.map { $0 < 0 } ?? false } }

    /// Whether this one is done.
    private static func goesOn() -> Bool {
        left.withLock { left in
            guard let known = left else { return true }
            left = max(known - 1, -1)
            return known > 0
        }
    }

    /// Registers it once.
    static let registered: Void = {
        guard let system = sqlite3_vfs_find(nil) else { return }
        let stopping = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        stopping.initialize(to: system.pointee)
        stopping.pointee.zName = UnsafePointer(strdup(name))
        stopping.pointee.pNext = nil
        stopping.pointee.xOpen = { _, path, file, flags, outFlags in
            guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen, let file else {
                return SQLITE_CANTOPEN
            }
            let code = open(system, path, file, flags, outFlags)
            guard code == SQLITE_OK, let methods = file.pointee.pMethods else { return code }
            // The data and the log have methods of their own.
            if flags & SQLITE_OPEN_MAIN_DB != 0 {
                file.pointee.pMethods = StoppingFileSystem.data.methods(over: methods)
            }
            if flags & SQLITE_OPEN_WAL != 0 { file.pointee.pMethods = StoppingFileSystem.log.methods(over: methods) }
            return code
        }
        sqlite3_vfs_register(stopping, 0)
    }()

    /// The methods of one kind of file: SQLite's own, but for those that write.
    /// Unchecked: written once, under the lock of `isReady`; the table is never freed.
    private final class Methods: @unchecked Sendable {
        private(set) var own = sqlite3_io_methods()
        private let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        private let isReady = Locked(false)
        private let prepare: (inout sqlite3_io_methods) -> Void

        init(_ prepare: @escaping (inout sqlite3_io_methods) -> Void) {
            self.prepare = prepare
        }

        func methods(over methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
            isReady.withLock { isReady in
                guard !isReady else { return }
                isReady = true
                own = methods.pointee
                var stopping = own
                prepare(&stopping)
                table.initialize(to: stopping)
            }
            return UnsafePointer(table)
        }
    }

    private static let data: Methods = Methods { methods in
        methods.xWrite = { file, bytes, count, offset in
            guard StoppingFileSystem.goesOn() else { return SQLITE_IOERR }
            return StoppingFileSystem.data.own.xWrite?(file, bytes, count, offset) ?? SQLITE_IOERR
        }
        methods.xSync = { file, flags in
            guard StoppingFileSystem.goesOn() else { return SQLITE_IOERR }
            return StoppingFileSystem.data.own.xSync?(file, flags) ?? SQLITE_IOERR
        }
        methods.xTruncate = { file, size in
            guard StoppingFileSystem.goesOn() else { return SQLITE_IOERR }
            return StoppingFileSystem.data.own.xTruncate?(file, size) ?? SQLITE_IOERR
        }
    }

    private static let log: Methods = Methods { methods in
        methods.xWrite = { file, bytes, count, offset in
            guard StoppingFileSystem.goesOn() else { return SQLITE_IOERR }
            return StoppingFileSystem.log.own.xWrite?(file, bytes, count, offset) ?? SQLITE_IOERR
        }
        methods.xSync = { file, flags in
            guard StoppingFileSystem.goesOn() else { return SQLITE_IOERR }
            return StoppingFileSystem.log.own.xSync?(file, flags) ?? SQLITE_IOERR
        }
        methods.xTruncate = { file, size in
            guard StoppingFileSystem.goesOn() else { return SQLITE_IOERR }
            return StoppingFileSystem.log.own.xTruncate?(file, size) ?? SQLITE_IOERR
        }
    }
}
