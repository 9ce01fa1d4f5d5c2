#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A call to the operating system that failed: which one, and its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// What `errno` says now. Ask at once after the call that failed.
    package static func last(_ call: String) -> SystemError {
        SystemError(call: call, code: errno)
    }

    package var description: String {
        "\(call): \(String(cString: strerror(code))) (\(code))"
    }
}

/// The result of a call that answers -1 when it failed, tried again when a signal interrupted it.
func checked(_ call: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        if errno != EINTR { throw .last(call) }
    }
}
