import Crypto
import JSON
import Kanban

/// What a push service said to a notification.
package enum PushAnswer: Hashable, Sendable {
    /// - Parameter environment: the other one of APNs, when it was that of the device.
    case taken(environment: APNsTarget.Environment? = nil)
    /// The device no longer exists.
    case gone
    /// It never takes this one.
    /// - Parameter pauses: nor any other for the device.
    case refused(String, pauses: Bool = false)
}

/// A push service answered, but has no time or does not know this server.
struct PushUnavailable: Error, CustomStringConvertible {
    let description: String
}

/// A request to a push service.
package struct PushRequest: Sendable {
    package var url: String
    /// `name: value`.
    package var headers: [String]
    package var body: [UInt8]
    package var isHTTP2: Bool
}

/// The ways to devices that this server has.
package struct PushSenders: Sendable {
    package enum Content: String, Sendable, CaseIterable {
        /// The task's id alone: neither Apple nor a push service sees what it is about.
        case ids
        case title
    }

    /// - Returns: the status, and the body.
    package typealias Post = @Sendable (PushRequest) async throws -> (status: Int, body: [UInt8])

    let apns: APNsSender?
    let webPush: WebPushSender?
    let content: Content
    /// Of accounts that have chosen none.
    let zone: Zone
    let clock: @Sendable () -> Timestamp

    package init(
        apns: APNsSender?, webPush: WebPushSender?, content: Content, zone: Zone,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.apns = apns
        self.webPush = webPush
        self.content = content
        self.zone = zone
        self.clock = clock
    }

    func canSend(to target: PushDevice.Target) -> Bool {
        switch target {
        case .apns(let target): apns?.topics.contains(target.topic) ?? false
        case .webPush(let target): webPush?.services.knows(target.endpoint) ?? false
        }
    }

    func send(_ delivery: PushWork.Delivery) async throws -> PushAnswer {
        switch delivery.device.target {
        case .apns(let target):
            guard let apns else { return .refused("the server has no key of Apple's any more") }
            return try await apns.send(payload(of: delivery, forApple: true), of: delivery.job, to: target, at: clock())
        case .webPush(let target):
            guard let webPush else { return .refused("Web Push was turned off") }
            return try await webPush.send(
                payload(of: delivery, forApple: false), of: delivery.job, to: target, at: clock())
        }
    }

    /// What the app, or the page's worker, gets to read.
    private func payload(of delivery: PushWork.Delivery, forApple: Bool) -> [UInt8] {
        // Apple takes nothing beside it in the background.
        if delivery.job.cause == .wake { return Array(#"{"aps":{"content-available":1}}"#.utf8) }
        let words = delivery.device.locale ?? .en
        let title = content == .title && !delivery.title.isEmpty ? delivery.title : words.reminder
        var json = JSONWriter(capacity: 512)
        json.beginObject()
        if forApple {
            json.name("aps")
            json.beginObject()
            json.name("alert")
            json.beginObject()
            json.name("title")
            json.value(title)
            json.endObject()
            json.name("sound")
            json.value("default")
            // An extension of the app puts the title in from the device.
            json.name("mutable-content")
            json.value(Int64(1))
            json.endObject()
        } else {
            json.name("title")
            json.value(title)
        }
        json.name("kind")
        json.value(delivery.job.cause == .test ? "test" : "reminder")
        json.name("notificationId")
        json.value(delivery.job.notificationID)
        if case .reminder(let task, let alarm) = delivery.job.cause {
            json.name("taskId")
            json.value(task.description)
            json.name("fireAt")
            json.value(alarm.fireAt.description)
        }
        json.endObject()
        return json.bytes
    }
}

extension Language {
    fileprivate var reminder: String {
        switch self {
        case .ko: "알림"
        case .en: "Reminder"
        case .ja: "リマインダー"
        }
    }
}

extension Duration {
    var wholeSeconds: Int64 { max(0, components.seconds) }
}
