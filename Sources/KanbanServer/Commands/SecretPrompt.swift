import Kanban
import KanbanAccess

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a password from standard input, without echo on a terminal. It must not be on the command line.
enum SecretPrompt {
    /// - Throws: ``ExitCode/noInput`` without a password, ``ExitCode/usage`` for an invalid one.
    static func password() throws(Failure) -> Password {
        let text = isatty(STDIN_FILENO) == 1 ? withoutEcho { readLine() } : readLine()
        guard let text, !text.isEmpty else {
            throw Failure(.noInput, "The password is read from the terminal or standard input, and there is none.")
        }
        // Invalid UTF-8 becomes replacement characters.
        guard !text.unicodeScalars.contains("\u{fffd}") else { throw Failure(.usage, "A password must be UTF-8.") }
        let password = Password(text)
        guard password.flaw == nil else {
            let length = Password.length
            throw Failure(.usage, "A password has \(length.lowerBound) to \(length.upperBound) characters.")
        }
        return password
    }

    private static func withoutEcho<T>(_ body: () -> T) -> T {
        let prompt = Array("Password: ".utf8)
        // The buffer lives for the call only. The result is ignored: the command works without a prompt.
        _ = prompt.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        var shown = termios()
        guard tcgetattr(STDIN_FILENO, &shown) == 0 else { return body() }
        var hidden = shown
        hidden.c_lflag &= ~tcflag_t(ECHO)
        // What is printed next begins a line.
        hidden.c_lflag |= tcflag_t(ECHONL)
        terminalBefore.initialize(to: shown)
        for number in endings { signal(number, showAndEnd) }
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
            for number in endings { signal(number, SIG_DFL) }
        }
        return body()
    }

    /// The signals that end the process at the prompt, such as Ctrl-C.
    private static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    /// Without it, not every shell would show what is typed from then on. Does only what POSIX allows in a handler.
    private static let showAndEnd: @convention(c) (Int32) -> Void = { number in
        tcsetattr(STDIN_FILENO, TCSANOW, terminalBefore)
        signal(number, SIG_DFL)
        kill(getpid(), number)
    }
}

/// The modes of the terminal before the prompt. Global, because a handler gets only the signal's number.
// Unsafe because it is written before the handler is set, and read by it alone. Never freed, like the handler. Not a variable: the
// compiler lays out a global `termios()` in fewer bytes than it copies into it, as the address sanitizer says.
nonisolated(unsafe) private let terminalBefore = UnsafeMutablePointer<termios>.allocate(capacity: 1)
