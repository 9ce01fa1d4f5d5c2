import Crypto
import Kanban

/// The configured sign-in providers with their keys.
package final class ProviderDirectory: Sendable {
    private let providers: [String: (provider: Provider, keys: IssuerKeys)]
    private let clock: @Sendable () -> Timestamp

    package init(
        _ providers: [Provider] = [], clock: @escaping @Sendable () -> Timestamp, fetch: @escaping ProviderFetch
    ) {
        self.clock = clock
        self.providers = Dictionary(
            providers.map { ($0.name, ($0, IssuerKeys(issuer: $0.issuer, clock: clock, fetch: fetch))) },
            uniquingKeysWith: { $1 })
    }

    /// No providers.
    package static let none = ProviderDirectory(clock: { Timestamp(milliseconds: 0) }, fetch: { _ in [] })

    /// Verifies a token and returns its identity.
    /// - Parameter nonce: the nonce of the client's request for the token.
    /// - Throws: ``AccessError/unknownProvider``, ``AccessError/tokenInvalid(_:)``, ``AccessError/providerUnavailable``.
    package func identity(
        provider name: String, token text: String, nonce: String?
    ) async throws -> ProvenIdentity {
        guard let (provider, keys) = providers[name] else { throw AccessError.unknownProvider }
        // On a thread of the pool: parsing and verifying a token must not block the caller's event loop.
        return try await Task.detached { [clock] in
            try await Self.verified(text, of: provider, keys, nonce: nonce, clock)
        }.value
    }

    private static func verified(
        _ text: String, of provider: Provider, _ keys: IssuerKeys, nonce: String?, _ clock: @Sendable () -> Timestamp
    ) async throws -> ProvenIdentity {
        let token = try IDToken(text)
        let key: SignatureKey?
        do {
            key = try await keys.key(named: token.keyID, for: token.algorithm)
        } catch is IssuerKeys.Unavailable {
            throw AccessError.providerUnavailable
        }
        guard let key, token.isSigned(by: key) else {
            throw AccessError.tokenInvalid("Its signature is of no key of the issuer.")
        }
        return try ProvenIdentity(token.claims, of: provider, named: keys.name, nonce: nonce, now: clock())
    }
}
