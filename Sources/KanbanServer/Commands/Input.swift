import Foundation

/// A file that the command line names for reading: a pipe or a device is as good. See ``Output`` for writing.
enum Input {
    /// All bytes of the file.
    /// - Parameter path: `nil` or `-` is standard input.
    /// - Throws: ``ExitCode/noInput``.
    static func bytes(at path: String?) throws(Failure) -> [UInt8] {
        guard let path, path != "-" else { return try read(.standardInput, "Standard input") }
        // Not `Data(contentsOf:)`, which takes a pipe for a file that may not be read.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(
                .noInput,
                errno == ENOENT ? "There is no file \(path)." : "\(path) cannot be read: \(describe(errno)).")
        }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure(.noInput, "\(path) is a directory. Name a file.")
        }
        return try read(handle, path)
    }

    /// The text of the file, without a byte order mark.
    /// - Throws: ``ExitCode/noInput``; ``ExitCode/damagedData`` for text that is not UTF-8.
    static func text(at path: String) throws(Failure) -> String {
        guard let text = String(validating: try bytes(at: path), as: UTF8.self) else {
            throw Failure(.damagedData, "\(path) is no text in UTF-8. Save it so.")
        }
        return text.hasPrefix("\u{feff}") ? String(text.unicodeScalars.dropFirst()) : text
    }

    private static func read(_ handle: FileHandle, _ name: String) throws(Failure) -> [UInt8] {
        do {
            return Array(try handle.readToEnd() ?? Data())
        } catch {
            throw Failure(.noInput, "\(name) cannot be read: \(error.localizedDescription)")
        }
    }
}
