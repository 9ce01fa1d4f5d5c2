import Crypto
import Fetch
import Foundation
import Kanban
import KanbanAPI
import KanbanAccess

/// What notifies closed devices; there is none while every way to them is off.
struct Push: Sendable {
    let service: PushService
    let queue: PushQueue
    let planner: ReminderPlanner

    /// Plans and sends until the task is cancelled.
    func run() async {
        async let planning: Void = planner.run()
        async let sending: Void = queue.run()
        _ = await (planning, sending)
    }
}

extension Configuration {
    /// The longest answer of a push service.
    private static let longestAnswer = 16 << 10
    private static let patience = Duration.seconds(10)

    /// True if browsers can be reached: Apple's push service takes nothing from a server without a public address.
    var isWebPushOn: Bool { webPush.map { $0 == .on } ?? hasPublicHost }

    /// True if ``publicURL`` is an `https:` URL with a host that others can look up.
    var hasPublicHost: Bool {
        guard let url = publicURL.flatMap({ URLComponents(string: $0) }), url.scheme == "https",
            let host = url.host?.lowercased(), host.contains("."), !host.hasPrefix("["),
            host.split(separator: ".").last.map({ !$0.allSatisfy(\.isNumber) }) ?? false
        else { return false }
        return ![".localhost", ".invalid", ".local", ".internal"].contains { host.hasSuffix($0) }
    }

    /// - Throws: ``ExitCode/configuration`` for options that cannot work.
    func push(for store: any ServedStore, log: Log) async throws -> Push? {
        let warn: @Sendable (String, String) -> Void = { log.warning($0, ["reason": $1]) }
        let fetcher = Fetcher(
            timeout: Self.patience, limit: Self.longestAnswer, authorities: pushAuthorities)
        let post: PushSenders.Post = { request in
            try await fetcher.post(request.url, request.headers, request.body, isHTTP2: request.isHTTP2)
        }
        let apns = try apnsSender(for: store, post, warn)
        var webPush: WebPushSender?
        if isWebPushOn, let publicURL {
            webPush = try WebPushSender(
                await ServerKey.vapid(in: store), services: WebPushServices(webPushServices), subject: publicURL,
                post: post)
        }
        guard apns != nil || webPush != nil else { return nil }
        let zone = Zone(name: timeZone) ?? .utc
        let senders = PushSenders(
            apns: apns, webPush: webPush, content: pushContent, zone: zone, clock: Timestamp.system)
        let mayRun: @Sendable () async throws -> Bool = { try await store.takeLease("pushes") }
        let queue = PushQueue(store: store, senders: senders, mayRun: mayRun, warn: warn)
        let planner = ReminderPlanner(
            store: store, zone: zone, clock: Timestamp.system, mayRun: mayRun, onQueued: { queue.wake() }, warn: warn)
        return Push(
            service: PushService(store: store, senders: senders, onQueued: { queue.wake() }), queue: queue,
            planner: planner
        )
    }

    private func apnsSender(
        for store: any ServedStore, _ post: @escaping PushSenders.Post,
        _ warn: @escaping @Sendable (String, String) -> Void
    ) throws(Failure) -> APNsSender? {
        guard let apnsTeam, let apnsKeyID, let apnsKeyFile else { return nil }
        guard Transfer.hasHTTP2 else {
            throw Failure(.configuration, "--apns-key needs a libcurl with HTTP/2, which this machine has not.")
        }
        let key = try Self.privateKey(ofFile: apnsKeyFile, option: "apns-key", use: "Apple Push Notifications service")
        let tokens = ProviderTokens(store: store, team: apnsTeam, id: apnsKeyID, key: key, clock: Timestamp.system)
        return APNsSender(topics: apnsTopics, tokens: tokens, address: apnsURL, post: post, warn: warn)
    }
}
