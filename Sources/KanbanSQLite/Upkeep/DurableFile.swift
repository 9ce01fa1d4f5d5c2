import Foundation
import Kanban

/// Files that are complete or absent, even after a power cut.
enum DurableFile {
    /// Waits until the file, or the entries of a directory, are on the disk.
    static func synchronize(_ path: String) throws {
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

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether it is a file with bytes of its own: no directory, device or pipe.
    static func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Bytes; 0 when there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    static func removeIfThere(_ path: String) throws {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw failure("remove", path)
    }

    /// Makes an empty file that only its owner may read.
    static func create(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make", path) }
        close(descriptor)
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
