import KanbanImport
import Testing

struct FirebaseUsersTests {
    private let parameters = """
        hash_config {
          algorithm: SCRYPT,
          base64_signer_key: c2VjcmV0a2V5LXNlY3JldGtleQ==,
          base64_salt_separator: Bw==,
          rounds: 8,
          mem_cost: 14,
        }
        """

    @Test func `accounts as the command and the API write them`() throws {
        let users = try FirebaseUser.read(
            Array(
                """
                {"kind": "x", "users": [
                  {"localId": "a", "email": "ann@example.org", "emailVerified": true, "passwordHash": "aGFzaA==", "salt": "c2FsdA==",
                   "displayName": " Ann ", "disabled": true, "createdAt": "1500000000000",
                   "providerUserInfo": [{"providerId": "apple.com", "rawId": "000.1", "email": "a@x.org"},
                     {"providerId": "password", "rawId": "ann@example.org"}]},
                  {"localId": "b", "version": 1, "email": "", "passwordHash": ""}]}
                """.utf8))

        #expect(users.count == 2 && users.map(\.row) == [1, 2])
        #expect(users[0].email == "ann@example.org" && users[0].isEmailVerified && users[0].isDisabled)
        #expect(users[0].displayName == "Ann" && users[0].passwordHash == "aGFzaA==" && users[0].salt == "c2FsdA==")
        #expect(users[0].identities.map(\.provider) == ["apple.com"] && users[0].identities[0].subject == "000.1")
        #expect(users[1].email == nil && users[1].passwordHash == nil && users[0].isFirebaseHash)
        #expect(!users[1].isFirebaseHash && users[1].identities.isEmpty)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"users": 1}"#, #"{"users": [1]}"#, #"{"users": [{"email": "a@b.c"}]}"#, #"{"users": [{"#,
    ])
    func `what is no export of accounts is refused`(text: String) {
        #expect(throws: UnreadableImport.self) { try FirebaseUser.read(Array(text.utf8)) }
    }

    @Test func `hash parameters as the console shows them, and as JSON`() throws {
        let json = """
            {"algorithm": "SCRYPT", "base64_signer_key": "c2VjcmV0a2V5LXNlY3JldGtleQ==", "rounds": 8, "mem_cost": 14}
            """

        for (text, separator) in [(parameters, "Bw=="), (json, "")] {
            let read = try FirebaseHashParameters(text)
            #expect(read.signerKey == "c2VjcmV0a2V5LXNlY3JldGtleQ==" && read.saltSeparator == separator)
            #expect(read.rounds == 8 && read.memCost == 14)
        }
    }

    @Test(arguments: [("SCRYPT", "BCRYPT"), ("base64_signer_key", "key"), ("8", "eight"), ("mem_cost: 14", "")])
    func `wrong parameters are refused with words that hold no secret`(part: String, other: String) throws {
        let error = try #require(throws: UnreadableImport.self) {
            try FirebaseHashParameters(parameters.replacing(part, with: other))
        }

        #expect(!error.detail.contains("c2Vj"))
    }
}
