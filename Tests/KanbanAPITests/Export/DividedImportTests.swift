import Dispatch
import HTTP
import JSON
import Kanban
import KanbanAccess
import KanbanRows
import KanbanSQLite
import Locks
import TestSupport
import Testing

/// What clients see while an import is on disk in part.
@Suite(.overAFile("only a file store has one writer for all accounts, so only there long imports are divided"))
struct DividedImportTests {
    private static let targets = [
        "/board", "/tasks?limit=200", "/tasks?q=Task", "/changes", "/stats", "/categories", "/export", "/upcoming",
        "/imports",
    ]
    private let board: TestBoard

    init() throws {
        board = try TestBoard(partTime: .zero)
    }

    @Test(arguments: [false, true], [[], [("Idempotency-Key", "once")]])
    func `a read in the middle of an import gets what was before, and the stream reports the import when it is whole`(
        isDryRun: Bool, headers: [(String, String)]
    ) async throws {
        try await board.task(#"{"title": "before"}"#)
        var before: [String: Answer] = [:]
        for target in Self.targets { before[target] = await board.send(.get, target) }
        let stream = try await board.follow()
        _ = await stream.untilReady()

        let isDone = Flag()
        let target = "/import?dryRun=\(isDryRun)"
        let report = Task { [board] in
            defer { isDone.set() }
            return await board.send(.post, target, BoardDocument.sample(tasks: 3_000), headers: headers)
        }
        try await inTheMiddle(isDone) {
            for target in Self.targets {
                let answer = await board.send(.get, target, isCached: false)
                #expect(answer.text == before[target]?.text, "\(target): \(board.observer.failures)")
                guard let tag = before[target]?.header("ETag") else { continue }
                let again = await board.send(.get, target, headers: [("If-None-Match", tag)])
                #expect(again.status == 304, "\(target)")
            }
        }

        let answer = await report.value
        #expect(answer.json["tasks"]?["created"] == 3_000)
        if !headers.isEmpty {
            let again = await board.send(.post, target, BoardDocument.sample(tasks: 3_000), headers: headers)
            #expect(again.body == answer.body)
            #expect(again.header("Idempotency-Replayed") == "true")
        }
        guard !isDryRun else {
            for target in Self.targets {
                #expect(await board.send(.get, target).body == before[target]?.body, "\(target)")
            }
            return
        }
        var seen: Set<String> = []
        while seen.count < 3_000, let event = await stream.nextChange() {
            seen.insert(event.json.id)
        }
        #expect(seen.count == 3_000)
        #expect(await board.send(.get, "/stats").json["total"] == 3_001)
    }

    @Test func `a board that was never written is replaced in parts`() async throws {
        let isDone = Flag()
        let report = Task { [board] in
            defer { isDone.set() }
            return await board.send(.post, "/import?mode=replace", BoardDocument.sample(tasks: 3_000))
        }
        try await inTheMiddle(isDone) {
            #expect(await board.send(.get, "/stats", isCached: false).json["total"] == 0)
        }
        #expect(await report.value.json["tasks"]?["created"] == 3_000)
    }

    @Test func `an import is taken back in several transactions`() async throws {
        try await board.task(#"{"title": "before"}"#)
        let report = await board.send(.post, "/import", BoardDocument.sample(tasks: 4_500)).json
        let commits = board.commits.withLock { $0 }

        let back = await board.send(.delete, "/imports/\(report["importId"]?.stringValue ?? "")")

        #expect(back.json == ["removed": 4_500, "kept": 0])
        #expect(board.commits.withLock { $0 } == commits + 3)
        #expect(await board.titles("/tasks") == ["before"])
        #expect(await board.send(.get, "/imports").json["items"] == [])
        let again = await board.send(.post, "/import", BoardDocument.sample(tasks: 4_500))
        #expect(again.json["tasks"]?["created"] == 4_500)
    }

    /// Does the work while a part is on disk and the import waits for its next turn.
    private func inTheMiddle(_ isDone: Flag, _ work: () async -> Void) async throws {
        while true {
            let (isMiddle, isBlocked, isBusy) = (Locked(false), DispatchSemaphore(value: 0), Flag())
            let (store, path) = (board.files, board.files.path)
            async let other: Void = store.writeAccess { _ in
                let connection = try SQLiteConnection(path: path, access: .readOnly)
                defer { connection.close() }
                let unfinished = try connection.integer("SELECT count(*) FROM unfinished_writes") ?? 0
                isMiddle.withLock { $0 = unfinished > 0 }
                isBusy.set()
                if unfinished > 0 { isBlocked.wait() }
            }
            try await until("another one writes") { isBusy.isSet }
            guard isMiddle.withLock({ $0 }) else {
                try await other
                try #require(!isDone.isSet, "The import was not divided.")
                continue
            }
            await work()
            isBlocked.signal()
            return try await other
        }
    }
}
