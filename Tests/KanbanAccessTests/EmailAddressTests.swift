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
        "anna@example.org\r\nBcc: x@example.org", String(repeating: "a", count: 250) + "@b.org",
    ])
    func `what cannot be an address is refused`(text: String) {
        #expect(EmailAddress(text) == nil)
    }

    @Test(arguments: [
        "a@b", "anna+list@example.org", "o'hara@sub.example.org", "\"odd\"@example.org", "a@[127.0.0.1]",
        "\"a@b\"@example.org",
    ])
    func `what may be one is taken`(text: String) {
        #expect(EmailAddress(text)?.text == text)
    }
}
