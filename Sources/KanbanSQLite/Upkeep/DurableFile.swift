import Foundation
import Kanban

/// Files that are complete or absent, even after a power cut. Every file that is made beside a name of the user's is made
/// here, so that no link that somebody left in a shared directory leads the bytes elsewhere.
package enum DurableFile {
    /// A name for a file in the making that nobody can know before: two processes may make one at once.
    package static func partialName(of path: String) -> String {
        "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).partial"
    }

    /// Waits until the file, or the entries of a directory, are on the disk.
    package static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", path) }
    }

    /// Replaces another file, if there is one, atomically.
    static func replace(_ path: String, with source: String) throws {
        guard rename(source, path) == 0 else { throw failure("rename", source) }
        try synchronize(path.parentDirectory)
    }

    /// Gives a file its name, unless another process was first: then its own file stays.
    static func place(_ source: String, at path: String) throws {
        guard link(source, path) == 0 || errno == EEXIST else {
            // The file system has no links.
            return try replace(path, with: source)
        }
        try removeIfThere(source)
        try synchronize(path.parentDirectory)
    }

    /// Bytes that are free on the disk of a path for programs without privileges; `nil` when the system does not tell.
    package static func freeBytes(at path: String) -> Int? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
    }

    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// True if the path is of a regular file, not a directory, device or pipe.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Bytes; 0 when there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    package static func removeIfThere(_ path: String) throws {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw failure("remove", path)
    }

    /// Makes an empty file that only its owner may read. There must be none of this name, nor a link.
    /// - Parameter isData: see ``giveToOwner(of:_:)``.
    package static func create(_ path: String, isData: Bool = false) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make", path) }
        if isData { giveToOwner(of: path.parentDirectory, descriptor) }
        close(descriptor)
    }

    /// Gives a file of the data that the administrator makes to the owner of the directory: the server may run as that user.
    package static func giveToOwner(of directory: String, _ descriptor: Int32) {
        var owner = stat()
        guard geteuid() == 0, stat(directory, &owner) == 0 else { return }
        // The result is ignored: not every file system has owners.
        _ = fchown(descriptor, owner.st_uid, owner.st_gid)
    }

    /// Makes a copy that only its owner may read, as a file of the data.
    static func copy(_ source: String, to path: String) throws {
        let input = open(source, O_RDONLY | O_CLOEXEC)
        guard input >= 0 else { throw failure("read", source) }
        defer { close(input) }
        let output = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw failure("make", path) }
        defer { close(output) }
        giveToOwner(of: path.parentDirectory, output)
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            // The buffer lives for the call only, as below.
            let count = buffer.withUnsafeMutableBytes { read(input, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw failure("read", source) }
            if count == 0 { return }
            var written = 0
            while written < count {
                let more = buffer.withUnsafeBytes { bytes in
                    write(output, bytes.baseAddress.map { $0 + written }, count - written)
                }
                guard more > 0 else { throw failure("write", path) }
                written += more
            }
        }
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        let error = errno
        if error == ENOSPC || error == EDQUOT { return .full }
        return .io("cannot \(verb) \(path): \(String(cString: strerror(error)))")
    }
}

extension String {
    /// The directory of the file with this path, as `dirname` (POSIX) tells it.
    // Foundation's `deletingLastPathComponent` ends the process on Linux when the path has one character.
    package var parentDirectory: String {
        let folder = split(separator: "/").dropLast().joined(separator: "/")
        return hasPrefix("/") ? "/" + folder : folder.isEmpty ? "." : folder
    }
}
