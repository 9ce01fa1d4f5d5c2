#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A failed call to the operating system, with its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// From the current `errno`. Call it directly after the failed call.
    package static func last(_ call: String) -> SystemError {
        SystemError(call: call, code: errno)
    }

    package var description: String {
        "\(call): \(String(cString: strerror(code))) (\(code))"
    }
}

/// The result of a system call that returns -1 on failure; repeats it after EINTR.
func checked(_ call: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    while true {
        let result = body()
        if result >= 0 { return result }
        if errno != EINTR { throw .last(call) }
    }
}
