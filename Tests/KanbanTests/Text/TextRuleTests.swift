import Testing

@testable import Kanban

struct TextRuleTests {
    @Test(arguments: [
        ("장보기", nil), (String(repeating: "가", count: 200), nil), (" a ", nil),
        (String(repeating: "가", count: 201), TextFault.tooLong(limit: 200, actual: 201)),
        // A family is one grapheme of seven code points.
        (String(repeating: "👨‍👩‍👧‍👦", count: 29), .tooLong(limit: 200, actual: 203)),
        ("", .blank), (" \t\n", .blank), ("\u{3000}\u{a0}\u{2003}", .blank), ("a\u{0}b", .controlCharacter),
        ("\u{200b}", .blank), (" \u{200d}\u{fe0f}\u{feff}", .blank), ("\u{3164}\u{115f}\u{1160}\u{ffa0}", .blank),
        ("\u{ad}\u{34f}\u{2060}\u{202e}", .blank), ("\u{2800}", .blank), ("\u{e0041}\u{e0100}", .blank),
        ("\u{7}", .blank),
        ("\u{1bca0}\u{1d173}", .blank), ("\u{301}", nil), (".", nil), ("\u{200b}a", nil), ("\u{3000}。", nil),
        ("\u{fffd}", nil),
    ])
    func `a title has 1 to 200 code points and is not blank`(title: String, fault: TextFault?) {
        #expect(TextRule.taskTitle.fault(in: title) == fault)
    }

    @Test func `a body may be empty and has at most 1000 code points`() {
        #expect(TextRule.taskBody.fault(in: "") == nil)
        #expect(TextRule.taskBody.fault(in: String(repeating: "😀", count: 1_000)) == nil)
        #expect(
            TextRule.taskBody.fault(in: String(repeating: "x", count: 1_001)) == .tooLong(limit: 1_000, actual: 1_001))
        #expect(TextRule.taskBody.fault(in: "\u{0}") == .controlCharacter)
    }

    @Test(arguments: [
        ("#a1B2c3", true), ("#fff", false), ("a1b2c3", false), ("#a1b2c3d", false), ("#g00000", false), ("", false),
        ("#가나", false), ("#１２３４５６", false),
    ])
    func `a color is six hexadecimal digits`(text: String, isRight: Bool) {
        #expect((TextRule.colorFault(in: text) == nil) == isRight)
    }

    @Test(arguments: [
        ("🎂", true), ("👨‍👩‍👧‍👦", true), ("🇰🇷", true), ("❤️", true), ("1️⃣", true), ("A", true), ("가", true), ("", false),
        ("🎂🎂", false), (" ", false), ("\n", false), ("\u{0}", false), ("\u{7}", false),
        ("e" + String(repeating: "\u{301}", count: 31), true), ("e" + String(repeating: "\u{301}", count: 32), false),
        ("e" + String(repeating: "\u{301}", count: 100), false),
        ("🏴" + String(repeating: "\u{E0067}", count: 31), true), ("\u{200b}", false), ("\u{200d}", false),
        ("\u{fe0f}", false),
        ("\u{3164}", false), ("\u{2800}", false), ("\u{202e}", false), ("\u{e0041}", false), ("\u{feff}", false),
        ("\u{ad}", false),
    ])
    func `an emoji is one grapheme that can be seen`(text: String, isRight: Bool) {
        #expect((TextRule.emojiFault(in: text) == nil) == isRight)
    }

    @Test func `white space is trimmed at the ends, and nothing else is touched`() {
        #expect("\u{3000} 일 e\u{301} \n".trimmed.unicodeScalars.elementsEqual("일 e\u{301}".unicodeScalars))
        #expect(" \t".trimmed == "")
        // A combining mark keeps the space that it stands on from being a grapheme of its own.
        #expect(" \u{301}x".trimmed.unicodeScalars.elementsEqual("\u{301}x".unicodeScalars))
    }
}
