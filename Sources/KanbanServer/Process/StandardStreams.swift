#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Standard input, output and error. Where the starter closed one, the next file that is opened would get its number,
/// and the log would be written into it.
enum StandardStreams {
    /// Opens those that are closed, on nothing.
    static func open() {
        var descriptor: Int32
        repeat { descriptor = nothing() } while (0...STDERR_FILENO).contains(descriptor)
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// The system gives the lowest number that is free.
    private static func nothing() -> Int32 {
        #if canImport(Glibc)
            Glibc.open("/dev/null", O_RDWR)
        #else
            Darwin.open("/dev/null", O_RDWR)
        #endif
    }
}
