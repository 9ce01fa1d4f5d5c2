import Crypto
import Kanban

/// The configured sign-in providers with their keys.
package final class ProviderDirectory: Sendable {
    /// In the order of the configuration.
    package let all: [Provider]
    private let providers: [String: (provider: Provider, keys: IssuerKeys)]
    private let clock: @Sendable () -> Timestamp

    /// - Parameter warn: is called when the keys of a provider become unavailable, with its name and the reason.
    package init(
        _ providers: [Provider] = [], clock: @escaping @Sendable () -> Timestamp,
        warn: @escaping @Sendable (_ provider: String, _ reason: String) -> Void = { _, _ in },
        fetch: @escaping ProviderFetch
    ) {
        self.clock = clock
        all = providers
        self.providers = Dictionary(
            providers.map { provider in
                let keys = IssuerKeys(provider, clock: clock, warn: { warn(provider.name, $0) }, fetch: fetch)
                return (provider.name, (provider, keys))
            },
            uniquingKeysWith: { $1 })
    }

    /// No providers.
    package static let none = ProviderDirectory(clock: { Timestamp(milliseconds: 0) }, fetch: { _ in [] })

    /// Where web pages send people to sign in.
    package struct SignIn: Sendable {
        package let name: String
        package let clientID: String
        package let authorizationEndpoint: String
    }

    /// The sign-ins in the order of the configuration, without providers that could not be reached within the last day.
    package func signIns() async -> [SignIn] {
        await withTaskGroup(of: (String, SignIn?).self) { group in
            for (provider, keys) in providers.values {
                group.addTask {
                    let endpoint = await keys.authorizationEndpoint()
                    let signIn = endpoint.map {
                        SignIn(name: provider.name, clientID: provider.webClientID, authorizationEndpoint: $0)
                    }
                    return (provider.name, signIn)
                }
            }
            var found: [String: SignIn] = [:]
            for await (name, signIn) in group { found[name] = signIn }
            return all.compactMap { found.removeValue(forKey: $0.name) }
        }
    }

    /// Verifies a token and returns its identity.
    /// - Parameter nonce: the nonce of the client's request for the token.
    /// - Throws: ``AccessError/unknownProvider``, ``AccessError/tokenInvalid(_:)``, ``AccessError/providerUnavailable``.
    package func identity(
        provider name: String, token text: String, nonce: String?
    ) async throws -> ProvenIdentity {
        guard let (provider, keys) = providers[name] else { throw AccessError.unknownProvider }
        // On a thread of the pool: parsing and verifying a token must not block the caller's event loop.
        return try await Task.detached { [clock] in
            let token = try SignedToken(text, .idToken)
            try await Self.verify(token, by: keys)
            return try ProvenIdentity(
                token.claims, of: provider, named: keys.name, nonce: nonce, now: clock(), digest: token.digest)
        }.value
    }

    /// Verifies what Apple tells about a person.
    /// - Throws: ``AccessError/notificationInvalid(_:)``, ``AccessError/providerUnavailable``.
    package func notification(_ text: String) async throws -> AppleNotification {
        // As above.
        try await Task.detached { [clock, providers] in
            do {
                let token = try SignedToken(text, .notification)
                let audiences = token.audiences
                let addressee = providers.values.first { provider, _ in
                    provider.isApple && !audiences.isEmpty && audiences.allSatisfy(provider.clientIDs.contains)
                }
                guard let (provider, keys) = addressee else {
                    throw AccessError.tokenInvalid("It is meant for another client.")
                }
                try await Self.verify(token, by: keys)
                return try AppleNotification(token.claims, of: provider, named: keys.name, now: clock())
            } catch AccessError.tokenInvalid(let reason) {
                throw AccessError.notificationInvalid(reason)
            }
        }.value
    }

    private static func verify(_ token: SignedToken, by keys: IssuerKeys) async throws {
        let key: SignatureKey?
        do {
            key = try await keys.key(named: token.keyID, for: token.algorithm)
        } catch is IssuerKeys.Unavailable {
            throw AccessError.providerUnavailable
        }
        guard let key, token.isSigned(by: key) else {
            throw AccessError.tokenInvalid("Its signature is of no key of the issuer.")
        }
    }
}
