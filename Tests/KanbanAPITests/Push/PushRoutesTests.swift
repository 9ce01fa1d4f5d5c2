import Crypto
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanSQLite
import Locks
import TestSupport
import Testing

@testable import KanbanAPI

extension PushService {
    /// Of both kinds, whose services take everything.
    convenience init(
        _ pair: AgreementKey, _ store: any Store & AccessStore, _ clock: @escaping @Sendable () -> Timestamp
    ) throws {
        let post: PushSenders.Post = { _ in (200, []) }
        let key = try PrivateSignatureKey(der: pair.der)
        let senders = PushSenders(
            apns: APNsSender(
                topics: ["com.example.board"],
                tokens: ProviderTokens(store: store, team: "TEAM123456", id: "KEY1234567", key: key, clock: clock),
                address: nil, post: post),
            webPush: try WebPushSender(
                pair, services: WebPushServices(), subject: "https://kanbase.example.org", post: post),
            content: .ids, zone: .utc, clock: clock)
        self.init(store: store, senders: senders, onQueued: {})
    }
}

struct PushRoutesTests {
    private static let phone = "77777777-7777-4777-8777-777777777777"
    private static let token = String(repeating: "Ab", count: 32)
    private let board: AccessBoard
    private let pair = AgreementKey()

    init() throws {
        let pair = pair
        board = try AccessBoard { store, clock in try PushService(pair, store, clock) }
    }

    private func apns(_ more: String = "") -> String {
        "{\"kind\": \"apns\", \"token\": \"\(Self.token)\", \"topic\": \"com.example.board\"\(more)}"
    }

    private func browser(_ endpoint: String, key: [UInt8]? = nil, secret: Int = 16) -> String {
        let key = ByteText.base64URL(key ?? pair.publicPoint)
        let secret = ByteText.base64URL([UInt8](repeating: 1, count: secret))
        return """
            {"kind": "webpush", "subscription": {"endpoint": "\(endpoint)", "expirationTime": null,
            "keys": {"p256dh": "\(key)", "auth": "\(secret)"}}}
            """
    }

    @Test func `a device registers, is listed without its token, and goes`() async throws {
        let anna = try await board.person("anna@example.org")
        let ways = await board.send(.get, "/push", token: anna.token).json
        #expect(ways["webPush"]?["publicKey"] == .string(ByteText.base64URL(pair.publicPoint)))
        #expect(ways["apns"]?["topics"] == ["com.example.board"])

        let made = await board.send(.put, "/devices/\(Self.phone)", apns(#", "locale": "ko""#), token: anna.token)
        #expect(made.status == 201 && made.header("Location") == "/devices/\(Self.phone)")
        #expect(
            made.json == [
                "id": .string(Self.phone), "kind": "apns", "topic": "com.example.board", "environment": "production",
                "locale": "ko", "createdAt": "2026-11-20T08:19:00.123Z", "lastSuccessAt": .null, "lastFailure": .null,
            ])
        let again = await board.send(
            .put, "/devices/\(Self.phone)", apns(#", "environment": "development""#), token: anna.token)
        #expect(again.status == 200 && again.json["environment"] == "sandbox" && again.json["locale"] == .null)
        let list = await board.send(.get, "/devices", token: anna.token)
        #expect(list.json["items"]?.arrayValue == [again.json] && list.json["nextCursor"] == .null)
        #expect(!String(decoding: list.body, as: UTF8.self).lowercased().contains("abab"))

        #expect(await board.send(.post, "/devices/\(Self.phone)/test", token: anna.token).status == 202)
        #expect(try await board.store.readAccess { try $0.pushCount() } == 1)
        #expect(await board.send(.delete, "/devices/\(Self.phone)", token: anna.token).status == 204)
        #expect(await board.send(.delete, "/devices/\(Self.phone)", token: anna.token).code == "not_found")
        #expect(await board.send(.post, "/devices/\(Self.phone)/test", token: anna.token).code == "not_found")
        #expect(await board.send(.patch, "/devices/\(Self.phone)", "{}", token: anna.token).code == "not_found")
        #expect(await board.send(.put, "/devices/x", apns(), token: anna.token).code == "not_found")
    }

    @Test func `a registration meets its conditions or is not made`() async throws {
        let anna = try await board.person("anna@example.org")
        func put(_ condition: String, _ value: String) async -> Int {
            await board.send(
                .put, "/devices/\(Self.phone)", apns(), token: anna.token, headers: [(condition, value)]
            ).status
        }

        #expect(await put("If-Match", "*") == 412)
        #expect(await put("If-Match", "\"1\"") == 412)
        #expect(await board.send(.get, "/devices", token: anna.token).json["items"] == [])
        #expect(await put("If-None-Match", "*") == 201)
        #expect(await put("If-None-Match", "*") == 412)
        // A device has no tag that could match.
        #expect(await put("If-None-Match", "\"1\"") == 200)
        #expect(await put("If-Match", "\"1\"") == 412)
        #expect(await put("If-Match", "*") == 200)
    }

    @Test func `a browser registers`() async throws {
        let anna = try await board.person("anna@example.org")
        let body = browser("https://fcm.googleapis.com/fcm/send/secret")

        let made = await board.send(.put, "/devices/\(Self.phone)", body, token: anna.token)

        #expect(made.status == 201 && made.json["kind"] == "webpush" && made.json["topic"] == .null)
        #expect(!String(decoding: made.body, as: UTF8.self).contains("secret"))
        // With what the answer shows.
        let times = #""id": "\#(Self.phone)", "createdAt": null, "lastSuccessAt": null, "lastFailure": null"#
        let all = #"{"topic": null, "environment": null, "locale": null, \#(times), "# + body.dropFirst()
        let again = await board.send(.put, "/devices/\(Self.phone)", all, token: anna.token)
        #expect(again.status == 200 && again.json == made.json)
        let patch = await board.send(.patch, "/devices/\(Self.phone)", "{\(times)}", token: anna.token)
        #expect(patch.status == 200 && patch.json == made.json)
        let other = await board.send(
            .patch, "/devices/\(Self.phone)", "{\"id\": \"\(String.unknownID)\"}", token: anna.token)
        #expect(other.code == "id_mismatch")
    }

    @Test func `each fault is reported`() async throws {
        let anna = try await board.person("anna@example.org")
        func fault(_ body: String) async -> String {
            let answer = await board.send(.put, "/devices/\(Self.phone)", body, token: anna.token)
            let first = answer.json["errors"]?.arrayValue?.first
            return "\(answer.status) \(first?["pointer"]?.stringValue ?? "") \(answer.code ?? "")"
        }
        #expect(await fault("{}") == "422 #/kind required")
        #expect(await fault(#"{"kind": "pigeon"}"#) == "422 #/kind invalid_value")
        #expect(await fault(#"{"kind": "apns", "topic": "com.example.board"}"#) == "422 #/token required")
        #expect(
            await fault(#"{"kind": "apns", "token": "../../x", "topic": "com.example.board"}"#)
                == "422 #/token invalid_format")
        #expect(
            await fault("{\"kind\": \"apns\", \"token\": \"\(Self.token)\", \"topic\": \"other\"}")
                == "422 #/topic invalid_value")
        #expect(await fault(apns(#", "environment": "moon""#)) == "422 #/environment invalid_value")
        #expect(await fault(apns(#", "locale": "de""#)) == "422 #/locale invalid_value")
        #expect(await fault(apns(#", "x": 1"#)) == "422 #/x unknown_member")
        #expect(await fault(#"{"kind": "webpush"}"#) == "422 #/subscription required")
        #expect(
            await fault(browser("https://evil.example/x")) == "422 #/subscription/endpoint unknown_push_service")
        let good = "https://fcm.googleapis.com/x"
        #expect(await fault(browser(good, secret: 15)) == "422 #/subscription invalid_value")
        #expect(
            await fault(browser(good, key: [4] + [UInt8](repeating: 1, count: 64)))
                == "422 #/subscription invalid_value")
        #expect(await fault(browser(good, key: [])) == "422 #/subscription invalid_value")
    }

    @Test func `a device goes with its session, not with its idleness, and with all others`() async throws {
        let anna = try await board.person("anna@example.org")
        let other = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        await board.send(.put, "/devices/\(Self.phone)", apns(), token: anna.token)
        let browser = "88888888-8888-4888-8888-888888888888"
        await board.send(.put, "/devices/\(browser)", self.browser("https://fcm.googleapis.com/x"), token: other)

        #expect(await board.send(.delete, "/sessions/current", token: anna.token).status == 204)
        func ids(_ token: String) async -> [String] {
            (await board.send(.get, "/devices", token: token).json["items"]?.arrayValue ?? []).map(\.id)
        }
        #expect(await ids(other) == [browser])
        // Expired and purged.
        board.clock.advance(seconds: 400 * 86_400)
        let new = try #require(await board.logIn("anna@example.org").json["token"]?.stringValue)
        try await board.maintain()
        #expect(await ids(new) == [browser])
        #expect(await board.send(.delete, "/sessions", token: new).status == 204)
        #expect(await ids(new) == [])
    }

    @Test func `devices of others are out of reach, and a personal token has none`() async throws {
        let anna = try await board.person("anna@example.org")
        let bob = try await board.person("bob@example.org")
        await board.send(.put, "/devices/\(Self.phone)", apns(), token: anna.token)

        #expect(await board.send(.delete, "/devices/\(Self.phone)", token: bob.token).code == "not_found")
        #expect(await board.send(.get, "/devices", token: bob.token).json["items"] == [])
        let personal = await board.send(
            .post, "/tokens", #"{"name": "x", "scope": "full", "password": "correct horse"}"#, token: anna.token)
        let token = try #require(personal.json["token"]?.stringValue)
        #expect(await board.send(.put, "/devices/\(Self.phone)", apns(), token: token).code == "session_required")
        // The phone changes hands.
        await board.send(.put, "/devices/\(Self.phone)", apns(), token: bob.token)
        #expect(await board.send(.get, "/devices", token: anna.token).json["items"] == [])
    }

    @Test func `a plan is reported by itself or with edits`() async throws {
        let anna = try await board.person("anna@example.org")
        await board.send(.put, "/devices/\(Self.phone)", apns(), token: anna.token)
        let cursor = try #require(
            await board.send(.get, "/changes", token: anna.token).json["cursor"]?.stringValue)
        let account = try #require(try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") })
        func plan() async throws -> PushPlan? {
            let id = try #require(ID(Self.phone))
            return try await board.store.readAccess { try $0.device(id, of: account.key)?.plan }
        }

        let patched = await board.send(
            .patch, "/devices/\(Self.phone)", "{\"planned\": \"\(cursor)\"}", token: anna.token)
        #expect(patched.status == 200)
        let planned = try #require(try await plan())
        #expect(planned.end == nil)
        let ends = #""from": "2026-11-20T08:00:00Z", "until": "2026-11-21T08:00:00Z""#
        await board.send(
            .patch, "/devices/\(Self.phone)", "{\"planned\": \"\(cursor)\", \(ends)}", token: anna.token)
        #expect(try await plan()?.start?.description == "2026-11-20T08:00:00.000Z")
        #expect(try await plan()?.end?.description == "2026-11-21T08:00:00.000Z")
        #expect(
            await board.send(.patch, "/devices/\(Self.phone)", #"{"from": "noon"}"#, token: anna.token).code
                == "invalid_format")
        await board.send(.patch, "/devices/\(Self.phone)", #"{"planned": null}"#, token: anna.token)
        #expect(try await plan() == nil)
        func sync(_ planned: String) async -> Answer {
            await board.send(.post, "/sync", "{\"mutations\": [], \"planned\": \(planned)}", token: anna.token)
        }
        #expect(await sync("{\"deviceId\": \"\(Self.phone)\", \"cursor\": \"\(cursor)\"}").status == 200)
        let startless = try #require(try await plan())
        #expect(startless.start == nil)
        #expect(
            await sync("{\"deviceId\": \"\(Self.phone)\", \"cursor\": \"\(cursor)\", \(ends)}").status == 200)
        let whole = try #require(try await plan())
        #expect(whole.start != nil && whole.end != nil)
        #expect(await sync("{\"deviceId\": \"\(Self.stranger)\", \"cursor\": \"\(cursor)\"}").status == 200)
        #expect(await sync("{\"deviceId\": \"\(Self.phone)\", \"cursor\": \"abc-1\"}").status == 200)
        #expect(await sync("{\"deviceId\": \"\(Self.phone)\", \"cursor\": \"?\"}").code == "invalid_cursor")
        #expect(await sync("{\"deviceId\": \"\(Self.phone)\"}").code == "required")
        #expect(await sync("[]").code == "invalid_type")
        #expect(await sync("null").status == 200)
        #expect(
            await board.send(.patch, "/devices/\(Self.phone)", #"{"planned": "abc-1"}"#, token: anna.token).code
                == "cursor_expired")
    }

    @Test func `a session that ended while its request came registers no device`() async throws {
        let anna = try await board.person("anna@example.org")
        let account = try #require(try await board.store.readAccess { try $0.account(foldedEmail: "anna@example.org") })
        await board.send(.put, "/devices/\(Self.phone)", apns(), token: anna.token)
        let service = try PushService(pair, board.store) { [board] in board.clock.now }
        let device = try #require(try await service.devices(of: account.key).first)

        #expect(await board.send(.delete, "/sessions/current", token: anna.token).status == 204)

        await #expect(throws: AccessError.sessionEnded) { try await service.put(device) }
        #expect(try await service.devices(of: account.key).isEmpty)
    }

    private static let stranger = "55555555-5555-4555-8555-555555555555"

    @Test func `without any way to devices there are none`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")

        #expect(await board.send(.get, "/push", token: anna.token).json == ["webPush": .null, "apns": .null])
        #expect(await board.send(.get, "/devices", token: anna.token).json["items"] == [])
        #expect(await board.send(.put, "/devices/\(Self.phone)", apns(), token: anna.token).code == "push_off")
        #expect(await board.send(.delete, "/devices/\(Self.phone)", token: anna.token).code == "push_off")
        #expect(await board.send(.post, "/devices/\(Self.phone)/test", token: anna.token).code == "push_off")
        #expect(
            await board.send(.patch, "/devices/\(Self.phone)", #"{"planned": null}"#, token: anna.token).code
                == "push_off")
    }
}
