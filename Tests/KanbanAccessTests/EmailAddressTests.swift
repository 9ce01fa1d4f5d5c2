import Kanban
import KanbanAccess
import Testing

struct EmailAddressTests {
    @Test func `white space around it is dropped, the spelling stays`() throws {
        let address = try #require(EmailAddress(" \tAnna@Example.org\u{3000}\n"))

        #expect(address.text == "Anna@Example.org")
        #expect(address.folded == "anna@example.org")
    }

    @Test func `what is too long for an address is folded to nothing, which is no address`() {
        let most = "a@" + String(repeating: "x", count: 252)
        #expect(EmailAddress.fold(" \(most)\n") == most)
        #expect(EmailAddress.fold(most + "x").isEmpty && EmailAddress("") == nil)
    }

    @Test(arguments: [
        ("ANNA@example.org", "anna@EXAMPLE.ORG"), ("straße@example.org", "STRASSE@example.org"),
        ("ΣΑΣ@example.gr", "σας@example.gr"), ("사람@예시.한국", "사람@예시.한국"),
        ("anna@예시.한국", "anna@XN--VV4B11D.xn--3e0b707e"), ("anna@예시。한국", "anna@예시.한국"),
        ("jos\u{e9}@bücher.example", "JOSE\u{301}@xn--bcher-kva.EXAMPLE"),
        ("a@BU\u{308}CHER.example", "a@bücher.example"),
        ("a@ｅｘａｍｐｌｅ.org", "a@example.org"), ("a@faß.de", "a@xn--fa-hia.de"), ("a@FAẞ.de", "a@faß.de"),
        ("a@他们为什么不说中文.cn", "a@xn--ihqwcrb4cv8a8dqg056pqjye.cn"),
        ("a@3年B組金八先生.jp", "a@xn--3b-ww4c5e180e575a65lsy2b.jp"),
    ])
    func `case does not tell two addresses apart`(one: String, other: String) throws {
        let address = try #require(EmailAddress(one))

        #expect(address.folded == EmailAddress.fold(other))
    }

    @Test(arguments: [
        ("a@faß.de", "a@fass.de"), ("a@bücher.example", "a@bucher.example"), ("ab@c.org", "a@b@c.org"),
        ("josé@a.org", "jose@a.org"),
    ])
    func `other domains and other letters are other addresses`(one: String, other: String) throws {
        #expect(EmailAddress.fold(one) != EmailAddress.fold(other))
    }

    @Test(arguments: [
        ("josé@a.org", "JOSE\u{301}@a.org", false), ("josé@a.org", "jose\u{301}@A.org", true),
        ("straße@a.de", "strasse@a.de", false),
        ("a@bücher.example", "A@xn--bcher-kva.example", true), ("a@faß.de", "a@fass.de", false),
        ("a@b.org", "A@B.ORG", true),
    ])
    func `mail to one comes to the other`(one: String, other: String, isSame: Bool) throws {
        let (one, other) = (try #require(EmailAddress(one)), try #require(EmailAddress(other)))

        #expect(one.isSameMailbox(as: other) == isSame)
        #expect(one != other)
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
