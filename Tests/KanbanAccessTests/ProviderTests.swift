import Kanban
import Locks
import Testing

@testable import KanbanAccess

struct ProviderTests {
    @Test func `a provider is named with its issuer, and the well-known ones without`() throws {
        let own = try #require(Provider("own=https://id.example.org/,app,web"))
        #expect(own == Provider(name: "own", issuer: "https://id.example.org", clientIDs: ["app", "web"]))
        #expect(Provider("apple=com.example.app")?.issuer == "https://appleid.apple.com")
        #expect(Provider("google=1.apps.googleusercontent.com")?.issuer == "https://accounts.google.com")
        #expect(Provider("test=http://127.0.0.1:8080,app")?.issuer == "http://127.0.0.1:8080")
        #expect(Provider(own.text) == own)
        // Web pages sign in with the first.
        let web = try #require(Provider("own=https://id.example.org,web,app"))
        #expect(web.webClientID == "web" && own.webClientID == "app" && Provider(web.text) == web)
    }

    @Test(arguments: [
        "", "own", "own=", "own=app", "own=https://id.example.org", "own=https://,app", "own=http://id.example.org,app",
        "own=http://127.0.0.1.example.org,app", "own=https://id.example.org,", "Own=https://id.example.org,app",
        "own=ftp://id.example.org,app", "apple=", "own=https://id.example.org,a b",
    ])
    func `what names no provider is refused`(text: String) {
        #expect(Provider(text) == nil)
    }

    @Test func `the issuer of a token is the one that was named`() throws {
        let google = try #require(Provider("google=app"))
        func isGoogle(_ claim: String) -> Bool { google.isIssuer(claim, named: google.issuer) }
        #expect(isGoogle("https://accounts.google.com") && isGoogle("accounts.google.com"))
        #expect(!isGoogle("https://accounts.google.com.evil.org") && !isGoogle("https://accounts.google.com/"))
        let own = try #require(Provider("own=https://id.example.org,app"))
        #expect(own.isIssuer("https://id.example.org/", named: "https://id.example.org/"))
        #expect(!own.isIssuer("https://id.example.org", named: "https://id.example.org/"))
        #expect(!own.isIssuer("accounts.google.com", named: own.issuer))
    }

    @Test func `keys that cannot be fetched are reported once until they can`() async throws {
        struct Refused: Error, CustomStringConvertible { let description = "refused" }
        let issuer = "https://id.example.org"
        let own = try #require(Provider("own=\(issuer),app"))
        let time = Locked(Timestamp(milliseconds: 1_795_162_740_000))
        let documents = Locked<[String: String]>([:])
        let warnings = Locked<[String]>([])
        let directory = ProviderDirectory([own]) {
            time.withLock { $0 }
        } warn: { provider, reason in
            warnings.withLock { $0.append("\(provider): \(reason)") }
        } fetch: { url in
            guard let text = documents.withLock({ $0[url] }) else { throw Refused() }
            return Array(text.utf8)
        }
        func buttons(after seconds: Int64) async -> Int {
            time.withLock { $0 = $0.adding(milliseconds: seconds * 1_000) }
            let found = await directory.signIns()
            return found.count
        }

        #expect(await buttons(after: 0) == 0)
        #expect(await buttons(after: 2) == 0)
        #expect(warnings.withLock { $0 } == ["own: refused"])

        documents.withLock {
            $0["\(issuer)/.well-known/openid-configuration"] =
                #"{"issuer":"\#(issuer)","jwks_uri":"\#(issuer)/keys","authorization_endpoint":"\#(issuer)/in"}"#
            $0["\(issuer)/keys"] = #"{"keys":[]}"#
        }
        #expect(await buttons(after: 2) == 1)
        documents.withLock { $0["\(issuer)/keys"] = "{}" }
        #expect(await buttons(after: 4_000) == 1, "they are cached for a day")
        #expect(warnings.withLock { $0 } == ["own: refused", "own: there is no list of keys"])
    }
}
