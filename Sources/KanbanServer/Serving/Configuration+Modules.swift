import Crypto
import Fetch
import Foundation
import HTTP
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanRows
import KanbanSQLite
import Mail
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Configuration {
    /// Descriptors for the data, the loops, the log and Dispatch, doubled.
    private static let ownDescriptors = 48

    /// The limits of the HTTP server.
    var limits: Limits {
        var limits = Limits()
        limits.idleTime = idleTimeout
        limits.heldBytes = memoryBudget
        // Without free descriptors Dispatch ends the process and reads of the data fail: connections get only those
        // that the rest of the server does not need.
        let descriptors = Descriptor.raiseLimit()
        limits.refusedAtOnce = min(limits.refusedAtOnce, descriptors / 8)
        let spare = limits.refusedAtOnce + Self.ownDescriptors + metricsDescriptors
        limits.connections = max(1, min(maxConnections, descriptors - spare))
        let isLimited = effectiveAuth == .required && connectionsPerAddress > 0
        // With few descriptors, one client gets at most half of the connections.
        limits.connectionsPerAddress = isLimited ? max(1, min(connectionsPerAddress, limits.connections / 2)) : nil
        limits.isShared = { [proxies] in proxies.isTrusted($0.host) }
        return limits
    }

    /// The gate and the accounts. Open mode has one account, too, which can be shown.
    func access(
        to store: any ServedStore, notifier: ChangeNotifier, outbox: Outbox, log: Log
    ) -> (gate: any Gate, accounts: AccessService) {
        let crossOrigin = CrossOrigin(origins: corsOrigins)
        let verifier = TokenVerifier(store: store) { notifier.notify($0) }
        // Perhaps the command line ended an account or a token: all open streams check theirs.
        (store as? FileStore)?.whenOthersWrite {
            verifier.forgetAll()
            notifier.notifyAll()
        }
        let fetcher = Fetcher(
            timeout: Self.patienceWithProviders, limit: Self.longestProviderAnswer, authorities: oidcAuthorities)
        let providers = ProviderDirectory(oidc, clock: Timestamp.system) { provider, reason in
            log.warning("the keys of a sign-in provider cannot be fetched", ["provider": provider, "reason": reason])
        } fetch: {
            try await fetcher.get($0)
        }
        let onMail: (@Sendable () -> Void)? = if let mails = outbox.mails { { mails.wake() } } else { nil }
        let accounts = AccessService(
            store: store, verifier: verifier, policy: signUp, providers: providers, clock: Timestamp.system,
            onMail: onMail, apple: outbox.apple, onRevocation: { outbox.revocations?.wake() }, quota: quota,
            hasRoom: hasRoomForAccounts)
        switch effectiveAuth {
        case .open:
            return (OpenGate(requiresLoopbackHost: isLoopback, crossOrigin: crossOrigin), accounts)
        case .required:
            let limit = rateLimit == 0 ? nil : RateLimit(perSecond: rateLimit, burst: rateBurst)
            return (
                AccountGate(
                    verifier: verifier, limit: limit, crossOrigin: crossOrigin, proxies: proxies,
                    clock: Timestamp.system), accounts
            )
        }
    }

    /// True if the disk has more left than its reserve. The disk of a database is its own operator's.
    private var hasRoomForAccounts: @Sendable () -> Bool {
        guard database == nil, diskReserve > 0 else { return { true } }
        return { [data, diskReserve] in DurableFile.freeBytes(at: data).map { $0 >= diskReserve } ?? true }
    }

    /// The proxies of `--trusted-proxy`, whose syntax was checked.
    var proxies: TrustedProxies { TrustedProxies(trustedProxies.compactMap { AddressBlock($0) }) }

    private static let patienceWithProviders = Duration.seconds(5)
    /// Bytes. Keys of issuers take some thousands.
    private static let longestProviderAnswer = 256 << 10

    /// The sender of mails, if a mail server is configured.
    /// - Parameter site: the public address of the server.
    func mailQueue(for store: any ServedStore, site: @escaping @Sendable () -> String, log: Log) -> MailQueue? {
        guard let mailURL else { return nil }
        let server = MailServer(url: mailURL, startTLS: mailStartTLS, authorities: mailAuthorities)
        let sender = mailFrom ?? "kanbase@\(publicURL.flatMap { URL(string: $0)?.host } ?? "localhost")"
        return MailQueue(store: store, site: site, zone: Zone(name: timeZone) ?? .utc, clock: Timestamp.system) {
            delivery in
            let message = EmailMessage(
                from: sender, to: delivery.recipient, subject: delivery.subject, text: delivery.text,
                unsubscribe: delivery.unsubscribe)
            try await server.send(
                message, at: Int(Timestamp.system().milliseconds / 1000),
                identifier: ByteText.base32(SecureRandom.bytes(15)))
        } mayRun: {
            try await store.takeLease("mail")
        } warn: { message, reason in
            log.warning(message, ["reason": reason])
        }
    }

    /// The weather service.
    var weather: WeatherService? {
        weatherURL.flatMap { URL(string: $0) }.map { WeatherService(service: $0, clock: Timestamp.system) }
    }

    /// The public address of the server for links, without a `/` at its end.
    func site(listeningOn address: String) -> String {
        let site = publicURL ?? address
        return site.hasSuffix("/") ? String(site.dropLast()) : site
    }

    /// The quota of accounts; `nil` in open mode.
    var quota: Quota? {
        effectiveAuth == .required ? Quota(bytes: Int64(accountBytes), tasks: Int64(accountTasks)) : nil
    }

    /// The retention times of the store.
    var storeConfiguration: FileStoreConfiguration {
        var store = FileStoreConfiguration()
        store.retention.trashDays = trashDays
        store.retention.tombstoneDays = tombstoneDays
        store.retention.historyDays = historyDays
        return store
    }
}

extension DataDirectory {
    /// Opens the data; creates or migrates it as needed.
    /// - Throws: ``ExitCode/damagedData``, ``ExitCode/inputOutput``.
    func openStore(_ configuration: FileStoreConfiguration) throws -> FileStore {
        do {
            return try FileStore(
                in: path, configuration: configuration, clock: Timestamp.system, random: { SecureRandom.uint64() })
        } catch let error as StoreError {
            throw Failure(error, in: path)
        }
    }
}

extension Failure {
    /// The message and the exit code of a store that cannot be opened.
    init(_ error: StoreError, in place: String) {
        switch error {
        case .corrupt(let detail):
            self.init(.damagedData, "The data in \(place) is damaged: \(detail). 'kanbase check' tells more.")
        case .newer(let version):
            self.init(
                .damagedData,
                "The data in \(place) has the format \(version) of a newer Kanbase, and is left as it is.")
        case .full: self.init(.inputOutput, "There is no room left for the data in \(place).")
        case .io(let detail): self.init(.inputOutput, "The data in \(place) cannot be used: \(detail).")
        case .quotaExceeded: self.init(.inputOutput, "The account would take more than it may.")
        case .moved(let detail):
            self.init(.inputOutput, "The data in \(place) is not in its place: \(detail).")
        case .away(let detail), .unsettled(let detail):
            self.init(.unavailable, "The data in \(place) cannot be reached: \(detail).")
        case .noAccount: self.init(.noInput, "There is no such account in \(place).")
        // No command states needs.
        case .accessChanged: self.init(.internalFault, "An access to the data in \(place) ended.")
        // No command reads beside requests.
        case .busy, .tooLong: self.init(.internalFault, "The data in \(place) is busy.")
        case .closed: self.init(.internalFault, "The data in \(place) was closed too early.")
        }
    }
}

extension Timestamp {
    /// The clock of the system.
    @Sendable static func system() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
