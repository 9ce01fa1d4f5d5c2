import Foundation
import Kanban
import KanbanAccess
import KanbanRows
import TestSupport
import Testing

/// The two rules of texts on every store: what is the same, and what comes first.
struct TextComparisonTests {
    @Test(arguments: StoreHome.allCases, [1, 2] as [UInt64])
    func `a walk of every sort at every page size sees each task once`(home: StoreHome, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let box = try home.open()
        // Few letters, so that titles are often alike but for their composition or their case.
        let pieces = ["회", "의", "é", "É", "ß", "SS", "Å", "ガ", "ﬁ", "a", "A", "\u{1e69}", "😀", "\u{ff21}", "z"]
        let made = (0..<36).map { _ in
            let text = (0...Int.random(in: 0..<3, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let forms = [text, text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
            return (
                title: forms.randomElement(using: &random) ?? text,
                status: TaskStatus.allCases.randomElement(using: &random) ?? .todo
            )
        }
        let tasks = try await box.store.write { tx in
            try made.enumerated().map { number, task in
                try tx.makeTask(task.title, status: task.status, position: "a\(number % 9)")
            }
        }

        for sort in TaskQuery.Sort.allCases {
            for descending in [false, true] {
                var query = TaskQuery()
                query.sort = sort
                query.descending = descending
                let expected = query.answer(from: tasks).map(\.id)
                // The store that fails now and then takes its time.
                for limit in home == .file ? Array(1...37) : [1, 2, 5, 7, 13, 35, 36, 37] {
                    let seen = try await box.store.read { [query] in
                        (try $0.walk(query, limit: limit).map(\.id), try $0.walkIDs(query, limit: limit))
                    }
                    #expect(seen.0 == expected, "\(sort) \(descending) by \(limit)")
                    #expect(seen.1 == expected, "\(sort) \(descending) by \(limit)")
                }
            }
        }
    }

    @Test(arguments: StoreHome.allCases)
    func `a name is taken in every composition and case, and found by it`(home: StoreHome) async throws {
        let box = try home.open()
        let composed = try await box.store.write {
            try $0.createCategory(id: nil, faultsAt: "#") { $0.name = "한글 Café" }
        }

        for name in ["한글 Café", "한글 CAFÉ", "한글 café".decomposedStringWithCanonicalMapping] {
            #expect(try await box.store.read { try $0.category(named: name)?.id } == composed.id)
            await #expect(throws: BoardError.self) {
                try await box.store.write { _ = try $0.createCategory(id: nil, faultsAt: "#") { $0.name = name } }
            }
        }
        #expect(try await box.store.read { try $0.category(named: "한글 Cafe") } == nil)
    }

    @Test(arguments: StoreHome.allCases)
    func `categories come in the order of texts`(home: StoreHome) async throws {
        let box = try home.open()
        let names = ["Alpha", "beta", "e\u{301}x", "z", "\u{ff21}", "😀"]
        try await box.store.write { tx in
            for name in names.reversed() { _ = try tx.createCategory(id: nil, faultsAt: "#") { $0.name = name } }
        }

        let listed = try await box.store.read { try $0.categories().map(\.name) }

        #expect(
            listed.map { Array($0.utf8) } == names.map { Array($0.utf8) })
    }

    @Test(
        arguments: StoreHome.allCases,
        [
            ("회의", ["회의 준비"]), ("회의".decomposedStringWithCanonicalMapping, ["회의 준비"]), ("ㅎㅇ ㅈㅂ", ["회의 준비"]),
            ("ㅊㅅ", ["책상"]), ("ㅅㅊ", []), ("cafe", ["CAFÉ"]), ("café", ["CAFÉ"]), ("ｶﾞｽ", ["ガス"]), ("がす", ["ガス"]),
            ("final", ["ﬁnal"]), ("buy milk", ["Buy oat milk"]), ("\"buy milk\"", []),
            ("\"oat milk\"", ["Buy oat milk"]),
            ("가구", ["책상"]), ("책상 가구", ["책상"]), ("준비 가구", []), ("100%", ["100% _"]), ("[", []),
            // Nothing of a search lies between title and body.
            ("\u{1e}", []), ("cafe\u{a0}", ["CAFÉ"]), ("\"cafe\u{a0}\"", []), ("\"cafe o\"", []), ("fé\u{1e}", []),
        ])
    func `a search finds what a reader calls the same`(home: StoreHome, search: (text: String, titles: [String]))
        async throws
    {
        let box = try home.open()
        try await box.store.write { tx in
            try tx.makeTask("회의 준비".decomposedStringWithCanonicalMapping)
            _ = try tx.createTask(id: nil, title: "책상", TaskEdit(body: "새 가구"))
            _ = try tx.createTask(id: nil, title: "CAFÉ", TaskEdit(body: "ouvert"))
            for title in ["ガス", "ﬁnal", "Buy oat milk", "100% _"] { try tx.makeTask(title) }
        }
        var query = TaskQuery()
        query.search = SearchTerm.terms(of: search.text)

        let found = try await box.store.read { [query] in try $0.tasks(query).map(\.title) }

        #expect(found == search.titles)
    }

    /// One character of these becomes 18 in what a search looks through: a quota that counts title and body alone lets an account
    /// take eleven times as much.
    @Test(arguments: StoreHome.allCases)
    func `the quota counts what a search looks through`(home: StoreHome) async throws {
        let box = try home.open()
        func bytes() async throws -> Int64 { try await box.store.read { try $0.usage().bytes } }
        let swelling = String(repeating: "\u{fdfa}", count: 1_000)
        let task = try await box.store.write { try $0.createTask(id: nil, title: "plain", TaskEdit(body: "plain")) }
        let plain = try await bytes()

        try await box.store.write { _ = try $0.updateTask(task.id, TaskEdit(body: swelling)) }
        let swollen = try await bytes()
        #expect(swollen > plain + 3_000 + 30_000)
        #expect(try box.check() == [])
        try await box.store.write { _ = try $0.moveTask(task.id, TaskMove(status: .done)) }
        #expect(try box.check() == [])
        try await box.store.write { _ = try $0.updateTask(task.id, TaskEdit(body: "plain")) }
        #expect(try await bytes() < swollen - 30_000)

        let other = try await box.store.write {
            try $0.createTask(id: nil, title: swelling.prefix(200) + "", TaskEdit())
        }
        try await box.store.write { tx in
            try tx.removeTask(other.id)
            let rows = try #require(tx as? any SQLBoardWriter)
            try rows.purgeTask(other.id, before: Timestamp(milliseconds: .max))
        }
        #expect(try box.check() == [])
        #expect(try await bytes() < swollen - 30_000)
    }
}

extension Store {
    fileprivate func read<T: Sendable>(_ body: @escaping @Sendable (any BoardReader) throws -> T) async throws -> T {
        try await read(.local, body)
    }
}
