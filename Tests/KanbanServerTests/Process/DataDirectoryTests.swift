import Foundation
import KanbanRows
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanServer

struct DataDirectoryTests {
    @Test func `missing directories are made, for their owner alone`() throws {
        let root = try TemporaryDirectory()
        let directory = DataDirectory(path: root.path + "/a/b")

        try directory.create()
        try directory.create()

        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test func `a file in its place is refused`() throws {
        let root = try TemporaryDirectory()
        let path = root.path + "/file"
        try Data().write(to: URL(filePath: path))

        #expect(throws: Failure(.cannotCreate, "The data directory \(path) is no directory.")) {
            try DataDirectory(path: path).create()
        }
    }

    @Test func `data that cannot be read is not said to be missing`() throws {
        let root = try TemporaryDirectory()
        let directory = DataDirectory(path: root.path)
        #expect(throws: Failure(.noInput, "There is no data in \(root.path).")) { try directory.requireData() }

        // Refused to the administrator, too, unlike a file of another user.
        symlink(directory.file, directory.file)

        let reason = describe(ELOOP)
        let failure = Failure(
            .noInput, "The data in \(root.path) cannot be read: \(reason). Run the command as the user of the server.")
        #expect(throws: failure) { try directory.requireData() }
    }

    @Test func `the error of the second to lock names the first`() throws {
        let root = try TemporaryDirectory()
        let directory = DataDirectory(path: root.path)
        let first = try DataLock(directory, holder: "process 17")

        #expect(throws: Failure(.locked, "The data directory \(root.path) is in use by process 17.")) {
            try DataLock(directory, holder: "process 18")
        }
        first.note("process 17, http://127.0.0.1:1")
        #expect(
            throws: Failure(.locked, "The data directory \(root.path) is in use by process 17, http://127.0.0.1:1.")
        ) {
            try DataLock(directory, holder: "process 18")
        }
    }

    @Test func `a lock file left behind locks nobody out`() throws {
        let root = try TemporaryDirectory()
        let directory = DataDirectory(path: root.path)
        do {
            let gone = try DataLock(directory, holder: "process 17 with a long story")
            gone.note("process 17 with a long story, http://127.0.0.1:1")
        }

        let next = try DataLock(directory, holder: "process 18")

        let note = try String(contentsOfFile: directory.lockFile, encoding: .utf8)
        withExtendedLifetime(next) {
            #expect(note == "process 18\n")
        }
    }

    @Test func `a command migrates data of an older version, but not beside the server that has it`() throws {
        let root = try TemporaryDirectory()
        let directory = DataDirectory(path: root.path)
        let next: [Schema.Step] = Schema.steps + [{ try $0.run("CREATE TABLE later (a INTEGER) STRICT" as String) }]
        #expect(try directory.lockToMigrate(steps: next) == nil, "there is no data")
        try directory.openStore(FileStoreConfiguration()).close()

        #expect(try directory.lockToMigrate() == nil)
        #expect(try directory.lockToMigrate(steps: next) != nil)

        let server = try DataLock(directory, holder: "process 17")
        defer { withExtendedLifetime(server) {} }
        #expect(try directory.lockToMigrate() == nil)
        let failure = Failure(
            .locked,
            "The data directory \(root.path) is in use by process 17. The data has the format of an older Kanbase: start "
                + "the server in this version first.")
        #expect(throws: failure) { try directory.lockToMigrate(steps: next) }
    }
}
