import CSQLite
import Foundation
import Locks

/// SQLite's own file system, in which calls on the data file and its log fail when a test says so.
///
/// A suite that uses one is serialized: the decision is for all files that are open under its name.
package final class FaultyFileSystem: Sendable {
    package enum Call: Sendable {
        case write, sync, truncate, read
        /// Maps the index of the log into memory, from a file that may grow.
        case index

        /// True if the call changes the data file or its log.
        package var writes: Bool { self != .read && self != .index }
    }

    package enum Place: Sendable {
        case data, log
    }

    /// Gives the result code with which a call fails; `nil` lets it go on.
    package typealias Decision = @Sendable (Call, Place) -> Int32?

    /// The name by which SQLite knows it.
    package let name: String
    /// Not bare functions: a generic box would wrap them once more at each access, until the stack is full.
    private struct Decisions {
        var decision: Decision?
    }

    private let decisions = Locked(Decisions())

    /// - Parameter name: one that no other file system of the process has.
    package init(_ name: String) {
        self.name = name
        register()
    }

    /// Asks `decision` before every call from now on.
    package func decide(_ decision: Decision?) {
        decisions.withLock { $0.decision = decision }
    }

    fileprivate func failure(_ call: Call, _ place: Place) -> Int32? {
        decisions.withLock { $0.decision }?(call, place)
    }

    // MARK: - SQLite's side

    private func register() {
        guard let system = sqlite3_vfs_find(nil) else { return }
        // SQLite keeps both for as long as the process runs.
        let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        faulty.initialize(to: system.pointee)
        faulty.pointee.zName = UnsafePointer(strdup(name))
        faulty.pointee.pNext = nil
        faulty.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
        faulty.pointee.xOpen = { vfs, path, file, flags, outFlags in
            guard let system = sqlite3_vfs_find(nil), let open = system.pointee.xOpen, let file, let vfs,
                let context = vfs.pointee.pAppData
            else { return SQLITE_CANTOPEN }
            let code = open(system, path, file, flags, outFlags)
            guard code == SQLITE_OK, let methods = file.pointee.pMethods else { return code }
            let place: Place? =
                flags & SQLITE_OPEN_MAIN_DB != 0 ? .data : flags & SQLITE_OPEN_WAL != 0 ? .log : nil
            guard let place else { return code }
            let table = UnsafeMutablePointer<Methods>.allocate(capacity: 1)
            table.initialize(
                to: Methods(
                    over: methods.pointee, of: Unmanaged.fromOpaque(context), place: place))
            file.pointee.pMethods = UnsafeRawPointer(table).assumingMemoryBound(to: sqlite3_io_methods.self)
            return code
        }
        sqlite3_vfs_register(faulty, 0)
    }
}

/// The methods of an open file, with what C functions need to know beside them. SQLite sees the first member only.
private struct Methods {
    var faulty: sqlite3_io_methods
    let own: sqlite3_io_methods
    let system: Unmanaged<FaultyFileSystem>
    let place: FaultyFileSystem.Place

    init(over own: sqlite3_io_methods, of system: Unmanaged<FaultyFileSystem>, place: FaultyFileSystem.Place) {
        self.own = own
        self.system = system
        self.place = place
        faulty = own
        // Without the memory mapping, so that reads come here.
        faulty.iVersion = min(own.iVersion, 2)
        faulty.xWrite = { file, bytes, count, offset in
            Methods.call(.write, file) { $0.xWrite?(file, bytes, count, offset) }
        }
        faulty.xSync = { file, flags in
            Methods.call(.sync, file) { $0.xSync?(file, flags) }
        }
        faulty.xTruncate = { file, size in
            Methods.call(.truncate, file) { $0.xTruncate?(file, size) }
        }
        faulty.xShmMap = { file, region, size, extends, address in
            Methods.call(.index, file) { $0.xShmMap?(file, region, size, extends, address) }
        }
        faulty.xClose = { file in
            guard let table = file?.pointee.pMethods else { return SQLITE_IOERR }
            let methods = UnsafeMutableRawPointer(mutating: table).assumingMemoryBound(to: Methods.self)
            let code = methods.pointee.own.xClose?(file) ?? SQLITE_IOERR
            methods.deinitialize(count: 1)
            methods.deallocate()
            return code
        }
        faulty.xRead = { file, bytes, count, offset in
            Methods.call(.read, file) { $0.xRead?(file, bytes, count, offset) }
        }
    }

    private static func call(
        _ call: FaultyFileSystem.Call, _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ perform: (sqlite3_io_methods) -> Int32?
    ) -> Int32 {
        guard let table = file?.pointee.pMethods else { return SQLITE_IOERR }
        // Every file of this system has such a table: it was put there when the file was opened.
        let methods = UnsafeRawPointer(table).assumingMemoryBound(to: Methods.self).pointee
        return methods.system.takeUnretainedValue().failure(call, methods.place) ?? perform(methods.own) ?? SQLITE_IOERR
    }
}
