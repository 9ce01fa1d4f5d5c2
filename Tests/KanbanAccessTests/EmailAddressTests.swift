import Kanban
import KanbanAccess
import Testing

struct EmailAddressTests {
    @Test func `white space around it is dropped, the spelling stays`() throws {
        let address = try #require(EmailAddress(" \tAnna@Example.org\u{3000}\n"))

        #expect(address.text == "Anna@Example.org")
        #expect(address.folded == "anna@example.org")
    }

    @Test(arguments: [
        ("ANNA@example.org", "anna@EXAMPLE.ORG"), ("straße@example.org", "STRASSE@example.org"),
        ("ΣΑΣ@example.gr", "σας@example.gr"), ("사람@예시.한국", "사람@예시.한국"),
    ])
    func `case does not tell two addresses apart`(one: String, other: String) throws {
        let address = try #require(EmailAddress(one))

        #expect(address.folded == EmailAddress.fold(other))
    }

    @Test(arguments: [
        "", " ", "anna", "@", "anna@", "@example.org", "anna@@example.org", "anna@b@example.org",
        "anna@example..org", "anna@.org", "anna@example.", "an na@example.org", "anna@exa\u{0}mple.org",
        "anna@example.org\r\nBcc: x@example.org", "an\u{200B}na@example.org", "anna\u{200D}@example.org",
        "anna@exam\u{2060}ple.org", "\u{FEFF}anna@example.org", "\u{202E}anna@example.org", "anna@\u{2066}example.org",
        "anna\u{200F}@example.org", "anna\u{AD}@example.org", "anna\u{7F}@example.org", "anna\u{85}@example.org",
        "anna\u{E0041}@example.org", "anna\u{180E}@example.org", "anna\u{3164}@example.org",
        String(repeating: "a", count: 250) + "@b.org", "x>y<z@b.c", "a(b)@c.org", "a,b@c.org", "a;b@c.org", "a:b@c.org",
        "a\\b@c.org", "a[b]@c.org", "a\"b@c.org", "a..b@c.org", ".a@b.org", "a.@b.org", "\"a\"b\"@c.org",
        "\"a\\\"@c.org", "a@b>c.org", "a@b,c.org", "a@[1.2.3.4", "a@[1.2.3.4>]", "a@b_c.org", "a@-b.org", "a@b-.org",
    ])
    func `what cannot be an address is refused`(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test func `an address that was taken when the rule was another one still reads`() {
        let stored = EmailAddress(stored: "an\u{200B}na@Example.org")

        #expect(stored.text == "an\u{200B}na@Example.org")
        #expect(stored.folded == EmailAddress.fold("an\u{200B}na@example.org"))
    }

    @Test(arguments: [
        "a@b", "anna+list@example.org", "o'hara@sub.example.org", "\"odd\"@example.org", "a@[127.0.0.1]",
        "\"a@b\"@example.org", "\"<a>\"@example.org", "\"a\\\"b\"@example.org", "!#$%&'*+-/=?^_`{|}~@example.org",
        "a@[IPv6:::1]", "사람@예시.한국", "a@b-c.org",
    ])
    func `what may be one is taken`(text: String) {
        #expect(EmailAddress(text)?.text == text)
    }
}
