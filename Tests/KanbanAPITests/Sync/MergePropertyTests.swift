import Foundation
import HTTP
import JSON
import TestSupport
import Testing

/// What holds of the member-wise merge whatever the edits are. `KANBASE_MERGE_SEEDS=500` tries 500.
struct MergePropertyTests {
    // One over several servers, which change no rule of the merge: each has dozens of boards.
    private static let seeds = Array(
        1...max(
            1,
            ProcessInfo.processInfo.environment["KANBASE_MERGE_SEEDS"].flatMap { Int($0) }
                ?? (SharedServers.count == 0 ? 8 : 1)))
    private static let policies = ["merge", "keep", "reject"]

    @Test(arguments: seeds, policies)
    func `the order in which independent edits arrive does not matter`(seed: Int, policy: String) async throws {
        var random = SeededRandom(seed)
        let setting = try await Setting()
        let edits = setting.kinds.flatMap { kind in
            kind.divided(among: 3, using: &random).filter { !$0.isEmpty }.map { (kind: kind, edit: $0) }
        }
        let wanted = setting.kinds.map { kind in
            edits.filter { $0.kind.type == kind.type }.reduce(into: [String: JSON]()) { all, part in
                all.merge(part.edit) { one, _ in one }
            }
        }

        for _ in 0..<3 {
            let board = try await Setting(like: setting)
            for (kind, edit) in edits.shuffled(using: &random) {
                let result = try await board.push(kind, edit, base: board.base, policy)
                #expect(result.status == "applied", "seed \(seed)")
                #expect(result["conflicts"] == [], "seed \(seed)")
            }

            for (kind, all) in zip(setting.kinds, wanted) {
                let now = try await board.show(kind)
                for (member, value) in all { #expect(now[member] == value, "seed \(seed): \(kind.type) \(member)") }
            }
        }
    }

    @Test(arguments: seeds, policies)
    func `any edits on any copies come out as the contract says, and repeating them changes nothing`(
        seed: Int, policy: String
    ) async throws {
        var random = SeededRandom(seed &* 3)
        let setting = try await Setting()
        var models: [String: MergeModel] = [:]
        for kind in setting.kinds {
            models[kind.type] = MergeModel(try await setting.show(kind), members: Array(kind.members.keys))
        }
        var newest = setting.base
        var sent: [(mutation: JSON, result: JSON)] = []

        for _ in 0..<40 {
            if Int.random(in: 0..<3, using: &random) == 0, let old = sent.randomElement(using: &random) {
                #expect(try await setting.board.sync([old.mutation]) == [old.result], "seed \(seed)")
                #expect(try await setting.newest == newest, "seed \(seed)")
                continue
            }
            let kind = try #require(setting.kinds.randomElement(using: &random))
            let edit = kind.edit(using: &random)
            let base =
                Int.random(in: 0..<8, using: &random) == 0 ? nil : Int.random(in: setting.base...newest, using: &random)
            let mutation = kind.mutation(edit, base: base, policy, using: &random)
            let result = try await setting.board.sync([mutation])[0]

            let expected = models[kind.type]?.apply(edit, base: base, policy: policy, at: newest + 1)
            #expect(MergeModel.Outcome(result) == expected, "seed \(seed): \(mutation)")
            newest = try await setting.newest
            sent.append((mutation, result))
        }

        for kind in setting.kinds {
            let now = try await setting.show(kind)
            for (member, value) in models[kind.type]?.members ?? [:] {
                #expect(now[member] == value, "seed \(seed): \(kind.type) \(member)")
            }
        }
    }

    @Test(arguments: seeds, policies)
    func `an outbox that is sent again and again, longer each time, comes out as if sent once`(
        seed: Int, policy: String
    ) async throws {
        var random = SeededRandom(seed &* 5)
        let once = try await Setting()
        let often = try await Setting(like: once)
        // Somebody else was faster with some members.
        let others = once.kinds.map { ($0, $0.edit(using: &random)) }
        for (kind, edit) in others {
            _ = try await once.push(kind, edit, base: nil, "merge")
            _ = try await often.push(kind, edit, base: nil, "merge")
        }
        let outbox = (0..<12).map { _ in
            let kind = once.kinds[Int.random(in: 0..<once.kinds.count, using: &random)]
            return kind.mutation(kind.edit(using: &random), base: once.base, policy, using: &random)
        }

        let results = try await once.board.sync(outbox)
        var repeated: [JSON] = []
        var count = 0
        while count < outbox.count {
            count = Int.random(in: count + 1...outbox.count, using: &random)
            repeated = try await often.board.sync(Array(outbox[..<count]))
        }

        #expect(repeated == results, "seed \(seed)")
        for kind in once.kinds { #expect(try await often.show(kind) == once.show(kind), "seed \(seed)") }
    }
}

/// A board with one of each kind.
private struct Setting {
    let board: TestBoard
    let kinds: [Kind]
    /// The revision that all clients have seen.
    let base: Int

    init(like other: Setting? = nil) async throws {
        board = try TestBoard()
        kinds = other?.kinds ?? Kind.all
        let categories: [JSON] = Kind.categories.enumerated().map { index, id in
            .mutation(of: "category", "create", id, ["name": .string("Category \(index)")])
        }
        let things: [JSON] = kinds.compactMap { kind in
            kind.id.map { .mutation(of: kind.type, "create", $0, kind.beginning) }
        }
        _ = try await board.sync(categories + things)
        base = try await board.newest
    }

    var newest: Int { get async throws { try await board.newest } }

    func push(_ kind: Kind, _ edit: [String: JSON], base: Int?, _ policy: String) async throws -> JSON {
        var random = SystemRandomNumberGenerator()
        return try await board.sync([kind.mutation(edit, base: base, policy, using: &random)])[0]
    }

    func show(_ kind: Kind) async throws -> JSON {
        let answer = await board.send(.get, kind.path)
        try #require(answer.status == 200)
        return answer.json
    }

    func remove() throws {
    }
}

extension TestBoard {
    /// The account's revision.
    fileprivate var newest: Int {
        get async throws { try #require(Int(try await pull().cursor.split(separator: "-")[1])) }
    }
}

/// A thing, the members of it that a client can change, and values for them.
private struct Kind: Sendable {
    var type: String
    var id: String?
    var path: String
    var beginning: JSON
    var members: [String: [JSON]]

    static let categories = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"]

    static let all: [Kind] = [
        Kind(
            type: "task", id: "00000000-0000-4000-8000-000000000001",
            path: "/tasks/00000000-0000-4000-8000-000000000001", beginning: ["title": "Task"],
            members: [
                "title": ["One", "둘", "Drei"], "body": ["", "a", "b"], "status": ["todo", "doing", "done"],
                "categoryId": [.null, .string(categories[0]), .string(categories[1])],
                "dueDate": [.null, "2026-12-01", "2026-12-01T09:00:00.000Z"],
            ]),
        Kind(
            type: "category", id: "00000000-0000-4000-8000-000000000002",
            path: "/categories/00000000-0000-4000-8000-000000000002", beginning: ["name": "Category"],
            members: [
                "name": ["Home", "일", "Garden"], "color": [.null, "#ff0000", "#00ff00"], "emoji": [.null, "🌱", "👩‍👩‍👧"],
            ]),
        Kind(
            type: "dday", id: "00000000-0000-4000-8000-000000000003",
            path: "/ddays/00000000-0000-4000-8000-000000000003", beginning: ["title": "Day", "date": "2026-12-24"],
            members: [
                "title": ["Exam", "시험"], "date": ["2026-12-25", "2028-02-29"], "repeats": ["none", "yearly"],
                "color": [.null, "#0000ff"], "emoji": [.null, "🎂"],
            ]),
        Kind(
            type: "settings", id: nil, path: "/settings", beginning: [:],
            members: [
                "timeZone": [.null, "Asia/Seoul", "Europe/Berlin"], "locale": [.null, "ko", "ja"],
                "custom": [["theme": "dark"], ["theme": "light"]],
            ]),
    ]

    /// Some members, each with some value.
    func edit(using random: inout some RandomNumberGenerator) -> [String: JSON] {
        let names = members.keys.sorted().shuffled(using: &random)
            .prefix(Int.random(in: 1...members.count, using: &random))
        return names.reduce(into: [:]) { edit, name in edit[name] = members[name]?.randomElement(using: &random) }
    }

    /// Edits of several clients, none of which touches a member of another's. Each changes what it names.
    func divided(among count: Int, using random: inout some RandomNumberGenerator) -> [[String: JSON]] {
        var parts = [[String: JSON]](repeating: [:], count: count)
        for name in members.keys.sorted() {
            let value = members[name]?.last
            parts[Int.random(in: 0..<count, using: &random)][name] = value
        }
        return parts
    }

    func mutation(
        _ edit: [String: JSON], base: Int?, _ policy: String, using random: inout some RandomNumberGenerator
    ) -> JSON {
        var random = SeededRandom(Int(truncatingIfNeeded: random.next() >> 8))
        let value = JSON.object(edit.sorted { $0.key < $1.key }.map { JSON.Member($0.key, $0.value) })
        return .mutation(
            of: type, "patch", id, base: base, value, onConflict: policy, mutationID: random.id())
    }
}
