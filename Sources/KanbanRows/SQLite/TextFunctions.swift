import CSQLite
import Kanban

extension SQLiteConnection {
    /// Registers `has_text(text, term)` and `has_initials(text, pattern)`: 1 when a text has what a ``SearchTerm`` asks for;
    /// and `octet_length(value)`, which SQLite itself has from 3.43 on.
    func register(textFunctions: Void) throws {
        try check(
            sqlite3_create_function_v2(
                handle, "octet_length", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nil,
                { context, _, arguments in
                    guard let value = arguments?[0], sqlite3_value_type(value) != SQLITE_NULL else { return }
                    sqlite3_result_int64(context, Int64(sqlite3_value_bytes(value)))
                }, nil, nil, nil))
        try check(
            sqlite3_create_function_v2(
                handle, "has_text", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
                { context, _, arguments in
                    sqlite3_result_int(context, TextSearch.answer(arguments, TextSearch.has(_:text:)))
                }, nil, nil, nil))
        try check(
            sqlite3_create_function_v2(
                handle, "has_initials", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
                { context, _, arguments in
                    sqlite3_result_int(context, TextSearch.answer(arguments, TextSearch.has(_:initials:)))
                }, nil, nil, nil))
    }
}

/// Searches in the UTF-8 of rows: in `searched`, or in a title or body that is searched as it is, but for capitals of ASCII.
enum TextSearch {
    typealias Bytes = UnsafeBufferPointer<UInt8>

    static func answer(
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?, _ has: (_ text: Bytes, _ wanted: Bytes) -> Bool
    ) -> Int32 {
        guard let arguments, let text = sqlite3_value_text(arguments[0]), let wanted = sqlite3_value_text(arguments[1])
        else { return 0 }
        return has(
            Bytes(start: text, count: Int(sqlite3_value_bytes(arguments[0]))),
            Bytes(start: wanted, count: Int(sqlite3_value_bytes(arguments[1])))) ? 1 : 0
    }

    static func has(_ text: Bytes, text wanted: Bytes) -> Bool {
        guard text.count >= wanted.count else { return false }
        // The memory lives for the call only.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { copy in
            for index in text.indices { copy[index] = CaseFolding.lowercasedASCII(text[index]) }
            return contains(copy, wanted)
        }
    }

    /// - Parameter pattern: see ``SearchTerm/initials(_:)``.
    static func has(_ text: Bytes, initials pattern: Bytes) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count + pattern.count) { memory in
            let initials = UnsafeMutableBufferPointer(rebasing: memory[..<text.count])
            _ = initials.initialize(from: text)
            replaceSyllables(in: initials)
            let wanted = UnsafeMutableBufferPointer(rebasing: memory[text.count...])
            var count = 0
            // Each class begins with a bracket and the consonant, which takes three bytes.
            for start in pattern.indices where pattern[start] == UInt8(ascii: "[") && start + 3 < pattern.count {
                for offset in 1...3 { wanted[count + offset - 1] = pattern[start + offset] }
                count += 3
            }
            return contains(initials, Bytes(rebasing: wanted[..<count]))
        }
    }

    /// Puts its initial consonant in the place of each Hangul syllable; both take three bytes.
    private static func replaceSyllables(in text: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        while index + 2 < text.count {
            guard (0xEA...0xED).contains(text[index]) else {
                index += 1
                continue
            }
            let value = Int(text[index] & 0xF) << 12 | Int(text[index + 1] & 0x3F) << 6 | Int(text[index + 2] & 0x3F)
            if (0xAC00...0xD7A3).contains(value) {
                text[index] = 0xE1
                text[index + 1] = 0x84
                text[index + 2] = 0x80 + UInt8((value - 0xAC00) / 588)
            }
            index += 3
        }
    }

    /// Searched by the C library, in time that grows with the text alone.
    private static func contains(_ text: UnsafeMutableBufferPointer<UInt8>, _ wanted: Bytes) -> Bool {
        guard let needle = wanted.baseAddress, !wanted.isEmpty else { return true }
        guard text.count >= wanted.count else { return false }
        return csqlite_contains(text.baseAddress, text.count, needle, wanted.count) != 0
    }
}
