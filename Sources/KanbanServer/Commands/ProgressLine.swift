import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How far a command is, in one line of a terminal; nothing where standard error is a file or a pipe.
struct ProgressLine: Sendable {
    private let isShown = isatty(STDERR_FILENO) == 1

    private static let width = 20
    private static let clear = "\r\u{1b}[K"

    func show(_ done: Int, of total: Int) {
        show(Self.text(done, of: total))
    }

    func show(_ text: String) {
        write(Self.clear + text)
    }

    /// Before anything else is written.
    func end() {
        write(Self.clear)
    }

    private func write(_ text: String) {
        guard isShown else { return }
        // `try?`: a terminal that is gone needs no progress.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// `[####      ] 40,000 of 100,000`
    static func text(_ done: Int, of total: Int) -> String {
        let filled = total > 0 ? min(Self.width, max(0, done * Self.width / total)) : 0
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: Self.width - filled)
        return "[\(bar)] \(grouped(done)) of \(grouped(total))"
    }

    /// A number with a comma before each three digits.
    static func grouped(_ number: Int) -> String {
        let digits = Array(String(number))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset) % 3 == 0 { text.append(",") }
            text.append(digit.element)
        }
    }
}
