import KanbanAccess
import Testing

struct PasswordTests {
    @Test(arguments: [
        ("1234567", Password.Flaw.tooShort), ("12345678", nil), ("비밀번호비밀번호", nil), ("비밀번호비밀번", .tooShort),
        (String(repeating: "🔑", count: 256), nil), (String(repeating: "🔑", count: 257), .tooLong),
        ("1234567\u{0}", .controlCharacter), ("        ", nil),
        (String(repeating: "\u{301}", count: 100_000), .tooLong),
        (String(repeating: "e\u{301}", count: 4), nil), (String(repeating: "e\u{301}", count: 129), .tooLong),
    ])
    func `a new password has 8 to 256 code points`(text: String, flaw: Password.Flaw?) {
        #expect(Password(text).flaw == flaw)
    }

    @Test func `one character typed in two ways is one password`() throws {
        let hash = try Password("pass\u{e9}word").hashed()

        #expect(try Password("passe\u{301}word").matches(hash))
        #expect(try !Password("passeword").matches(hash))
    }
}
