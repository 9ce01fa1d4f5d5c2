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
}
