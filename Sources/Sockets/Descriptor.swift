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
        // An error says nothing that could be acted on here, and after EINTR Linux has closed it all the same.
        _ = close(number)
    }

    /// How many descriptors this process may have open, after raising that as far as the system lets it.
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
        // macOS refuses more than OPEN_MAX; a million is more than any server of ours needs.
        #if canImport(Darwin)
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            limit.rlim_cur = min(limit.rlim_max, 1_048_576)
        #endif
        guard limit.rlim_cur > before, setrlimit(kind, &limit) == 0 else { return Int(clamping: before) }
        return Int(clamping: limit.rlim_cur)
    }
}
