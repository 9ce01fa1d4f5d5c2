import Crypto
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Devices that are notified of reminders while their app is closed.
package struct PushRoutes: Sendable {
    /// What the answer shows and only the server writes.
    private static let shown: Set = ["createdAt", "lastSuccessAt", "lastFailure"]

    package init() {}

    package var routes: [Route] {
        [
            Route(.get, "/push", "showPush", show),
            Route(.get, "/devices", "listDevices", list),
            Route(.put, "/devices/{id}", "putDevice", content: .json, put),
            Route(.patch, "/devices/{id}", "updateDevice", content: .mergePatch, update),
            Route(.delete, "/devices/{id}", "removeDevice", remove),
            Route(.post, "/devices/{id}/test", "testDevice", content: .optionalJSON, test),
        ]
    }

    /// What a device needs for its registration.
    private func show(_ call: Call) -> Response {
        let push = call.environment.push
        return .json { json in
            json.beginObject()
            json.name("webPush")
            if let key = push?.webPushKey {
                json.beginObject()
                json.name("publicKey")
                json.value(key)
                json.endObject()
            } else {
                json.null()
            }
            json.name("apns")
            if let topics = push?.topics {
                json.beginObject()
                json.name("topics")
                json.beginArray()
                for topic in topics { json.value(topic) }
                json.endArray()
                json.endObject()
            } else {
                json.null()
            }
            json.endObject()
        }
    }

    private func list(_ call: Call) async throws -> Response {
        let devices = try await call.environment.push?.devices(of: call.account) ?? []
        return .wholeList { json in
            for device in devices { json.value(device) }
        }
    }

    private func put(_ call: Call) async throws -> Response {
        let id = try call.deviceID()
        let session = try call.deviceSession()
        try call.requireNoTag()
        var members = try Members(call.json())
        members.requireID(id)
        let target = members.pushTarget()
        let locale = members.choice("locale", Language.allCases.map(\.rawValue)) { Language(rawValue: $0) }.value
        // What another kind has, and what the answer shows.
        try members.finish(ignoring: Self.shown.union(["topic", "environment"]))
        guard let target else { throw Problem(.internalError) }
        let push = try call.push()
        try await call.requireConditions(on: id, of: push)
        let (device, isNew) = try await push.put(
            PushDevice(
                id: id, account: call.account, session: session, target: target, locale: locale, createdAt: call.now))
        return .json(
            status: isNew ? 201 : 200, headers: isNew ? [("Location", "/devices/\(id)")] : []
        ) { $0.value(device) }
    }

    /// Takes what the device has scheduled by itself.
    private func update(_ call: Call) async throws -> Response {
        let id = try call.deviceID()
        let push = try call.push()
        try call.requireNoTag()
        var members = try Members(call.json())
        members.requireID(id)
        let planned = members.string("planned") { .success($0) }
        let (from, until) = (members.instant("from"), members.instant("until"))
        try members.finish(ignoring: Self.shown)
        let device: PushDevice
        switch planned {
        case .absent:
            guard let known = try await push.devices(of: call.account).first(where: { $0.id == id }) else {
                throw PushService.Fault.noDevice
            }
            device = known
        case .null: device = try await push.plan(nil, for: id, of: call.account)
        case .value(let cursor):
            let plan = SyncBody.Planned(device: id, cursor: cursor, from: from, until: until)
            device = try await push.plan(call.read(plan), for: id, of: call.account)
        }
        return .json { $0.value(device) }
    }

    private func remove(_ call: Call) async throws -> Response {
        let id = try call.deviceID()
        try call.requireNoTag()
        try await call.push().remove(id, of: call.account)
        return .noContent
    }

    private func test(_ call: Call) async throws -> Response {
        let id = try call.deviceID()
        if try call.hasJSON() { try Members.requireNone(in: call.json()) }
        try await call.push().test(id, of: call.account)
        return Response(status: 202)
    }
}

extension Call {
    /// - Throws: 404 `push_off` when this server notifies no device.
    fileprivate func push() throws -> PushService {
        guard let push = environment.push else { throw PushService.Fault.off }
        return push
    }

    /// A text that is not a UUID is a 404.
    fileprivate func deviceID() throws -> ID {
        guard let id = ID(request.parameter("id")) else {
            throw environment.push == nil ? PushService.Fault.off : .noDevice
        }
        return id
    }

    /// Checks the conditions of a registration: a device has no tag, so only `*` matches one that is registered. Two
    /// registrations of a device at once may both meet them, and are one device.
    fileprivate func requireConditions(on id: ID, of push: PushService) async throws {
        let (match, noneMatch) = (precondition.match, precondition.noneMatch)
        guard match != nil || noneMatch == .any else { return }
        let isThere = try await push.devices(of: account).contains { $0.id == id }
        guard isThere ? noneMatch != .any : match == nil else { throw Problem(.preconditionFailed) }
    }

    /// The session that a device is bound to; `nil` in open mode.
    fileprivate func deviceSession() throws -> ID? {
        guard let grant = caller.grant else { return nil }
        guard grant.kind == .session else { throw Problem(.sessionRequired) }
        return grant.id
    }

    fileprivate func read(_ planned: SyncBody.Planned) async throws -> PushPlan {
        try await read(aside: true) { reader in
            guard let cursor = try reader.cursor(planned.cursor) else { throw CursorError.malformed }
            return try PushPlan(cursor, from: planned.from, until: planned.until, reader, at: moment(reader))
        }
    }

    /// Stores the plan that a device reports with a push of edits. One of a device that is not registered, or of another
    /// history, is not a reason to refuse these.
    func take(_ planned: SyncBody.Planned?) async throws {
        guard let planned, let push = environment.push else { return }
        do {
            _ = try await push.plan(read(planned), for: planned.device, of: account)
        } catch PushService.Fault.noDevice {
        } catch CursorError.expired {
        }
    }
}

extension SyncBody.Planned {
    /// - Throws: ``CursorError/malformed``. One of another history is ignored later.
    func check(in reader: any BoardReader) throws {
        do { _ = try reader.cursor(cursor) } catch CursorError.expired {}
    }
}

extension Members {
    /// - Returns: `nil` with a fault.
    fileprivate mutating func pushTarget() -> PushDevice.Target? {
        let kind = choice("kind", ["apns", "webpush"]) { ["apns", "webpush"].contains($0) ? $0 : nil }
        require("kind", kind)
        switch kind.value {
        case "apns":
            let token = string("token") { text in
                let isToken =
                    (32...200).contains(text.utf8.count) && text.utf8.count % 2 == 0
                    && text.utf8.allSatisfy {
                        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20)
                    }
                return isToken
                    ? .success(text.lowercased())
                    : .failure(MemberFault(.invalidFormat, "must be the token that Apple gave, in hexadecimal digits."))
            }
            require("token", token)
            let topic = string("topic") { .success($0) }
            require("topic", topic)
            // "development" is how an app's entitlements call the sandbox.
            let environment = choice("environment", ["production", "sandbox", "development"]) { word in
                word == "development" ? .sandbox : APNsTarget.Environment(rawValue: word)
            }
            guard let token = token.value, let topic = topic.value else { return nil }
            return .apns(APNsTarget(token: token, topic: topic, environment: environment.value ?? .production))
        case "webpush":
            return subscription().map { .webPush($0) }
        default:
            return nil
        }
    }

    /// As `PushSubscription.toJSON()` of browsers writes it.
    private mutating func subscription() -> WebPushTarget? {
        let subscription = read("subscription") { json -> Result<WebPushTarget, MemberFault> in
            guard let endpoint = json["endpoint"]?.stringValue else {
                return .failure(MemberFault(.required, "must have an endpoint."))
            }
            func bytes(_ name: String) -> [UInt8]? {
                (json["keys"]?[name]?.stringValue).flatMap { text in
                    ByteText.bytes(base64URL: text.trimmingSuffix { $0 == "=" })
                }
            }
            guard let key = bytes("p256dh"), let secret = bytes("auth"), secret.count == 16,
                key.count == AgreementKey.pointLength, key[0] == 4,
                SignatureKey(p256X: Array(key[1..<33]), y: Array(key[33...])) != nil
            else {
                return .failure(
                    MemberFault(.invalidValue, "must have keys with p256dh and auth, as browsers make them."))
            }
            return .success(WebPushTarget(endpoint: endpoint, key: key, secret: secret))
        }
        require("subscription", subscription)
        return subscription.value
    }
}

extension StringProtocol {
    fileprivate func trimmingSuffix(_ isPart: (Character) -> Bool) -> SubSequence {
        var rest = self[...]
        while let last = rest.last, isPart(last) { rest.removeLast() }
        return rest
    }
}

extension JSONWriter {
    /// Without its token or endpoint, with which anybody could notify the device.
    fileprivate mutating func value(_ device: PushDevice) {
        beginObject()
        name("id")
        value(device.id)
        name("kind")
        switch device.target {
        case .apns(let target):
            value("apns")
            name("topic")
            value(target.topic)
            name("environment")
            value(target.environment.rawValue)
        case .webPush:
            value("webpush")
            name("topic")
            null()
            name("environment")
            null()
        }
        name("locale")
        value(device.locale?.rawValue)
        name("createdAt")
        value(device.createdAt)
        name("lastSuccessAt")
        value(device.lastSuccessAt)
        name("lastFailure")
        if let failure = device.lastFailure {
            beginObject()
            name("at")
            value(failure.at)
            name("reason")
            value(failure.reason)
            endObject()
        } else {
            null()
        }
        endObject()
    }
}

extension Problem {
    init(_ fault: PushService.Fault) {
        switch fault {
        case .noDevice: self.init(.notFound, "There is no device with this id.")
        case .tooManyDevices:
            self.init("#", .tooMany, "An account has at most \(PushDevice.most) devices; remove one first.")
        case .off: self.init(ProblemCode.pushOff)
        case .unknownTopic: self.init("#/topic", .invalidValue, "This server notifies no app with this bundle id.")
        case .unknownService:
            self.init(
                "#/subscription/endpoint", .unknownPushService,
                "The endpoint is not at a push service that the server knows.")
        }
    }
}
