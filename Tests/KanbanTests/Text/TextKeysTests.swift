import Foundation
import JSON
import Testing

@testable import Kanban

struct TextKeysTests {
    @Test(arguments: [
        ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}", true), ("Café", "CAFE\u{301}", true),
        ("Straße", "STRASSE", true), ("ΣΑΣ", "σας", true), ("a\u{323}\u{307}", "a\u{307}\u{323}", true),
        ("\u{345}\u{301}", "\u{301}\u{399}", true), ("\u{212b}", "\u{e5}", true), ("Cafe", "Café", false),
        ("ｗｏｒｋ", "work", false), ("ガ", "が", false), ("work", "work ", false),
    ])
    func `texts are the same when they are canonically equivalent but for case`(
        one: String, other: String, isSame: Bool
    ) {
        #expect(one.sameKey.isSpelled(like: other.sameKey) == isSame)
    }

    @Test func `the order is that of case-folded code points, without canonical equivalence`() {
        let inOrder = ["Alpha", "beta", "e\u{301}", "z", "é", "\u{1100}\u{1161}", "가", "\u{ff21}", "😀"]

        #expect(
            inOrder.shuffled().sorted { $0.orderKey < $1.orderKey }.map { Array($0.utf8) }
                == inOrder.map { Array($0.utf8) })
        #expect("é".orderKey != "e\u{301}".orderKey)
        #expect("É".orderKey == "é".orderKey)
        #expect(Set(["é".orderKey, "e\u{301}".orderKey, "É".orderKey]).count == 2)
    }

    @Test(arguments: [
        ("Café ﬁnal", "cafe final"), ("CAFE\u{301}", "cafe"), ("ｶﾞｷﾞ ガギ", "がぎ がぎ"), ("コーヒー", "こーひー"),
        ("ＡＢＣ①㎏", "abc1kg"), ("\u{1112}\u{1161}\u{11ab}", "한"), ("ﾊﾞｽ", "ばす"), ("Ǖber", "uber"), ("Й", "й"),
        ("İstanbul", "istanbul"), ("ΐ", "ΐ"), ("회의 TODO 😀", "회의 todo 😀"),
    ])
    func `a search compares texts without what people do not type`(text: String, key: String) {
        #expect(text.searchKey.unicodeScalars.elementsEqual(key.precomposedStringWithCanonicalMapping.unicodeScalars))
    }

    @Test func `what is searched as it is, is its own key but for capitals of ASCII`() {
        // Every character, behind a letter with which it could be composed.
        for value in UInt32(1)...0x10ffff {
            guard let scalar = Unicode.Scalar(value), "가\(scalar)".isSearchedAsItIs else { continue }
            for text in ["가\(scalar)", "か\(scalar)"] {
                let key = CaseFolding.fold(text.precomposedStringWithCompatibilityMapping)
                let expected = value < 0x80 ? CaseFolding.fold(text) : text
                if !key.unicodeScalars.elementsEqual(expected.unicodeScalars) {
                    Issue.record("U+\(String(value, radix: 16))")
                }
            }
        }
        #expect(String.searched(title: "회의 Todo", body: "책상, 의자。漢字 ひらがな 😀") == nil)
        #expect(String.searched(title: "Éclair", body: "Body") == "eclair\u{a0}body")
    }

    @Test func `what stands between title and body is in no key`() {
        for start in stride(from: UInt32(1), through: 0x10ffff, by: 0x400) {
            var text = String.UnicodeScalarView()
            for value in start..<start + 0x400 { if let scalar = Unicode.Scalar(value) { text.append(scalar) } }
            #expect(!String(text).searchKey.unicodeScalars.contains("\u{a0}"), "from U+\(String(start, radix: 16))")
        }
    }

    @Test func `the key of a key is itself`() {
        for value in Array(UInt32(1)...0x3400) + Array(0xa640...0xabff) + Array(0xf900...0xffff) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(scalar)"
            let (search, same) = (text.searchKey, text.sameKey)
            if !search.searchKey.isSpelled(like: search) || !same.sameKey.isSpelled(like: same) {
                Issue.record("U+\(String(value, radix: 16))")
            }
        }
    }

    @Test(
        arguments: [
            ("", []), (" \u{3000}\t", []), ("Buy  Milk", [.text("buy"), .text("milk")]), ("a A", [.text("a")]),
            ("\"Buy  Milk\" x", [.text("buy  milk"), .text("x")]), ("\"open end", [.text("open end")]), ("\"\"", []),
            ("5\"", [.text("5\"")]), ("ㅊㅅ", [.initials("[\u{110e}차-칳][\u{1109}사-싷]")]),
            ("\"ㅊㅅ\"", [.text("\u{110e}\u{1109}")]),
            ("ㅊa", [.text("\u{110e}a")]),
        ] as [(String, [SearchTerm])])
    func `a search has words, phrases and initial consonants`(text: String, terms: [SearchTerm]) {
        #expect(SearchTerm.terms(of: text) == terms)
    }
}
