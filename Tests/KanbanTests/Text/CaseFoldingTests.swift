import Testing

@testable import Kanban

struct CaseFoldingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("Kanban API", "kanban api"), ("STRASSE", "strasse"), ("Straße", "strasse"),
        ("ΌΣΟΣ", "όσοσ"), ("ﬁnal", "final"), ("İ", "i\u{307}"), ("ı", "ı"), ("할 일 TODO", "할 일 todo"), ("ｔＥ", "ｔｅ"),
    ])
    func `text is folded without a locale`(text: String, folded: String) {
        #expect(CaseFolding.fold(text).unicodeScalars.elementsEqual(folded.unicodeScalars))
    }

    @Test func `every code point of Unicode 14 folds as the standard says`() throws {
        var expected: [UInt32: [UInt32]] = [:]
        for line in try fixtureLines("CaseFolding.txt") {
            let numbers = line.split(separator: " ").compactMap { UInt32($0, radix: 16) }
            expected[numbers[0]] = Array(numbers[1...])
        }
        #expect(expected.count > 1_400)

        var wrong: [UInt32] = []
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 14 else { continue }
            let folded = CaseFolding.fold(String(scalar)).unicodeScalars.map(\.value)
            if folded != expected[value] ?? [value] { wrong.append(value) }
        }

        #expect(wrong.isEmpty)
    }

    @Test func `folding folded text changes nothing`() {
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let once = CaseFolding.fold(String(scalar))
            let twice = CaseFolding.fold(once)
            if !once.unicodeScalars.elementsEqual(twice.unicodeScalars) {
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
    }
}
