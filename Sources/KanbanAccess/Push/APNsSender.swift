import Crypto
import JSON
import Kanban
import Locks

/// Sends to Apple's push service, over HTTP/2 and with a token that the team's key signs.
package struct APNsSender: Sendable {
    private let addresses: [APNsTarget.Environment: String]
    package let topics: [String]
    private let tokens: ProviderTokens
    private let post: PushSenders.Post
    private let warn: @Sendable (_ message: String, _ reason: String) -> Void

    /// - Parameter address: of a stand-in for both environments; `nil`: Apple's.
    package init(
        topics: [String], tokens: ProviderTokens, address: String?, post: @escaping PushSenders.Post,
        warn: @escaping @Sendable (_ message: String, _ reason: String) -> Void = { _, _ in }
    ) {
        self.topics = topics
        self.tokens = tokens
        self.post = post
        self.warn = warn
        addresses =
            address.map { [.production: $0, .sandbox: $0] } ?? [
                .production: "https://api.push.apple.com", .sandbox: "https://api.sandbox.push.apple.com",
            ]
    }

    func send(_ payload: [UInt8], of job: PushJob, to target: APNsTarget, at now: Timestamp) async throws -> PushAnswer
    {
        let first = try await ask(payload, job, target, in: target.environment)
        guard first.status == 400, first.reason == "BadDeviceToken" else { return try answer(first) }
        // One wrong setting of an app must not erase its devices.
        let other = target.environment.other
        let second = try await ask(payload, job, target, in: other)
        if second.status == 200 { return .taken(environment: other) }
        guard second.status == 400, second.reason == "BadDeviceToken" else { return try answer(second) }
        return .refused("APNs answered 400 BadDeviceToken", pauses: true)
    }

    private func answer(_ answer: (status: Int, reason: String)) throws -> PushAnswer {
        let words = "APNs answered \(answer.status) \(answer.reason)"
        switch answer.status {
        case 200: return .taken()
        case 410: return .gone
        case 400, 404, 405, 413: return .refused(words)
        default: throw PushUnavailable(description: words)
        }
    }

    private func ask(
        _ payload: [UInt8], _ job: PushJob, _ target: APNsTarget, in environment: APNsTarget.Environment
    ) async throws -> (status: Int, reason: String) {
        let token = try await tokens.current()
        let answer = try await ask(payload, job, target, in: environment, token: token)
        guard answer.status == 403, answer.reason == "ExpiredProviderToken" else { return answer }
        warn(
            "Apple finds the token of this server too old: a new one is made once",
            "the clock of this machine says \(tokens.clock())")
        guard let new = try await tokens.replacement(of: token) else { return answer }
        return try await ask(payload, job, target, in: environment, token: new)
    }

    private func ask(
        _ payload: [UInt8], _ job: PushJob, _ target: APNsTarget, in environment: APNsTarget.Environment, token: String
    ) async throws -> (status: Int, reason: String) {
        let (kind, priority) = job.cause == .wake ? ("background", 5) : ("alert", 10)
        let answer = try await post(
            PushRequest(
                url: "\(addresses[environment] ?? "")/3/device/\(target.token)",
                headers: [
                    "authorization: bearer \(token)", "apns-topic: \(target.topic)", "apns-push-type: \(kind)",
                    "apns-priority: \(priority)", "apns-expiration: \(job.end.milliseconds / 1000)",
                    "apns-collapse-id: \(job.notificationID)", "content-type: application/json",
                ], body: payload, isHTTP2: true))
        // `try?`: an answer that does not parse says no more than its status.
        let reason = (try? JSON(parsing: answer.body))?["reason"]?.stringValue ?? ""
        let isWord = reason.utf8.count <= 60 && reason.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
        return (answer.status, isWord ? reason : "")
    }
}

/// The tokens with which a team speaks to APNs: one a key, which all servers over one database share, for Apple refuses
/// teams that sign many.
package final class ProviderTokens: Sendable {
    /// Apple takes one for an hour, and allows no new one within 20 minutes.
    private static let renewal: Duration = .seconds(45 * 60)
    private static let shortest: Duration = .seconds(20 * 60)

    private let store: any AccessStore
    private let team: String
    private let id: String
    private let key: PrivateSignatureKey
    let clock: @Sendable () -> Timestamp
    private let state = Locked((token: "", madeAt: Timestamp(milliseconds: 0), replacedAt: Timestamp?.none))

    package init(
        store: any AccessStore, team: String, id: String, key: PrivateSignatureKey,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.store = store
        self.team = team
        self.id = id
        self.key = key
        self.clock = clock
    }

    func current() async throws -> String {
        let now = clock()
        let known = state.withLock { $0 }
        if !known.token.isEmpty, isFresh(known.madeAt, at: now) { return known.token }
        return try await shared(at: now) { self.isFresh($0.madeAt, at: now) }
    }

    /// A new token in the place of one that Apple finds too old.
    /// - Returns: `nil` when that was done a short time ago.
    func replacement(of token: String) async throws -> String? {
        let now = clock()
        let mayReplace = state.withLock { state in
            guard state.replacedAt.map({ now - $0 > Self.shortest }) ?? true else { return false }
            state.replacedAt = now
            return true
        }
        guard mayReplace else { return nil }
        return try await shared(at: now) { String(decoding: $0.value, as: UTF8.self) != token }
    }

    private func isFresh(_ madeAt: Timestamp, at now: Timestamp) -> Bool {
        // One of the future comes from a clock that was wrong.
        madeAt <= now && now - madeAt < Self.renewal
    }

    /// The token of the database, or a new one there.
    private func shared(
        at now: Timestamp, _ isGood: @escaping @Sendable (ServerKey) -> Bool
    ) async throws -> String {
        let new = sign(at: now)
        let name = "apns-token \(team) \(id)"
        let key = try await store.writeAccess { writer in
            if let known = try writer.serverKey(name), isGood(known) { return known }
            let key = ServerKey(name: name, value: Array(new.utf8), madeAt: now)
            try writer.save(key)
            return key
        }
        let token = String(decoding: key.value, as: UTF8.self)
        state.withLock {
            $0.token = token
            $0.madeAt = key.madeAt
        }
        return token
    }

    private func sign(at now: Timestamp) -> String {
        var claims = JSONWriter(capacity: 64)
        claims.beginObject()
        claims.name("iss")
        claims.value(team)
        claims.name("iat")
        claims.value(now.milliseconds / 1000)
        claims.endObject()
        // An identifier has letters and digits alone.
        return key.token(head: #"{"alg":"ES256","kid":"\#(id)"}"#, claims: claims.bytes)
    }
}
