import Crypto
import Fetch
import Foundation
import HTTP
import JSON
import Kanban
import KanbanAccess
import Locks
import Sockets
import TestSupport
import Testing

@testable import KanbanAPI

/// The API under `--auth required`, at a time that the test sets; behind sockets of several servers if
/// `KANBASE_TEST_SERVERS` says so, see ``TestServers``.
final class AccessBoard: ServedBoard {
    /// Fast enough for a test.
    static let cheap = KeyDerivation.scrypt(logCost: 4, blockSize: 8, parallelism: 3)

    let servers: TestServers
    /// Those of the first server.
    let accounts: AccessService
    let clock: TestClock
    let observer = TestObserver()
    let mailQueue: MailQueue
    /// `nil` without a key of Apple's.
    let revocations: RevocationQueue?
    /// What was said about Apple.
    let warnings = Locked<[String]>([])
    private let mails = Locked<[MailQueue.Delivery]>([])
    /// How often something of an account ended.
    let endings: Endings

    init(
        in home: TestHome? = nil, limit: RateLimit? = nil, policy: SignUpPolicy = .open,
        isMailOn: Bool = true, oidc: [Provider] = [], authorities: String? = nil, appleKey: AppleKey? = nil,
        crossOrigin: CrossOrigin = CrossOrigin(), derivation: KeyDerivation = AccessBoard.cheap,
        routes: [Route] = Routes.all, quota: Quota? = nil,
        push: ((any TestedStore, @escaping @Sendable () -> Timestamp) throws -> PushService)? = nil,
        hasRoom: @escaping @Sendable () -> Bool = { true }
    ) throws {
        let home = try home ?? TestHome()
        let clock = TestClock(try #require(Timestamp(rfc3339: "2026-11-20T08:19:00.123Z")).milliseconds)
        self.clock = clock
        let endings = Endings()
        self.endings = endings
        let start = ContinuousClock.now
        // The same distance from the start as the wall clock's, so that one advance moves both.
        let wallStart = clock.now
        let instant: @Sendable () -> ContinuousClock.Instant = {
            start + .milliseconds(clock.now.milliseconds - wallStart.milliseconds)
        }
        let opened = try home.open(quota: quota, clock: { clock.now })
        let store = opened[0].store
        let mails = mails
        mailQueue = MailQueue(store: store, site: { "https://kanbase.example.org" }, clock: { clock.now }) { delivery in
            mails.withLock { $0.append(delivery) }
        }
        let fetcher = Fetcher(timeout: .seconds(60), limit: 1 << 16, authorities: authorities)
        let onMail: (@Sendable () -> Void)? = if isMailOn { {} } else { nil }
        let warnings = warnings
        let observer = observer
        let apple = appleKey.map { key in
            AppleService(key: key, providers: oidc, clock: { clock.now }) { url, form, patience in
                try await fetcher.post(url, form, within: patience)
            } warn: { message, reason in
                warnings.withLock { $0.append("\(message): \(reason)") }
            }
        }
        revocations = apple.map { RevocationQueue(store: store, apple: $0, clock: { clock.now }) }
        let server = { (store: any Store & AccessStore, notifier: ChangeNotifier, push: PushService?) in
            let verifier = TokenVerifier(store: store) {
                endings.note($0)
                notifier.notify($0)
            }
            let providers = ProviderDirectory(oidc, clock: { clock.now }) { try await fetcher.get($0) }
            let accounts = AccessService(
                store: store, verifier: verifier, policy: policy, providers: providers, clock: { clock.now },
                onMail: onMail, apple: apple, quota: quota, hasRoom: hasRoom, derivation: derivation, instant: instant)
            var environment = Environment(
                store: store, accounts: accounts, clock: { clock.now }, memory: .forServers(over: store),
                notifier: notifier)
            environment.quota = quota
            environment.push = push
            let gate = AccountGate(
                verifier: verifier, limit: limit, crossOrigin: crossOrigin,
                // Requests over sockets name their client so.
                proxies: TrustedProxies(SharedServers.count == 0 ? [] : [AddressBlock("127.0.0.1")].compactMap { $0 }),
                clock: { clock.now }, instant: instant)
            let application = Application(environment: environment, gate: gate, routes: routes, observer: observer)
            return (application: application, accounts: accounts)
        }
        let made = try opened.map { opened in
            server(opened.store, opened.notifier, try push?(opened.store) { clock.now })
        }
        accounts = made[0].accounts
        servers = try TestServers(at: home, made.map(\.application), over: opened.map(\.store)) {
            server($0, opened[0].notifier, nil).application
        }
    }

    /// Sends a request and waits for its answer.
    /// - Parameters:
    ///   - body: JSON text.
    ///   - bytes: a body that is no text.
    @discardableResult
    func send(
        _ method: HTTP.Method, _ target: String, _ body: String? = nil, token: String? = nil,
        headers: [(name: String, value: String)] = [], bytes: [UInt8]? = nil, from peer: String = "192.0.2.1",
        isRemote: Bool = false
    ) async -> Answer {
        var fields: [(name: String, value: String)] = [("Host", "kanbase.example.org")] + headers
        if let token { fields.append(("Authorization", "Bearer \(token)")) }
        if body != nil { fields.append(("Content-Type", "application/json")) }
        let request = TestRequest(
            method: method, target: target, fields: fields, body: bytes ?? Array((body ?? "").utf8), peer: peer)
        guard isRemote else { return await servers.answer(to: request) }
        return Answer(await servers.remoteResponse(to: request).collected())
    }

    /// Sends what waits, once it is due.
    /// - Returns: the mails since the last time, in any order: several are delivered at once.
    func newMails() async throws -> [MailQueue.Delivery] {
        clock.advance(seconds: MailJob.Kind.passwordReset.delay.components.seconds)
        _ = try await mailQueue.sendDue()
        return mails.withLock { mails in
            defer { mails = [] }
            return mails
        }
    }

    @discardableResult
    func signUp(_ email: String, password: String = "correct horse", from peer: String = "192.0.2.1") async -> Answer {
        await send(.post, "/accounts", "{\"email\": \"\(email)\", \"password\": \"\(password)\"}", from: peer)
    }

    @discardableResult
    func logIn(_ email: String, password: String = "correct horse", from peer: String = "192.0.2.1") async -> Answer {
        await send(.post, "/sessions", "{\"email\": \"\(email)\", \"password\": \"\(password)\"}", from: peer)
    }

    /// Makes an account and logs in.
    func person(_ email: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> Person {
        try #require(await signUp(email).status == 201, sourceLocation: sourceLocation)
        let answer = await logIn(email)
        return Person(
            email: email, token: try #require(answer.json["token"]?.stringValue, sourceLocation: sourceLocation),
            session: try #require(answer.json["session"]?["id"]?.stringValue, sourceLocation: sourceLocation))
    }

    /// Proves the person's address by the code of the mail that waits.
    func prove(_ person: Person, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let mail = try await newMails().first { $0.recipient == person.email }
        let code = try #require(mail?.code, sourceLocation: sourceLocation)
        let answer = await send(
            .post, "/account/email-verification", "{\"code\": \"\(code)\"}", token: person.token)
        #expect(answer.status == 204, sourceLocation: sourceLocation)
    }

    struct Person {
        var email: String
        var token: String
        /// The id of the session.
        var session: String
    }
}

final class Endings: Sendable {
    private let accounts = Locked<[AccountKey]>([])

    func note(_ account: AccountKey) { accounts.withLock { $0.append(account) } }

    var count: Int { accounts.withLock { $0.count } }
}
