import Kanban

/// A sign-in provider: an issuer of OpenID Connect whose tokens are accepted if they are for one of our apps.
package struct Provider: Hashable, Sendable {
    /// Its name in the API.
    package var name: String
    /// The address above `/.well-known/` of its discovery document, which tells the `iss` of its tokens: this address, or the
    /// same with a slash at its end.
    package var issuer: String
    /// The accepted `aud` of its tokens.
    package var clientIDs: Set<String>
    /// The one of them with which web pages sign in.
    package var webClientID: String

    /// - Parameters:
    ///   - clientIDs: at least one.
    ///   - webClientID: one of them, by default the first in the order of the alphabet.
    package init(name: String, issuer: String, clientIDs: Set<String>, webClientID: String? = nil) {
        self.name = name
        self.issuer = issuer
        self.clientIDs = clientIDs
        self.webClientID = webClientID ?? clientIDs.min() ?? ""
    }

    /// The built-in issuers.
    package static let wellKnown = ["apple": "https://appleid.apple.com", "google": "https://accounts.google.com"]

    /// True if the provider is Apple, which has more to say than OpenID Connect; or a substitute of that name, for
    /// tests.
    package var isApple: Bool { name == "apple" || issuer == Self.wellKnown["apple"] }

    /// Reads `NAME=ISSUER,CLIENT_ID[,CLIENT_ID…]`, or `apple=CLIENT_ID[,CLIENT_ID…]`; `nil` for anything else. Web pages sign
    /// in with the first client id.
    ///
    /// An issuer needs https; http is accepted only for a loopback address, for tests.
    package init?(_ text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let name = String(text[..<equals])
        var parts = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
            .map(String.init)
        guard Self.isName(name), let first = parts.first else { return nil }
        if first.contains("://") {
            guard Self.isTrustworthy(first) else { return nil }
            issuer = first.hasSuffix("/") ? String(first.dropLast()) : first
            parts.removeFirst()
        } else {
            guard let known = Self.wellKnown[name] else { return nil }
            issuer = known
        }
        guard !parts.isEmpty, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } }) else {
            return nil
        }
        self.name = name
        clientIDs = Set(parts)
        webClientID = parts[0]
    }

    /// The text that ``init(_:)`` reads as this provider.
    package var text: String {
        "\(name)=\(issuer)," + ([webClientID] + clientIDs.subtracting([webClientID]).sorted()).joined(separator: ",")
    }

    private static func isName(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// True if the address is authenticated: https, or loopback.
    package static func isTrustworthy(_ url: String) -> Bool {
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return false }
        if url.hasPrefix("https://") { return url.utf8.count > "https://".utf8.count }
        return ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains { origin in
            url.hasPrefix(origin) && [nil, "/", ":"].contains(url.dropFirst(origin.count).first)
        }
    }

    /// True if the issuer's own document may name this address: it is trustworthy, and is https if the issuer is.
    func mayName(_ url: String) -> Bool {
        Self.isTrustworthy(url) && (issuer.hasPrefix("http:") || url.hasPrefix("https:"))
    }

    /// True if a token with this `iss` is of the issuer that calls itself `name`. Google's may leave out the scheme, according to
    /// its documentation.
    func isIssuer(_ claim: String, named name: String) -> Bool {
        claim == name || issuer == Self.wellKnown["google"] && claim == "accounts.google.com"
    }
}
