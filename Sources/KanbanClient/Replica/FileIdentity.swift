#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Which file is at a path. SQLite goes on with a file that was deleted, and what it writes there is lost when it closes it.
struct FileIdentity: Equatable {
    private let device: UInt64
    private let number: UInt64

    /// `nil` when there is none.
    init?(_ path: String) {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        device = UInt64(truncatingIfNeeded: found.st_dev)
        number = UInt64(found.st_ino)
    }
}
