import Foundation
import JSON
import TestSupport
import Testing

/// `kanbase import --from firebase-auth`.
struct FirebaseAuthTests {
    private let signerKey = "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
    /// The password is `user1password`: Firebase's published example.
    private let hash =
        #""passwordHash": "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==", "salt": "42xEC+ixf3L2lw==""#

    private func parameters(_ folder: DataFolder, memCost: Int = 14) throws -> String {
        let file = folder.file("parameters")
        let text = """
            hash_config {
              algorithm: SCRYPT,
              base64_signer_key: \(signerKey),
              base64_salt_separator: Bw==,
              rounds: 8,
              mem_cost: \(memCost),
            }
            """
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }

    private func run(
        _ users: String, on folder: DataFolder, _ options: [String]
    ) throws -> (ending: Ending, report: JSON, errors: String) {
        let result = try Kanbase.run(
            ["import", "--from", "firebase-auth"] + folder.options + options, input: #"{"users": [\#(users)]}"#)
        // `try?`: a refusal prints no report.
        return (result.ending, (try? JSON(parsing: Array(result.output.utf8))) ?? .null, result.errors)
    }

    private func codes(_ report: JSON) -> Set<String> {
        Set((report["notes"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue })
    }

    @Test func `people of Firebase log in with their password, which is hashed again`() throws {
        let folder = try DataFolder()
        let file = try parameters(folder)
        let users = """
            {"localId": "1", "email": "ann@example.org", "emailVerified": true, "displayName": "Ann", \(hash),
             "providerUserInfo": [{"providerId": "google.com", "rawId": "1234"}, {"providerId": "github.com", "rawId": "9"}]},
            {"localId": "2", "email": "off@example.org", "disabled": true, \(hash)},
            {"localId": "3", "email": "bob@example.org", "version": 3, "passwordHash": "YWJj", "salt": "YWJj"},
            {"localId": "4", "providerUserInfo": [{"providerId": "apple.com", "rawId": "000.1"}]},
            {"localId": "5", "phoneNumber": "+821000"},
            {"localId": "6", "email": "ANN@example.org", "displayName": "Second"}
            """

        let tried = try run(users, on: folder, ["--hash-parameters", file, "--dry-run"])
        let made = try run(users, on: folder, ["--hash-parameters", file])
        let again = try run(users, on: folder, ["--hash-parameters", file])

        for result in [tried, made, again] { #expect(result.ending == .exited(0), "\(result.errors)") }
        for report in [tried.report, made.report] {
            #expect(report["created"] == 4 && report["skipped"] == 2, "\(report)")
            #expect(
                codes(report) == ["unknown_provider", "other_hash", "reset_needed", "no_way_in", "address_taken"])
            let reset = report["notes"]?.arrayValue?.first { $0["code"] == "reset_needed" }
            #expect(reset?["count"] == 1, "the second Ann, who is skipped, needs no reset")
        }
        #expect(again.report["created"] == 0 && again.report["skipped"] == 6)
        // What does not come along is that of accounts that were made.
        #expect(codes(again.report) == ["address_taken", "identity_taken", "no_way_in"])

        let server = try Kanbase(on: folder, ["--auth", "required"])
        let client = try server.client()
        func logIn(_ email: String, _ password: String) throws -> Answer {
            try client.post("/sessions", ["email": .string(email), "password": .string(password)])
        }
        #expect(try logIn("ann@example.org", "user1passwore").status == 401)
        for _ in 1...2 {
            let answer = try logIn("ann@example.org", "user1password")
            #expect(answer.status == 201)
            client.headers["authorization"] = "Bearer \(answer.string("token") ?? "")"
        }
        let account = try client.get("/account")
        #expect(account.string("displayName") == "Ann" && account.json["emailVerified"] == true)
        let identities = try client.get("/account/identities").items
        #expect(identities.map { $0["provider"] } == ["google"])
        #expect(try logIn("off@example.org", "user1password").status == 403)
        #expect(try logIn("bob@example.org", "user1password").status == 401)
        server.stop()
        #expect(try !server.log.contains(signerKey.prefix(20)))
        let data = try Data(contentsOf: URL(filePath: folder.path + "/kanbase.sqlite"))
        #expect(data.range(of: Data(signerKey.utf8)) == nil)
        // Ann's is renewed; the disabled account's waits.
        #expect(data.range(of: Data("$scrypt-stream$".utf8)) != nil)
    }

    @Test func `an address that an account has is never taken over`() throws {
        let folder = try DataFolder()
        let server = try Kanbase(on: folder, ["--auth", "required"])
        let own: JSON = ["email": "ann@example.org", "password": "correct horse battery"]
        #expect(try server.client().post("/accounts", own).status == 201)
        server.stop()

        let result = try run(
            #"{"localId": "1", "email": "Ann@Example.org", "emailVerified": true, \#(hash)}"#, on: folder,
            ["--hash-parameters", parameters(folder)])

        #expect(result.report["created"] == 0 && result.report["skipped"] == 1, "\(result.errors)")
        let again = try Kanbase(on: folder, ["--auth", "required"])
        let client = try again.client()
        #expect(try client.post("/sessions", own).status == 201)
        let theirs: JSON = ["email": "ann@example.org", "password": "user1password"]
        #expect(try client.post("/sessions", theirs).status == 401)
    }

    @Test func `what cannot be checked later is refused before anything is written`() throws {
        let folder = try DataFolder()
        let user = #"{"localId": "1", "email": "ann@example.org", \#(hash)}"#
        let hidden = #"{"localId": "2", "email": "b@example.org", "passwordHash": "UkVEQUNURUQ="}"#

        let without = try run(user, on: folder, [])
        let costly = try run(user, on: folder, ["--hash-parameters", parameters(folder, memCost: 16)])
        let redacted = try run("\(user), \(hidden)", on: folder, ["--hash-parameters", parameters(folder)])
        let beside = try run(user, on: folder, ["--account", "ann@example.org"])

        #expect(without.ending == .exited(64) && without.errors.contains("--hash-parameters FILE"))
        #expect(costly.ending == .exited(65) && costly.errors.contains("mem_cost is 1 to 15"), "\(costly.errors)")
        #expect(redacted.ending == .exited(65) && redacted.errors.contains("#/users/1/passwordHash is REDACTED"))
        #expect(beside.ending == .exited(64))
        for result in [without, costly, redacted] { #expect(!result.errors.contains(signerKey.prefix(20))) }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/kanbase.sqlite"))
    }
}
