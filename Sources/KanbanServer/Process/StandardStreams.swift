// Their `stdout` is a variable, which nobody sets.
#if canImport(Glibc)
    @preconcurrency import Glibc
#elseif canImport(Darwin)
    @preconcurrency import Darwin
#endif

/// Standard input, output and error. If one was closed before the start, the next opened file would get its number, and
/// the log would be written into it.
enum StandardStreams {
    /// Opens the closed ones on /dev/null.
    static func open() {
        var descriptor: Int32
        repeat { descriptor = nothing() } while (0...STDERR_FILENO).contains(descriptor)
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Writes what `print` holds back.
    /// - Throws: ``ExitCode/inputOutput`` when it, or what was printed before, is lost.
    static func flush() throws(Failure) {
        guard fflush(stdout) == 0, ferror(stdout) == 0 else {
            throw Failure(.inputOutput, "Standard output cannot be written. Is its disk full?")
        }
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
