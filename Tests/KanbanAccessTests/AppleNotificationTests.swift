import JSON
import Kanban
import Testing

@testable import KanbanAccess

struct AppleNotificationTests {
    private static let now = Timestamp(milliseconds: 1_795_000_000_000)
    private static let seconds = 1_795_000_000

    private let provider: Provider

    init() throws {
        provider = try #require(Provider("apple=com.example.app"))
    }

    private func notification(_ changes: JSON = [:], events: JSON? = nil) throws -> AppleNotification {
        let happened: JSON = ["type": "consent-revoked", "sub": "001.a", "event_time": JSON(Self.seconds - 10)]
        let claims: JSON = [
            "iss": "https://appleid.apple.com", "aud": "com.example.app", "iat": JSON(Self.seconds - 5),
            "exp": JSON(Self.seconds + 86_000), "jti": "j-1", "events": .string(happened.text),
        ]
        var changed = claims.mergePatched(with: changes)
        if let events { changed["events"] = events }
        return try AppleNotification(changed, of: provider, named: provider.issuer, now: Self.now)
    }

    @Test func `events are a text of JSON, or an object`() throws {
        let event: JSON = [
            "type": "email-disabled", "sub": "001.a", "email": "a@privaterelay.appleid.com", "is_private_email": "true",
            "event_time": JSON(Self.seconds - 10),
        ]
        for events in [event, .string(event.text)] {
            let notification = try notification(events: events)

            #expect(notification.event == .emailDisabled && notification.subject == "001.a")
            #expect(notification.email?.text == "a@privaterelay.appleid.com")
            #expect(notification.provider == "apple")
        }
    }

    @Test(arguments: [
        ("consent-revoked", AppleNotification.Event.consentRevoked), ("account-delete", .accountDeleted),
        ("account-deleted", .accountDeleted), ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled),
        ("something-new", nil),
    ])
    func `an event has its name, of which one has two`(name: String, event: AppleNotification.Event?) throws {
        #expect(try notification(events: ["type": .string(name), "sub": "001.a"]).event == event)
    }

    @Test func `an event that is not known needs no person`() throws {
        #expect(try notification(events: ["type": "maintenance"]).event == nil)
    }

    @Test(
        arguments: [
            (["iss": "https://id.example.org"], "Another issuer made it."), (["iss": .null], "Another issuer made it."),
            (["iat": JSON(seconds + 31)], "It is of the future."), (["iat": .null], "It is of the future."),
            (["iat": "now"], "It is of the future."), (["exp": JSON(seconds - 30)], "It has expired."),
            (["exp": "tomorrow"], "It has expired."), (["exp": JSON(seconds - 6)], "It has expired."),
            (["iat": JSON(seconds - 86_430), "exp": .null], "It has expired."),
            (["jti": .null], "It has no jti."), (["jti": ""], "It has no jti."), (["jti": 7], "It has no jti."),
            (["jti": .string(String(repeating: "j", count: 256))], "It has no jti."),
        ] as [(JSON, String)])
    func `a claim that is wrong refuses it with its reason`(changes: JSON, reason: String) {
        #expect(throws: AccessError.tokenInvalid(reason)) { try notification(changes) }
    }

    @Test(
        arguments: [
            .null, "nonsense", "[]", "7", [], 7, ["sub": "001.a"], ["type": 1, "sub": "001.a"],
            #"{"type": "consent-revoked", "sub": "001.a""#,
        ] as [JSON])
    func `events without a type are refused`(events: JSON) {
        #expect(throws: AccessError.tokenInvalid("Its events are no JSON object with a type.")) {
            try notification(events: events)
        }
    }

    @Test(arguments: [.null, "", 7, "a\u{0}b", .string(String(repeating: "s", count: 256))] as [JSON])
    func `an event about nobody is refused`(subject: JSON) {
        #expect(throws: AccessError.tokenInvalid("Its events have no valid sub.")) {
            try notification(events: ["type": "consent-revoked", "sub": subject])
        }
    }

    @Test func `a token without an end is good for a day, and clocks may differ by half a minute`() throws {
        let old = try notification(["iat": JSON(Self.seconds - 86_429), "exp": .null])
        #expect(old.expiresAt == Self.now + .seconds(1))
        #expect(try notification(["iat": JSON(Self.seconds + 29)]).subject == "001.a")
        #expect(try notification(["exp": JSON(Self.seconds - 4)]).expiresAt == Self.now + .seconds(26))
    }

    @Test func `the time of an event is in seconds or milliseconds, and that of the token when it makes no sense`()
        throws
    {
        for (time, seconds) in [
            (JSON(Self.seconds - 100), Self.seconds - 100), (.number("\(Self.seconds - 100)000"), Self.seconds - 100),
            (JSON(1_508_184_845), Self.seconds - 5), (JSON(Self.seconds + 100), Self.seconds - 5),
            ("then", Self.seconds - 5), (.null, Self.seconds - 5),
        ] as [(JSON, Int)] {
            let happened: JSON = ["type": "consent-revoked", "sub": "001.a", "event_time": time]

            #expect(try notification(events: happened).at.milliseconds == Int64(seconds) * 1000)
        }
    }

    @Test func `the same jti is the same notification, whatever else the token says`() throws {
        let one = try notification()
        #expect(try notification(["iat": JSON(Self.seconds - 1)]).digest == one.digest)
        #expect(try notification(["jti": "j-2"]).digest != one.digest)
    }
}

extension JSON {
    fileprivate var text: String { String(decoding: serialized(), as: UTF8.self) }
}
