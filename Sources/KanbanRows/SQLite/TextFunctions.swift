import CSQLite
import Kanban

extension SQLiteConnection {
    /// Registers `contains_folded(text, folded)`: 1 when the case-folded text contains the folded one; and
    /// `octet_length(value)`, which SQLite itself has from 3.43 on.
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
                handle, "contains_folded", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
                { context, _, arguments in
                    guard let arguments, let text = sqlite3_value_text(arguments[0]),
                        let wanted = sqlite3_value_text(arguments[1])
                    else { return sqlite3_result_int(context, 0) }
                    let found = FoldedSearch.contains(
                        UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(arguments[0]))),
                        folded: UnsafeBufferPointer(start: wanted, count: Int(sqlite3_value_bytes(arguments[1]))))
                    sqlite3_result_int(context, found ? 1 : 0)
                }, nil, nil, nil))
    }
}

/// Substring search without regard to case, over UTF-8.
enum FoldedSearch {
    /// - Parameter wanted: folded already.
    static func contains(_ text: UnsafeBufferPointer<UInt8>, folded wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !wanted.isEmpty else { return true }
        if foldsByteWise(text) { return search(text, for: wanted) }
        var folded = CaseFolding.fold(String(decoding: text, as: UTF8.self))
        return folded.withUTF8 { search($0, for: wanted) }
    }

    /// True when folding changes nothing but ASCII letters, because all else is in blocks without case: U+3000 to
    /// U+9FFF (Kana, Han), U+AC00 to U+D7FF (Hangul) and U+1F000 to U+1FFFF (emoji), by their leading bytes.
    private static func foldsByteWise(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            let byte = text[index]
            switch byte {
            case ..<0x80:
                index += 1
            case 0xE3...0xE9, 0xEB...0xED:
                index += 3
            case 0xEA where index + 1 < text.count && text[index + 1] >= 0xB0:
                index += 3
            case 0xF0 where index + 1 < text.count && text[index + 1] == 0x9F:
                index += 4
            default:
                return false
            }
        }
        return true
    }

    private static func search(_ text: UnsafeBufferPointer<UInt8>, for wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count >= wanted.count, let needle = wanted.baseAddress else { return false }
        // The memory lives for the call only. Searched by the C library, in time that grows with the text alone.
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { folded in
            for index in text.indices { folded[index] = lower(text[index]) }
            return csqlite_contains(folded.baseAddress, folded.count, needle, wanted.count) != 0
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}
