import CSQLite
import Foundation
import KanbanSQLite
import Locks

/// SQLite's own file system with faults to order: a write, a sync or a read of the data or of its log fails.
///
/// One for the whole process, since C functions keep no context: the suite that uses it is serialized.
enum FaultyFileSystem {
    static let name = "kanbase-faulty"

    enum Call {
        case write, sync, read
    }

    enum Place {
        case data, log
    }

    struct Fault {
        var call: Call
        var place: Place
        /// SQLite's result code.
        var code: Int32
        /// How many calls go well before.
        var after: Int
        /// How many fail then.
        var times: Int
    }

    private static let fault = Locked<Fault?>(nil)

    static func order(_ fault: Fault?) {
        self.fault.withLock { $0 = fault }
    }

    private static let syncObserver = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls `body` before each sync of the log: the last that happens before a commit can be seen.
    static func beforeLogSyncs(_ body: (@Sendable () -> Void)?) {
        syncObserver.withLock { $0 = body }
    }

    /// The result code of this call, when it is to fail.
    private static func failure(_ call: Call, _ place: Place) -> Int32? {
        fault.withLock { fault in
            guard var order = fault, order.call == call, order.place == place else { return nil }
            defer { fault = order }
            if order.after > 0 {
                order.after -= 1
                return nil
            }
            guard order.times > 0 else { return nil }
            order.times -= 1
            return order.code
        }
    }

    /// Registers it once.
    static let registered: Void = {
        guard let system = sqlite3_vfs_find(nil) else { return }
        let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        faulty.initialize(to: system.pointee)
        faulty.pointee.zName = UnsafePointer(strdup(name))
        faulty.pointee.pNext = nil
        faulty.pointee.xOpen = { _, path, file, flags, outFlags in
            guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen, let file else {
                return SQLITE_CANTOPEN
            }
            let code = open(system, path, file, flags, outFlags)
            guard code == SQLITE_OK, let methods = file.pointee.pMethods else { return code }
            if flags & SQLITE_OPEN_MAIN_DB != 0 { file.pointee.pMethods = FaultyFileSystem.data.methods(over: methods) }
            if flags & SQLITE_OPEN_WAL != 0 { file.pointee.pMethods = FaultyFileSystem.log.methods(over: methods) }
            return code
        }
        sqlite3_vfs_register(faulty, 0)
    }()

    /// The methods of one kind of file: SQLite's own, but for the three that may fail.
    /// Unchecked: written once, under the lock of `isReady`.
    private final class Methods: @unchecked Sendable {
        private var own = sqlite3_io_methods()
        private let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        private let isReady = Locked(false)
        private let prepare: (inout sqlite3_io_methods) -> Void

        init(_ prepare: @escaping (inout sqlite3_io_methods) -> Void) {
            self.prepare = prepare
        }

        var system: sqlite3_io_methods { own }

        func methods(over methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
            isReady.withLock { isReady in
                guard !isReady else { return }
                isReady = true
                own = methods.pointee
                var faulty = own
                // Without the memory mapping, so that reads come here.
                faulty.iVersion = 2
                prepare(&faulty)
                table.initialize(to: faulty)
            }
            return UnsafePointer(table)
        }
    }

    private static let data: Methods = Methods { methods in
        methods.xWrite = { file, bytes, count, offset in
            FaultyFileSystem.failure(.write, .data)
                ?? FaultyFileSystem.data.system.xWrite?(file, bytes, count, offset) ?? SQLITE_IOERR
        }
        methods.xSync = { file, flags in
            FaultyFileSystem.failure(.sync, .data) ?? FaultyFileSystem.data.system.xSync?(file, flags) ?? SQLITE_IOERR
        }
        methods.xRead = { file, bytes, count, offset in
            FaultyFileSystem.failure(.read, .data)
                ?? FaultyFileSystem.data.system.xRead?(file, bytes, count, offset) ?? SQLITE_IOERR
        }
    }

    private static let log: Methods = Methods { methods in
        methods.xWrite = { file, bytes, count, offset in
            FaultyFileSystem.failure(.write, .log)
                ?? FaultyFileSystem.log.system.xWrite?(file, bytes, count, offset) ?? SQLITE_IOERR
        }
        methods.xSync = { file, flags in
            FaultyFileSystem.syncObserver.withLock { $0 }?()
            return FaultyFileSystem.failure(.sync, .log) ?? FaultyFileSystem.log.system.xSync?(file, flags)
                ?? SQLITE_IOERR
        }
        methods.xRead = { file, bytes, count, offset in
            FaultyFileSystem.failure(.read, .log)
                ?? FaultyFileSystem.log.system.xRead?(file, bytes, count, offset) ?? SQLITE_IOERR
        }
    }
}
