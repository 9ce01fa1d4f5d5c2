import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

/// Images where people log in.
struct AccountImageTests {
    private let path = "/images/\(ImageRoutesTests.id)"
    private let png = ImageRoutesTests.png
    private let name = "{\"image\": \"\(ImageRoutesTests.id)\"}"

    @Test func `an account shows an image of its board`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let before = await board.send(.get, "/account", token: anna.token)
        #expect(before.json["image"] == .null)
        #expect(await board.send(.patch, "/account", name, token: anna.token).faults == ["#/image unknown_image"])
        let two = await board.send(
            .patch, "/account", #"{"displayName": " ", "image": "\#(ImageRoutesTests.id)"}"#, token: anna.token)
        #expect(two.faults.count == 2)
        _ = await board.send(.put, path, token: anna.token, bytes: png)

        let named = await board.send(.patch, "/account", name, token: anna.token)

        #expect(named.status == 200 && named.json["image"]?.stringValue == ImageRoutesTests.id)
        #expect(named.header("ETag") != before.header("ETag"))
        #expect(
            await board.send(.patch, "/account", #"{"displayName": "Anna"}"#, token: anna.token).json["image"] != .null)
        board.clock.advance(seconds: 40 * 86_400)
        try await board.maintain()
        #expect(await board.send(.get, path, token: anna.token).status == 200)
        #expect(await board.send(.patch, "/account", #"{"image": null}"#, token: anna.token).json["image"] == .null)
        #expect(await board.send(.patch, "/account", name, token: anna.token).status == 200)
        #expect(await board.send(.delete, path, token: anna.token).status == 204)
        #expect(await board.send(.get, "/account", token: anna.token).json["image"] == .null)
    }

    @Test func `an import that replaces keeps the account's image when the document has it`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = await board.send(.put, path, token: anna.token, bytes: png)
        _ = await board.send(.patch, "/account", name, token: anna.token)
        let export = String(
            decoding: await board.send(.get, "/export", token: anna.token).body, as: UTF8.self)

        #expect(await board.send(.post, "/import?mode=replace", export, token: anna.token).status == 200)
        let kept = await board.send(.get, "/account", token: anna.token).json["image"]
        board.clock.advance(seconds: 40 * 86_400)
        try await board.maintain()
        let shown = await board.send(.get, path, token: anna.token).status
        #expect(await board.send(.post, "/import?mode=replace", "{}", token: anna.token).status == 200)

        #expect(kept?.stringValue == ImageRoutesTests.id)
        #expect(shown == 200)
        #expect(await board.send(.get, "/account", token: anna.token).json["image"] == .null)
    }

    @Test func `nobody sees another's image, or learns that it exists`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        let ben = try await board.person("ben@example.org")
        let made = await board.send(.put, path, token: anna.token, bytes: png)

        #expect(await board.send(.get, path, token: ben.token).code == "not_found")
        #expect(await board.send(.delete, path, token: ben.token).code == "not_found")
        #expect(await board.send(.patch, "/account", name, token: ben.token).faults == ["#/image unknown_image"])
        #expect(await board.send(.get, path).status == 401)
        #expect(await board.send(.put, path, bytes: png).status == 401)
        let own = await board.send(.put, path, token: ben.token, bytes: ImageRoutesTests.jpeg)
        #expect(own.status == 201)
        let shown = await board.send(.get, path, token: anna.token)
        #expect(
            shown.body == png && shown.header("ETag") == made.header("ETag")
                && shown.header("ETag") != own.header("ETag"))
        #expect(shown.header("Vary") == "Authorization")
        // The tag of one account is none of the other's.
        let tag = try #require(own.header("ETag"))
        #expect(await board.send(.get, path, token: anna.token, headers: [("If-None-Match", tag)]).status == 200)
        let mine = try #require(made.header("ETag"))
        #expect(await board.send(.get, path, token: anna.token, headers: [("If-None-Match", mine)]).status == 304)
    }

    @Test func `a token that reads shows images and changes none`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = await board.send(.put, path, token: anna.token, bytes: png)
        let token = await board.send(.post, "/tokens", #"{"name": "t", "scope": "read"}"#, token: anna.token)
        let reader = try #require(token.json["token"]?.stringValue)

        #expect(await board.send(.get, path, token: reader).body == png)
        #expect(await board.send(.put, path, token: reader, bytes: png).code == "insufficient_scope")
        #expect(await board.send(.delete, path, token: reader).code == "insufficient_scope")
    }

    @Test func `images count towards the quota`() async throws {
        let board = try AccessBoard(quota: Quota(bytes: 8_192, tasks: 10))
        let anna = try await board.person("anna@example.org")
        let large = png + Array(repeating: 1, count: 5_000)
        #expect(await board.send(.put, path, token: anna.token, bytes: large).status == 201)
        let used = await board.send(.get, "/account", token: anna.token).json["usage"]?["bytes"]?.intValue ?? 0

        let second = await board.send(
            .put, "/images/\(ImageRoutesTests.other)", token: anna.token, bytes: large)
        let again = await board.send(.put, path, token: anna.token, bytes: large)

        #expect(used > 5_000)
        #expect(second.status == 507 && second.code == "quota_exceeded")
        #expect(again.status == 200)
        #expect(await board.send(.delete, path, token: anna.token).status == 204)
        let rest = await board.send(.get, "/account", token: anna.token).json["usage"]?["bytes"]?.intValue ?? 9_999
        #expect(rest < 1_000)
        #expect(try board.check() == [])
    }

    @Test func `an account that is erased takes its images along`() async throws {
        let board = try AccessBoard()
        let anna = try await board.person("anna@example.org")
        _ = await board.send(.put, path, token: anna.token, bytes: png)

        #expect(
            await board.send(.delete, "/account", #"{"password": "correct horse"}"#, token: anna.token).status == 204)

        // No row is left that belongs to nobody.
        #expect(try board.check() == [])
    }
}
