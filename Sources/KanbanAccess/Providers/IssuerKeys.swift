import Crypto
import JSON
import Kanban
import Locks

/// Fetches an address of a provider.
package typealias ProviderFetch = @Sendable (_ url: String) async throws -> [UInt8]

/// The public keys of an issuer and what else its discovery document tells, cached for an hour. Concurrent callers wait for one
/// fetch.
final class IssuerKeys: Sendable {
    /// The keys are not available.
    struct Unavailable: Error {}

    /// The issuer's documents lack something.
    private struct Unusable: Error, CustomStringConvertible {
        let description: String
    }

    fileprivate struct Key: Sendable {
        var id: String?
        var key: SignatureKey
    }

    private struct Found {
        var name: String
        var authorizationEndpoint: String?
        var keys: [Key]
    }

    fileprivate struct State {
        var keys: [Key] = []
        /// What the issuer calls itself.
        var name: String?
        /// Where people sign in; `nil` if the issuer names no address that may be used.
        var authorizationEndpoint: String?
        var fetchedAt: Timestamp?
        var failedAt: Timestamp?
        /// When an unknown key was last looked for.
        var soughtAt: Timestamp?
        var running: Task<Bool, Never>?
    }

    /// How long cached keys are fresh.
    private static let lifetime: Duration = .seconds(3600)
    /// How long cached keys are used when newer ones cannot be fetched.
    private static let maximumAge: Duration = .seconds(86_400)
    /// The pause between two fetches for an unknown key.
    private static let pauseOfSeeking: Duration = .seconds(60)
    /// The pause after a failure.
    private static let pauseOfTrying: Duration = .seconds(1)
    private static let most = 100

    private let provider: Provider
    private let fetch: ProviderFetch
    private let clock: @Sendable () -> Timestamp
    private let warn: @Sendable (_ reason: String) -> Void
    private let state = Locked(State())

    /// - Parameter warn: is called with the reason of the first failure after a success.
    init(
        _ provider: Provider, clock: @escaping @Sendable () -> Timestamp,
        warn: @escaping @Sendable (_ reason: String) -> Void, fetch: @escaping ProviderFetch
    ) {
        self.provider = provider
        self.clock = clock
        self.warn = warn
        self.fetch = fetch
    }

    /// The key with this name, or without a name the only key of the algorithm; `nil` when there is none.
    /// - Throws: ``Unavailable``.
    func key(named id: String?, for algorithm: SignatureKey.Algorithm) async throws -> SignatureKey? {
        let now = clock()
        let (known, age) = state.withLock { ($0.find(id, algorithm), $0.fetchedAt.map { now - $0 }) }
        let isFresh = age.map { (.zero..<Self.lifetime).contains($0) } ?? false
        if let known, isFresh { return known }
        // An unknown key is looked for once a minute while the cache is fresh; an old or missing cache is fetched
        // again.
        let mayFetch = state.withLock { state in
            guard isFresh else { return Self.isOver(Self.pauseOfTrying, since: state.failedAt, at: now) }
            guard state.running == nil else { return true }
            guard Self.isOver(Self.pauseOfSeeking, since: state.soughtAt, at: now) else { return false }
            state.soughtAt = now
            return true
        }
        if mayFetch, await refresh() { return state.withLock { $0.find(id, algorithm) } }
        if let known, let age, age < Self.maximumAge { return known }
        if isFresh, !mayFetch { return nil }
        throw Unavailable()
    }

    /// What the issuer calls itself, with or without a slash at the end of what it is configured as; known once a key is.
    var name: String { state.withLock { $0.name } ?? provider.issuer }

    /// Where people sign in; `nil` if the issuer names no address, or could not be reached within the last day.
    func authorizationEndpoint() async -> String? {
        let now = clock()
        let (age, mayFetch) = state.withLock { state in
            (state.fetchedAt.map { now - $0 }, Self.isOver(Self.pauseOfTrying, since: state.failedAt, at: now))
        }
        if age.map({ (.zero..<Self.lifetime).contains($0) }) != true, mayFetch, await refresh() {
            return state.withLock { $0.authorizationEndpoint }
        }
        return age.map { $0 < Self.maximumAge } == true ? state.withLock { $0.authorizationEndpoint } : nil
    }

    /// Also where the clock was set back since: else nobody would sign in until it has caught up.
    private static func isOver(_ pause: Duration, since time: Timestamp?, at now: Timestamp) -> Bool {
        time.map { !(.zero..<pause).contains(now - $0) } ?? true
    }

    /// - Returns: false when the keys are not available.
    private func refresh() async -> Bool {
        let task = state.withLock { state in
            if let running = state.running { return running }
            // Not a child of the request's task: other requests wait for the same answer.
            let task = Task { await self.load() }
            state.running = task
            return task
        }
        return await task.value
    }

    private func load() async -> Bool {
        do {
            let found = try await askIssuer()
            let now = clock()
            state.withLock { state in
                state.running = nil
                state.name = found.name
                state.authorizationEndpoint = found.authorizationEndpoint
                state.keys = found.keys
                state.fetchedAt = now
                state.failedAt = nil
            }
            return true
        } catch {
            // After any error the keys are not available.
            let now = clock()
            let isFirst = state.withLock { state in
                state.running = nil
                defer { state.failedAt = now }
                return state.failedAt == nil
            }
            if isFirst { warn("\(error)") }
            return false
        }
    }

    /// Reads the discovery document (OpenID Connect Discovery §4), and the keys that it names.
    private func askIssuer() async throws -> Found {
        let issuer = provider.issuer
        let document = try JSON(parsing: try await fetch("\(issuer)/.well-known/openid-configuration"))
        guard let name = document["issuer"]?.stringValue, name == issuer || name == issuer + "/" else {
            throw Unusable(description: "the discovery document names another issuer")
        }
        guard let address = document["jwks_uri"]?.stringValue, provider.mayName(address) else {
            throw Unusable(description: "the discovery document names no address of keys that may be used")
        }
        let endpoint = document["authorization_endpoint"]?.stringValue.flatMap { provider.mayName($0) ? $0 : nil }
        let set = try JSON(parsing: try await fetch(address))
        guard let entries = set["keys"]?.arrayValue else { throw Unusable(description: "there is no list of keys") }
        return Found(
            name: name, authorizationEndpoint: endpoint, keys: entries.prefix(Self.most).compactMap(Self.key))
    }

    /// `nil` for a key of another kind or for another use (RFC 7517 §4).
    private static func key(_ entry: JSON) -> Key? {
        guard entry["use"].map({ $0.stringValue == "sig" }) ?? true else { return nil }
        func bytes(_ member: String) -> [UInt8]? {
            entry[member]?.stringValue.flatMap { ByteText.bytes(base64URL: $0) }
        }
        let key: SignatureKey?
        switch entry["kty"]?.stringValue {
        case "RSA":
            guard let modulus = bytes("n"), let exponent = bytes("e") else { return nil }
            key = SignatureKey(rsaModulus: modulus, exponent: exponent)
        case "EC" where entry["crv"]?.stringValue == "P-256":
            guard let x = bytes("x"), let y = bytes("y") else { return nil }
            key = SignatureKey(p256X: x, y: y)
        default:
            return nil
        }
        guard let key, entry["alg"].map({ $0.stringValue == key.algorithm.rawValue }) ?? true else { return nil }
        return Key(id: entry["kid"]?.stringValue, key: key)
    }
}

extension IssuerKeys.State {
    fileprivate func find(_ id: String?, _ algorithm: SignatureKey.Algorithm) -> SignatureKey? {
        let suitable = keys.filter { $0.key.algorithm == algorithm && (id == nil || $0.id == id) }
        return suitable.count == 1 ? suitable[0].key : nil
    }
}
