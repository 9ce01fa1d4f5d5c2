import Foundation
import JSON
import Testing

/// The client for an app in `docs/sync.md`, with a server.
struct SyncClientTests {
    @Test func `the page about sync shows the example as it is compiled`() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/sync.md"), encoding: .utf8)
        let example = try String(contentsOf: here.appending(path: "SyncClientExample.swift"), encoding: .utf8)

        #expect(page.contains("```swift\n\(example)```\n"))
        #expect(example.split(separator: "\n", omittingEmptySubsequences: false).count <= 76)
    }

    @Test func `two devices that were offline end up with the same board`() async throws {
        let server = try Kanbase()
        let url = try #require(URL(string: "http://localhost:\(server.port)"))
        let (phone, pad) = (Board(server: url), Board(server: url))
        let (first, second) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())

        await phone.edit("create", first, ["title": "from the phone"])
        await pad.edit("create", second, ["title": "from the pad"])
        try await phone.sync()
        try await pad.sync()
        await phone.edit("patch", first, ["title": "phone again"])
        await pad.edit("patch", first, ["title": "pad, the later writer"])
        try await phone.sync()
        try await pad.sync()
        try await phone.sync()

        for board in [phone, pad] {
            #expect(await board.title(of: first) == "pad, the later writer")
            #expect(await board.title(of: second) == "from the pad")
        }
    }

    @Test func `a sync that begins while another runs joins it, and nothing is lost or sent twice`() async throws {
        let server = try Kanbase()
        let url = try #require(URL(string: "http://localhost:\(server.port)"))
        let board = Board(server: url)
        let ids = (1...20).map { _ in UUID().uuidString.lowercased() }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in ids {
                group.addTask {
                    await board.edit("create", id, ["title": "task \(id)"])
                    try await board.sync()
                }
            }
            try await group.waitForAll()
        }

        let other = Board(server: url)
        try await other.sync()
        for id in ids {
            #expect(await board.title(of: id) == "task \(id)")
            #expect(await other.title(of: id) == "task \(id)")
        }
        #expect(await board.refused == [])
    }

    @Test func `what the server refuses is told, and does not hold up the rest`() async throws {
        let server = try Kanbase()
        let url = try #require(URL(string: "http://localhost:\(server.port)"))
        let board = Board(server: url)
        let (good, bad) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())

        await board.edit("create", bad, ["title": " "])
        await board.edit("create", good, ["title": "good"])
        try await board.sync()

        #expect(await board.title(of: good) == "good")
        #expect(await board.refused == ["title must hold more than white space."])
    }

    @Test func `an outbox survives a server that was restored`() async throws {
        let server = try Kanbase()
        let url = try #require(URL(string: "http://localhost:\(server.port)"))
        let board = Board(server: url)
        let (kept, lost) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        await board.edit("create", kept, ["title": "kept"])
        try await board.sync()
        let client = try Client(port: server.port)
        let backup = try client.send("GET", "/export").body
        await board.edit("create", lost, ["title": "not in the backup"])
        try await board.sync()

        await board.edit("patch", kept, ["title": "kept and changed"])
        let restored = try client.send(
            "POST", "/import?mode=replace", ["content-type": "application/json"], body: backup)
        try await board.sync()

        #expect(restored.status == 200)
        #expect(await board.title(of: kept) == "kept and changed")
        #expect(await board.title(of: lost) == nil)
    }
}
