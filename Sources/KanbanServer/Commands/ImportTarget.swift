import Foundation
import KanbanPostgres

/// The data that an import goes into. Nothing is made before it is written to, and nothing at all by a dry run.
struct ImportTarget {
    private let configuration: Configuration
    private let hasData: Bool
    private let lock: DataLock?

    private var directory: DataDirectory { DataDirectory(path: configuration.data) }
    private var isDryRun: Bool { configuration.administration.dryRun }

    /// Finds a server that runs, before a long document is read.
    init(_ configuration: Configuration) throws {
        self.configuration = configuration
        let directory = DataDirectory(path: configuration.data)
        hasData = configuration.database.map(Self.hasTables) ?? directory.hasData
        lock = hasData && configuration.database == nil ? try Self.lock(directory) : nil
    }

    private static func hasTables(_ database: String) -> Bool {
        do {
            try PostgresStore.requireTables(database)
        } catch PostgresSchema.Fault.empty {
            return false
        } catch {
            // Opening it says what is wrong.
        }
        return true
    }

    private static func lock(_ directory: DataDirectory) throws -> DataLock {
        try DataLock(directory, holder: "an import, process \(ProcessInfo.processInfo.processIdentifier)")
    }

    /// Runs a body over the data as they are; `nil` where there are none.
    func look<T>(_ body: (any ServedStore) async throws -> T) async throws -> T? {
        guard hasData else { return nil }
        return try await configuration.withStore(directory, makesTables: !isDryRun, lock: lock, body)
    }

    /// Runs a body over the data, which are made if there are none: for a dry run in a directory that goes again.
    func write<T>(_ body: (any ServedStore) async throws -> T) async throws -> T {
        guard !hasData else {
            return try await configuration.withStore(directory, makesTables: !isDryRun, lock: lock, body)
        }
        guard isDryRun else {
            var made: DataLock?
            if configuration.database == nil {
                try directory.create()
                made = try Self.lock(directory)
            }
            return try await configuration.withStore(directory, makesTables: true, lock: made, body)
        }
        var elsewhere = configuration
        elsewhere.database = nil
        elsewhere.data = FileManager.default.temporaryDirectory.path + "/kanbase-dry-run-\(UUID().uuidString)"
        let scratch = DataDirectory(path: elsewhere.data)
        try scratch.create()
        // `try?`: nothing in it is of any use to anybody.
        defer { try? FileManager.default.removeItem(atPath: scratch.path) }
        return try await elsewhere.withStore(scratch, makesTables: true, body)
    }
}
