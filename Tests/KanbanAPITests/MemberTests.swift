import Foundation
import HTTP
import JSON
import Kanban
import TestSupport
import Testing

@testable import KanbanAPI

/// Each member of each table goes all the way: body, row, JSON, history, merge, export, import, CSV, description.
struct MemberTests {
    private static let images = ["33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"]
    private static let categories = ["55555555-5555-4555-8555-555555555555", "66666666-6666-4666-8666-666666666666"]

    private static func ids(_ names: [String]) -> [ID] { names.compactMap { ID($0) } }

    private func board() async throws -> TestBoard {
        let board = try TestBoard()
        for (index, image) in Self.images.enumerated() {
            await board.send(.put, "/images/\(image)", bytes: ImageRoutesTests.png + [UInt8(index)])
        }
        for (name, id) in zip(["X", "Y"], Self.categories) {
            await board.send(.put, "/categories/\(id)", "{\"name\": \"\(name)\"}")
        }
        return board
    }

    private func text(_ members: [JSON.Member]) -> String {
        String(decoding: JSON.object(members).serialized(), as: UTF8.self)
    }

    private func expect(_ json: JSON, _ members: [JSON.Member], _ place: String) {
        for member in members { #expect(json[member.name] == member.value, "\(place) \(member.name)") }
    }

    /// - Parameters:
    ///   - path: of the collection.
    ///   - list: the member of an export that has them.
    private func walk<Noun: ListedNoun>(_ noun: Noun.Type, _ path: String, _ list: String, _ ids: [ID]) async throws {
        let board = try await board()
        let samples = [Noun.sample(0, ids), Noun.sample(1, ids)]
        let made = await board.send(.post, path, text(samples[0])).json
        expect(made, samples[0], "POST")
        expect(await board.send(.get, "\(path)/\(made.id)", isCached: false).json, samples[0], "GET")

        let exported = await board.send(.get, "/export").json
        expect(exported[list]?.arrayValue?.first { $0.id == made.id } ?? .null, samples[0], "export")
        let copy = try TestBoard()
        let document = String(decoding: exported.serialized(), as: UTF8.self)
        #expect(await copy.send(.post, "/import?mode=replace", document).status == 200)
        expect(await copy.send(.get, "\(path)/\(made.id)").json, samples[0], "import")

        board.clock.advance(seconds: 1)
        expect(await board.send(.patch, "\(path)/\(made.id)", text(samples[1])).json, samples[1], "PATCH")
        let results = try await board.sync([
            .mutation(of: Noun.type.rawValue, "patch", made.id, base: made.revision, .object(samples[0]))
        ])
        #expect(results[0].status == "merged")
        let contested = results[0]["conflicts"]?.arrayValue ?? []
        #expect(contested.compactMap { $0["member"]?.stringValue } == samples[0].map(\.name))
        for (conflict, (one, two)) in zip(contested, zip(samples[0], samples[1])) {
            #expect(conflict["base"] == one.value && conflict["theirs"] == two.value && conflict["yours"] == one.value)
        }
        expect(await board.send(.put, "\(path)/\(made.id)", text(samples[1])).json, samples[1], "PUT")

        // A newer version of each member in the document of the other board.
        copy.clock.advance(seconds: 60)
        let newer = await board.send(.get, "/export").json
        #expect(await copy.send(.post, "/import", String(decoding: newer.serialized(), as: UTF8.self)).status == 200)
        expect(await copy.send(.get, "\(path)/\(made.id)", isCached: false).json, samples[1], "merging import")
        #expect(try board.check() == [] && copy.check() == [])
    }

    @Test func `of a D-day`() async throws {
        try await walk(DDay.self, "/ddays", "ddays", Self.ids(Self.images))
    }

    @Test func `of a category`() async throws {
        try await walk(Kanban.Category.self, "/categories", "categories", Self.ids(Self.images))
    }

    @Test func `of a task`() async throws {
        try await walk(TaskItem.self, "/tasks", "tasks", Self.ids(Self.categories))
    }

    @Test func `of the settings`() async throws {
        let board = try await board()
        let samples = [Settings.sample(0, []), Settings.sample(1, [])]
        let made = await board.send(.patch, "/settings", text(samples[0])).json
        expect(made, samples[0], "PATCH")
        let exported = await board.send(.get, "/export").json
        expect(exported["settings"] ?? .null, samples[0], "export")
        let copy = try TestBoard()
        await copy.send(.post, "/import", String(decoding: exported.serialized(), as: UTF8.self))
        expect(await copy.send(.get, "/settings").json, samples[0], "import")

        await board.send(.patch, "/settings", text(samples[1]))
        let results = try await board.sync([
            .mutation(of: "settings", "patch", "settings", base: made.revision, .object(samples[0]))
        ])
        let contested = (results[0]["conflicts"]?.arrayValue ?? []).compactMap { $0["member"]?.stringValue }
        #expect(contested == samples[0].map(\.name))
        expect(await board.send(.get, "/settings", isCached: false).json, samples[0], "GET")
        #expect(try board.check() == [])
    }

    @Test func `the history and the CSV of a task name each`() async throws {
        let board = try await board()
        let ids = Self.ids(Self.categories)
        let made = await board.send(.post, "/tasks", text(TaskItem.sample(0, ids))).json
        await board.send(.patch, "/tasks/\(made.id)", text(TaskItem.sample(1, ids)))

        let lines = await board.send(.get, "/tasks/\(made.id)/history").json["items"]?.arrayValue ?? []
        let names = Set(TaskItem.members.map(\.text))
        for line in lines {
            let changed = (line["changes"]?.arrayValue ?? []).compactMap { $0["member"]?.stringValue }
            // Another column may give the same position.
            #expect(Set(changed).union(["position"]) == names)
        }
        #expect(lines.count == 2)
        let csv = String(decoding: await board.send(.get, "/export?format=csv").body, as: UTF8.self)
        let columns = (csv.split(separator: "\r\n").first ?? "").split(separator: ",").map(String.init)
        let cells = Set(TaskItem.members.filter { $0.form.column != .json }.map(\.text)).subtracting(["categoryId"])
        #expect(Set(columns).isSuperset(of: cells))
        for member in TaskItem.sample(1, ids) where cells.contains(member.name) {
            let value = member.value.stringValue ?? String(decoding: member.value.serialized(), as: UTF8.self)
            #expect(csv.contains(value), "\(member.name)")
        }
    }

    /// The module has a default for each, from which it shows, merges and undoes edits without the server.
    @Test func `the board in the browser has each`() throws {
        let module = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/CWeb/pages/client/mirror.js")
        let lines = try String(contentsOf: module, encoding: .utf8).split(separator: "\n")
        func expect<Noun: Kanban.Noun>(_ noun: Noun.Type) throws {
            let line = try #require(lines.first { $0.hasPrefix("  \(Noun.type.rawValue): {") })
            for member in Noun.members {
                let standard = member.standard ?? .text("")
                let value = String(decoding: standard.json.serialized(), as: UTF8.self)
                #expect(line.contains(" \(member.text): \(value)"), "\(Noun.type) \(member.text)")
            }
        }

        try expect(TaskItem.self)
        try expect(Kanban.Category.self)
        try expect(DDay.self)
        try expect(Settings.self)
    }

    @Test func `the description has each, wherever a noun stands`() async throws {
        let schemas = try await TestBoard().send(.get, "/openapi.json").json["components"]?["schemas"] ?? .null
        func expect<Noun: Kanban.Noun>(_ noun: Noun.Type, shown: [String], sent: [String]) throws {
            for (names, members) in [(shown, Noun.members), (sent, Noun.members.filter(\.isInBodies))] {
                for name in names {
                    let properties = try #require(schemas[name]?["properties"], "\(name)")
                    for member in members { #expect(properties[member.text] != nil, "\(name) \(member.text)") }
                }
            }
        }

        try expect(
            TaskItem.self, shown: ["Task", "UpcomingTask", "ExportedTask", "ImportedTask"],
            sent: ["NewTask", "TaskEdit"])
        try expect(
            Kanban.Category.self, shown: ["Category", "ExportedCategory", "ImportedCategory"],
            sent: ["NewCategory", "CategoryReplacement", "CategoryPatch"])
        try expect(
            DDay.self, shown: ["DDay", "ExportedDDay", "ImportedDDay"],
            sent: ["NewDDay", "DDayReplacement", "DDayPatch"])
        try expect(Settings.self, shown: ["Settings", "ExportedSettings"], sent: ["SettingsPatch"])
        let inHistory = schemas["HistoryMember"]?["enum"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(Set(inHistory) == Set(TaskItem.members.map(\.text)))
    }
}
