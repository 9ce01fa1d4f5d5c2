import Foundation
import HTTP
import JSON
import Kanban
import KanbanSQLite
import TestSupport
import Testing

@testable import KanbanAPI

struct ImageRoutesTests {
    static let id = "33333333-3333-4333-8333-333333333333"
    static let other = "44444444-4444-4444-8444-444444444444"
    static let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]
    static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0]
    let board: TestBoard

    init() throws {
        board = try TestBoard()
    }

    @discardableResult
    private func put(
        _ bytes: [UInt8] = png, _ id: String = id, headers: [(name: String, value: String)] = []
    ) async -> Answer {
        await board.send(.put, "/images/\(id)", headers: headers, bytes: bytes)
    }

    @Test func `an image is kept, shown as it is, and deleted`() async throws {
        let made = await put(headers: [("Content-Type", "text/html")])
        let again = await put()
        let shown = await board.send(.get, "/images/\(Self.id.uppercased())")

        #expect(made.status == 201 && made.header("Location") == "/images/\(Self.id)")
        #expect(made.json == ["id": .string(Self.id), "mediaType": "image/png", "bytes": 11])
        #expect(again.status == 200 && again.json == made.json && again.header("ETag") == made.header("ETag"))
        #expect(shown.status == 200 && shown.body == Self.png)
        #expect(shown.header("Content-Type") == "image/png" && shown.header("ETag") == made.header("ETag"))
        #expect(shown.header("Cache-Control") == "private, immutable, max-age=31536000")
        #expect(shown.header("Content-Encoding") == nil)

        #expect(await board.send(.delete, "/images/\(Self.id)").status == 204)
        #expect(await board.send(.delete, "/images/\(Self.id)").code == "not_found")
        #expect(await board.send(.get, "/images/\(Self.id)").code == "not_found")
        #expect(await put().code == "deleted")
        #expect(try board.check() == [])
    }

    @Test func `other bytes never take the place of the first`() async throws {
        await put()

        let refused = await put(Self.jpeg)
        // As long, and of the same kind.
        let similar = await put(Array(Self.png.dropLast()) + [4])

        #expect(refused.status == 409 && refused.code == "already_exists")
        #expect(similar.status == 409)
        #expect(await board.send(.get, "/images/\(Self.id)").body == Self.png)
    }

    @Test func `what the client has is not sent again`() async throws {
        let tag = try #require(await put().header("ETag"))

        let same = await board.send(.get, "/images/\(Self.id)", headers: [("If-None-Match", tag)])
        let other = await board.send(.get, "/images/\(Self.id)", headers: [("If-None-Match", "\"7-x\"")])

        #expect(same.status == 304 && same.body.isEmpty && same.header("ETag") == tag)
        #expect(other.status == 200)
    }

    @Test func `conditions hold`() async throws {
        #expect(await put(headers: [("If-Match", "*")]).code == "precondition_failed")
        let tag = try #require(await put(headers: [("If-None-Match", "*")]).header("ETag"))

        let twice = await put(headers: [("If-None-Match", "*")])
        let wrong = await board.send(.delete, "/images/\(Self.id)", headers: [("If-Match", "\"99\"")])
        let right = await board.send(.delete, "/images/\(Self.id)", headers: [("If-Match", tag)])

        #expect(twice.status == 412 && twice.json["current"]?["mediaType"] == "image/png")
        #expect(wrong.status == 412)
        #expect(right.status == 204)
    }

    @Test(
        arguments: [
            [], [0x89, 0x50], Array("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".utf8),
            Array("<html></html>".utf8),
            Array("GIF89a\u{1}".utf8), Array("{}".utf8),
        ] as [[UInt8]])
    func `what is no image is refused, whatever it says that it is`(bytes: [UInt8]) async throws {
        for type in ["image/png", "image/svg+xml", "application/json", ""] {
            let answer = await put(bytes, headers: type.isEmpty ? [] : [("Content-Type", type)])
            #expect(answer.status == 415 && answer.code == "unsupported_media_type")
            #expect(answer.header("Accept") == "image/png, image/jpeg, image/webp, image/heic")
        }
        #expect(await board.send(.get, "/images/\(Self.id)").status == 404)
        #expect(try await board.store.read(.local) { try $0.feedState().revision } == 0)
    }

    /// Not a byte more: see the tests of the contract.
    @Test func `a mebibyte is taken`() async throws {
        let most = Self.jpeg + Array(repeating: 7, count: Image.longest - Self.jpeg.count)

        #expect(await put(most).status == 201)
        #expect(await board.send(.get, "/images/\(Self.id)").body == most)
    }

    @Test func `an invalid id names nothing`() async throws {
        for id in ["x", "33333333-3333-4333-8333-33333333333", "%20", "me"] {
            #expect(await put(Self.png, id).code == "not_found")
            #expect(await board.send(.get, "/images/\(id)").code == "not_found")
            #expect(await board.send(.delete, "/images/\(id)").code == "not_found")
        }
        #expect(await board.send(.get, "/images").status == 404)
        #expect(await board.send(.post, "/images/\(Self.id)", "{}").status == 405)
        #expect(await board.send(.get, "/images/\(Self.id)?size=3").code == "unknown_parameter")
    }

    // MARK: - Naming them

    @Test(arguments: [("/ddays", #""title": "x", "date": "2026-12-01""#), ("/categories", #""name": "x""#)])
    func `a D-day or a category names an image, or none`(list: String, members: String) async throws {
        await put()
        await put(Self.jpeg, Self.other)
        let made = await board.send(.post, list, "{\(members), \"image\": \"\(Self.id.uppercased())\"}")
        let path = "\(list)/\(made.json.id)"
        #expect(made.status == 201 && made.json["image"]?.stringValue == Self.id)
        #expect(await board.send(.get, path).json["image"]?.stringValue == Self.id)

        let patched = await board.send(.patch, path, "{\"image\": \"\(Self.other)\"}")
        #expect(patched.status == 200 && patched.json["image"]?.stringValue == Self.other)
        let same = await board.send(.put, path, String(decoding: patched.body, as: UTF8.self))
        #expect(same.status == 200 && same.json.revision == patched.json.revision)
        #expect(await board.send(.put, path, "{\(members)}").json["image"] == .null)
        #expect(await board.send(.patch, path, "{\"image\": \"\(Self.id)\"}").status == 200)

        for body in [
            "{\"image\": \"55555555-5555-4555-8555-555555555555\"}",
            "{\(members), \"image\": \"55555555-5555-4555-8555-555555555555\"}",
        ] {
            let refused = await board.send(body.contains("x") ? .put : .patch, path, body)
            #expect(refused.status == 422 && refused.faults == ["#/image unknown_image"])
        }
        #expect(await board.send(.patch, path, #"{"image": 5}"#).faults == ["#/image invalid_type"])
        #expect(await board.send(.patch, path, #"{"image": "x"}"#).faults == ["#/image invalid_format"])
        // All at once.
        let both = await board.send(
            .patch, path, #"{"image": "55555555-5555-4555-8555-555555555555", "color": "red"}"#)
        #expect(Set(both.faults) == ["#/image unknown_image", "#/color invalid_format"])
        #expect(try board.check() == [])
    }

    @Test func `what named a deleted image reads null, with a new revision`() async throws {
        await put()
        let dday = await board.send(
            .post, "/ddays", "{\"title\": \"x\", \"date\": \"2026-12-01\", \"image\": \"\(Self.id)\"}"
        ).json
        let category = await board.send(.post, "/categories", "{\"name\": \"x\", \"image\": \"\(Self.id)\"}").json
        let plain = await board.send(.post, "/categories", #"{"name": "y"}"#).json
        let cursor = try #require(await board.send(.get, "/changes").json["cursor"]?.stringValue)

        #expect(await board.send(.delete, "/images/\(Self.id)").status == 204)

        let after = await board.send(.get, "/ddays/\(dday.id)").json
        #expect(after["image"] == .null && after.revision > dday.revision)
        #expect(await board.send(.get, "/categories/\(category.id)").json["image"] == .null)
        #expect(await board.send(.get, "/categories/\(plain.id)").json.revision == plain.revision)
        let changes = await board.send(.get, "/changes?since=\(cursor)").json["changes"]?.arrayValue ?? []
        #expect(Set(changes.map { $0["type"]?.stringValue }) == ["dday", "category", "image"])
        let gone = changes.first { $0["type"] == "image" }
        #expect(gone?["deleted"] == true && gone?["value"] == .null && gone?["id"]?.stringValue == Self.id)
        #expect(try board.check() == [])
    }

    // MARK: - Sync

    @Test func `the feed tells of images without their bytes`() async throws {
        await put()
        let task = try await board.task()

        let all = await board.send(.get, "/changes").json["changes"]?.arrayValue ?? []
        let images = await board.send(.get, "/changes?types=image").json["changes"]?.arrayValue ?? []
        let tasks = await board.send(.get, "/changes?types=task").json["changes"]?.arrayValue ?? []

        #expect(all.map { $0["type"]?.stringValue } == ["image", "task"])
        #expect(
            images == [
                [
                    "revision": 1, "type": "image", "id": .string(Self.id), "deleted": false,
                    "value": ["id": .string(Self.id), "mediaType": "image/png", "bytes": 11],
                ]
            ])
        #expect(tasks.map { $0["id"]?.stringValue } == [task.id])
    }

    @Test func `a push names images, and cannot be about one`() async throws {
        await put()
        func push(_ number: Int, _ mutation: String) async -> JSON? {
            let id = "11111111-1111-4111-8111-\(String(format: "%012d", number))"
            let answer = await board.send(
                .post, "/sync", "{\"mutations\": [{\"mutationId\": \"\(id)\", \(mutation)}]}")
            return answer.json["results"]?.arrayValue?.first
        }

        let made = await push(
            1,
            #""type": "dday", "op": "create", "id": "\#(Self.other)", "value": {"title": "x", "date": "2026-12-01", "image": "\#(Self.id)"}"#
        )
        let unknown = await push(
            2, #""type": "dday", "op": "patch", "id": "\#(Self.other)", "value": {"image": "\#(Self.other)"}"#)
        let category = await push(
            3, #""type": "category", "op": "create", "value": {"name": "c", "image": "\#(Self.other)", "color": "red"}"#
        )
        let image = await push(4, #""type": "image", "op": "delete", "id": "\#(Self.id)""#)

        #expect(made?["status"] == "applied" && made?["value"]?["image"]?.stringValue == Self.id)
        #expect(unknown?["status"] == "rejected")
        #expect(unknown?["problem"]?["errors"]?.arrayValue?.first?["pointer"] == "#/image")
        #expect(unknown?["problem"]?["code"] == "unknown_image")
        #expect(category?["problem"]?["errors"]?.arrayValue?.count == 2)
        #expect(image?["status"] == "rejected")
        #expect(image?["problem"]?["errors"]?.arrayValue?.first?["code"] == "invalid_value")
        #expect(await board.send(.get, "/images/\(Self.id)").status == 200)
    }

    @Test func `two who change the image of a category see each other's`() async throws {
        await put()
        await put(Self.jpeg, Self.other)
        let category = await board.send(.post, "/categories", #"{"name": "x"}"#).json
        _ = await board.send(.patch, "/categories/\(category.id)", "{\"image\": \"\(Self.id)\"}")

        let answer = await board.send(
            .post, "/sync",
            #"{"mutations": [{"mutationId": "11111111-1111-4111-8111-111111111111", "type": "category", "op": "patch", "id": "\#(category.id)", "baseRevision": \#(category.revision), "value": {"image": "\#(Self.other)"}, "onConflict": "keep"}]}"#
        )
        let result = answer.json["results"]?.arrayValue?.first

        #expect(result?["status"] == "unchanged")
        #expect(
            result?["conflicts"] == [
                [
                    "member": "image", "base": .null, "theirs": .string(Self.id), "yours": .string(Self.other),
                ]
            ])
    }

    // MARK: - Export and import

    @Test func `an export brings the images along`() async throws {
        let large = Self.jpeg + (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        await put(large)
        await put(Self.png, Self.other)
        await board.send(.post, "/ddays", "{\"title\": \"x\", \"date\": \"2026-12-01\", \"image\": \"\(Self.id)\"}")
        await board.send(.post, "/categories", "{\"name\": \"x\", \"image\": \"\(Self.other)\"}")
        let export = await board.send(.get, "/export")
        let text = String(decoding: export.body, as: UTF8.self)
        let empty = try TestBoard()

        let tried = await empty.send(.post, "/import?dryRun=true", text)
        #expect(tried.json["images"] == ["created": 2, "updated": 0, "unchanged": 0])
        #expect(await empty.send(.get, "/images/\(Self.id)").status == 404)
        #expect(await empty.send(.post, "/import", text).status == 200)
        let again = await empty.send(.post, "/import", text)
        let replaced = await empty.send(.post, "/import?mode=replace", text)

        #expect(again.json["images"] == ["created": 0, "updated": 0, "unchanged": 2])
        #expect(replaced.json["images"] == ["created": 2, "updated": 0, "unchanged": 0])
        #expect(await empty.send(.get, "/images/\(Self.id)").body == large)
        let other = await empty.send(.get, "/export")
        for member in ["images", "ddays", "categories"] { #expect(other.json[member] == export.json[member]) }
        #expect(try empty.check() == [])
    }

    @Test func `an image under the id of another one is refused, and nothing is imported`() async throws {
        await put()
        func document(_ bytes: [UInt8]) -> String {
            #"{"images": [{"id": "\#(Self.id)", "content": "\#(Base64.encode(bytes))"}], "tasks": [{"title": "a"}]}"#
        }

        let other = await board.send(.post, "/import", document(Self.jpeg))
        #expect(other.status == 422 && other.faults == ["#/images/0/id invalid_value"], "\(other.json)")
        #expect(await board.send(.get, "/tasks").json["items"] == [])
        let same = await board.send(.post, "/import", document(await board.send(.get, "/images/\(Self.id)").body))
        #expect(same.json["images"] == ["created": 0, "updated": 0, "unchanged": 1])
        // Where all is replaced, the id is free.
        #expect(await board.send(.post, "/import?mode=replace", document(Self.jpeg)).status == 200)
        #expect(await board.send(.get, "/images/\(Self.id)").body == Self.jpeg)
    }

    @Test func `an export from before there were images is imported`() async throws {
        let answer = await board.send(
            .post, "/import",
            #"{"ddays": [{"id": "\#(Self.other)", "title": "x", "date": "2026-12-01"}], "categories": []}"#)

        #expect(answer.status == 200)
        #expect(await board.send(.get, "/ddays/\(Self.other)").json["image"] == .null)
    }

    @Test func `an image that was deleted here stays deleted, and nothing names it`() async throws {
        await put()
        await board.send(.post, "/categories", "{\"name\": \"x\", \"image\": \"\(Self.id)\"}")
        let export = String(decoding: await board.send(.get, "/export").body, as: UTF8.self)
        await board.send(.delete, "/images/\(Self.id)")

        let answer = await board.send(.post, "/import", export)

        #expect(answer.status == 200 && answer.json["images"] == ["created": 0, "updated": 0, "unchanged": 1])
        #expect(await board.send(.get, "/images/\(Self.id)").status == 404)
        #expect(try board.check() == [])
    }

    @Test(arguments: [
        (#""images": [{"id": "\#(id)"}]"#, "#/images/0/content required"),
        (#""images": [{"id": "\#(id)", "content": "%%"}]"#, "#/images/0/content invalid_format"),
        (#""images": [{"id": "\#(id)", "content": "PHN2Zy8+"}]"#, "#/images/0/content invalid_value"),
        (#""images": [{"content": "/9j/4A=="}]"#, "#/images/0/id required"),
        (#""images": [{"id": "\#(id)", "content": "/9j/4A==", "name": "x"}]"#, "#/images/0/name unknown_member"),
        (#""images": {}"#, "#/images invalid_type"),
        (
            #""images": [{"id": "\#(id)", "content": "/9j/4A=="}, {"id": "\#(id)", "content": "/9j/4A=="}]"#,
            "#/images/1/id invalid_value"
        ),
        (
            #""categories": [{"id": "\#(other)", "name": "x", "image": "\#(id)"}]"#,
            "#/categories/0/image unknown_image"
        ),
        (
            #""ddays": [{"id": "\#(other)", "title": "x", "date": "2026-12-01", "image": "\#(id)"}]"#,
            "#/ddays/0/image unknown_image"
        ),
    ])
    func `a document with a wrong image is refused as a whole`(members: String, fault: String) async throws {
        for mode in ["merge", "replace"] {
            let answer = await board.send(.post, "/import?mode=\(mode)", "{\(members)}")

            #expect(answer.status == 422 && answer.faults == [fault], "\(answer.json)")
            #expect(answer.json["errors"]?.arrayValue?.first?["line"] == 1)
        }
        #expect(await board.send(.get, "/export").json["images"] == [])
    }

    // MARK: - Upkeep

    @Test func `what nothing names for thirty days is deleted`() async throws {
        await put()
        await put(Self.jpeg, Self.other)
        let category = await board.send(.post, "/categories", "{\"name\": \"x\", \"image\": \"\(Self.other)\"}").json
        board.clock.advance(seconds: 29 * 86_400)
        try await board.maintain()
        #expect(await board.send(.get, "/images/\(Self.id)").status == 200)
        await board.send(.delete, "/categories/\(category.id)")
        board.clock.advance(seconds: 2 * 86_400)

        try await board.maintain()

        #expect(await board.send(.get, "/images/\(Self.id)").status == 404)
        #expect(await board.send(.get, "/images/\(Self.other)").status == 200)
        #expect(await put().code == "deleted")
        board.clock.advance(seconds: 30 * 86_400)
        try await board.maintain()
        #expect(await board.send(.get, "/images/\(Self.other)").status == 404)
        let changes = await board.send(.get, "/changes?types=image").json["changes"]
        #expect(changes == [])
        #expect(try board.check() == [])
    }

    @Test func `one that is named again stays`() async throws {
        await put()
        let dday = await board.send(
            .post, "/ddays", "{\"title\": \"x\", \"date\": \"2026-12-01\", \"image\": \"\(Self.id)\"}"
        ).json
        board.clock.advance(seconds: 40 * 86_400)
        await board.send(.patch, "/ddays/\(dday.id)", #"{"image": null}"#)
        board.clock.advance(seconds: 29 * 86_400)
        try await board.maintain()
        await board.send(.patch, "/ddays/\(dday.id)", "{\"image\": \"\(Self.id)\"}")
        board.clock.advance(seconds: 40 * 86_400)

        try await board.maintain()

        #expect(await board.send(.get, "/images/\(Self.id)").status == 200)
    }
}
