#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// An open file descriptor. The value owns it; the end of the value closes it, exactly once.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    /// - Parameter number: an open descriptor that nothing else closes.
    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // An error is ignored: nothing can be done here, and after EINTR Linux has closed the descriptor anyway.
        _ = close(number)
    }

    /// Raises the limit of open descriptors of this process as far as the system allows.
    /// - Returns: the limit.
    @discardableResult
    package static func raiseLimit() -> Int {
        var limit = rlimit()
        #if canImport(Darwin)
            let kind = RLIMIT_NOFILE
        #else
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        guard getrlimit(kind, &limit) == 0 else { return 256 }
        let before = limit.rlim_cur
        // macOS refuses more than OPEN_MAX; a million is enough for any server.
        #if canImport(Darwin)
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            limit.rlim_cur = min(limit.rlim_max, 1_048_576)
        #endif
        guard limit.rlim_cur > before, setrlimit(kind, &limit) == 0 else { return Int(clamping: before) }
        return Int(clamping: limit.rlim_cur)
    }
}
