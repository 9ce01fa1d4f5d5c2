import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire
import TestSupport
import Testing

@testable import KanbanAPI
@testable import KanbanClient

/// The replica against boards of plain values: after any sequence of edits and integrations it shows the server's state
/// with the pending edits performed on it again.
struct ReplicaModelTests {
    /// `KANBASE_REPLICA_SEEDS` is the number of scenarios; `KANBASE_REPLICA_SEED` runs one again.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let one = environment["KANBASE_REPLICA_SEED"].flatMap(UInt64.init) { return one..<(one + 1) }
        return 0..<(environment["KANBASE_REPLICA_SEEDS"].flatMap(UInt64.init) ?? 300)
    }()

    @Test func `the replica shows the server's state with the pending edits performed again`() async throws {
        let lanes = UInt64(ProcessInfo.processInfo.activeProcessorCount)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<lanes {
                group.addTask { try await Self.tell(Self.seeds.filter { $0 % lanes == lane }) }
            }
            try await group.waitForAll()
        }
    }

    /// Ends at the first scenario with a fault.
    private static func tell(_ seeds: [UInt64]) async throws {
        for seed in seeds {
            let scenario = try ReplicaScenario(seed: seed)
            try await scenario.run()
            let trail = (scenario.faults + scenario.trail.suffix(12)).joined(separator: "\n")
            #expect(scenario.faults.isEmpty, "KANBASE_REPLICA_SEED=\(seed): \(trail)")
            guard scenario.faults.isEmpty else { return }
        }
    }
}

/// One scenario: chance decides what the user and others edit, and what the server answers.
private final class ReplicaScenario {
    private(set) var faults: [String] = []
    private(set) var trail: [String] = []

    private var random: SeededRandom
    private let directory: TemporaryDirectory
    private let clock = TestClock()
    private let replica: Replica
    private let server = ValueBoard()
    private var model = ReplicaModel()
    /// An answer without changes removed edits whose effect is still shown; the next page takes it away.
    private var isBetween = false
    /// The task that was edited last.
    private var lastTask: ResourceKey?
    private var earlierCursor: String?

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        directory = try TemporaryDirectory()
        var dependencies = Dependencies()
        let clock = clock
        dependencies.now = { clock.now }
        replica = try Replica(in: URL(filePath: directory.path), dependencies: dependencies)
    }

    func run() async throws {
        for _ in 0..<(10 + random.below(30)) where faults.isEmpty {
            clock.advance(seconds: Int64(random.below(90)))
            server.now = clock.now
            model.set(now: clock.now)
            try await step()
        }
        await replica.close()
    }

    private func step() async throws {
        switch random.below(20) {
        case 0...8: try await edit(count: random.chance(5) ? 4 : 1)
        case 9...10: try await undo(redo: random.chance(3))
        case 11...13: try editElsewhere()
        case 14...15:
            try await pull()
            if random.chance(2), try !hasMore() { try await readTrash() }
        case 16: try await stream()
        case 17...18: try await push()
        case 19 where random.chance(4): try await restoreServer()
        default: try await edit(count: 1)
        }
    }

    // MARK: - Edits

    /// One edit, or several in one transaction, of which none is made if one is refused.
    private func edit(count: Int) async throws {
        let before = model.shown.state
        var mutations: [StoredMutation] = []
        var isAllowed = true
        for _ in 0..<count where isAllowed {
            var mutation = random.mutation(on: model.shown)
            // Edits of the same task become one in the outbox.
            if [.move, .patch].contains(mutation.op), mutation.resource.type == .task, random.chance(3) {
                mutation.resource = lastTask ?? mutation.resource
            }
            if mutation.resource.type == .task { lastTask = mutation.resource }
            mutations.append(mutation)
            isAllowed = try model.edit(mutations[mutations.count - 1])
        }
        if !isAllowed { model.shown.state = before }
        trail.append("edit \(mutations.map(\.summary).joined(separator: ", ")): \(isAllowed ? "made" : "refused")")
        let sent = mutations
        let isMade: Bool
        do {
            try await replica.write { transaction in
                var inverses: [[UndoStep]] = []
                for mutation in sent { inverses.append(try transaction.edit(mutation)) }
                try transaction.remember(inverses.reversed().flatMap(\.self), name: "edit")
            }
            isMade = true
        } catch is KanbanError {
            isMade = false
        }
        if isMade != isAllowed { faults.append("the replica \(isMade ? "makes" : "refuses") the edit") }
        try look()
        // Undone at once, it leaves no trace but ids and what is in the trash.
        guard faults.isEmpty, isMade, !isBetween, random.chance(6), model.shown.revision != before.feed.revision else {
            return
        }
        let old = ValueBoard()
        old.state = before
        try await undo(redo: false)
        let (was, isNow) = (old.words(), model.shown.words())
        if was != isNow { faults.append("undone:\n\(was)\nis\n\(isNow)") }
    }

    private func undo(redo: Bool) async throws {
        let steps = try replica.read { reader in
            try reader.connection.all(
                "SELECT steps FROM undo WHERE redo = ?1 ORDER BY n DESC LIMIT 1", [.integer(redo ? 1 : 0)]
            ) { try UndoStep.all(in: $0.text()) }.first ?? []
        }
        let isUnsent = try await isUnsent(steps)
        let kind = isUnsent ? "unsent" : "as a new edit"
        trail.append("\(redo ? "redo" : "undo") \(kind) \(steps.map(\.mutation.summary).joined(separator: ", "))")
        let count = try outbox().count
        _ = try await replica.write { try $0.undo(redo: redo) }
        if isUnsent {
            if try outbox().count > count { faults.append("an unsent edit is undone by another") }
            isBetween = false
            try model.show(try outbox())
        } else {
            try model.undo(try replica.own(steps))
        }
        try look()
    }

    /// True when the edits of these steps can be taken out of the outbox.
    private func isUnsent(_ steps: [UndoStep]) async throws -> Bool {
        do {
            try await replica.write { if try $0.withdraw(steps) != nil { throw KanbanError.notFound } }
            return false
        } catch KanbanError.notFound {
            return !steps.isEmpty
        }
    }

    private func editElsewhere() throws {
        for _ in 0...random.below(4) {
            let mutation = random.mutation(on: server)
            trail.append("elsewhere \(mutation.summary)")
            do { _ = try server.perform(mutation) } catch is BoardError { continue }
        }
    }

    // MARK: - The server

    private func page(after cursor: String?, limit: Int) throws -> [JSON.Member] {
        var json = JSONWriter(capacity: 4_096)
        json.beginObject()
        _ = try json.changes(after: server.cursor(cursor), limit: limit, in: server)
        json.endObject()
        return try JSON(parsing: json.bytes).objectMembers ?? []
    }

    private func cursor() throws -> String? {
        try replica.read { try $0.connection.state(.cursor) }
    }

    /// Some pages, or all.
    private func pull() async throws {
        let limit = random.chance(2) ? 1_000 : 1 + random.below(5)
        repeat {
            try await integrate(try SyncResponse(.object(page(after: cursor(), limit: limit))))
        } while try hasMore() && !random.chance(4) && faults.isEmpty
    }

    private func hasMore() throws -> Bool {
        guard let cursor = try cursor() else { return true }
        return try server.cursor(cursor).map { $0.revision < server.revision } ?? true
    }

    /// The lists of the server's trash, as far as the device wants them.
    private func readTrash() async throws {
        let now = clock.now
        guard var reading = try replica.read({ try TrashReading($0, at: now) }) else { return }
        trail.append("read the trash, \(reading.isWhole ? "all" : "\(reading.wanted.count) wanted")")
        let trash = server.everything.filter { $0.deletedAt != nil }
        for type in [ResourceType.category, .dday, .task] {
            var list = trash.filter { $0.resource.type == type }.sorted { $0.revision ?? 0 > $1.revision ?? 0 }[...]
            while reading.needs(type), !list.isEmpty {
                let page = list.prefix(1 + random.below(5)).compactMap { Change.Value(shown: $0.json, as: type) }
                list = list.dropFirst(page.count)
                reading.note(page)
                try await replica.write { try $0.integrate(trash: page) }
                model.takeIn(trash: page)
            }
        }
        let shadows = try replica.read { try ReplicaContents($0) }.shadows.keys
        if reading.isWhole { model.forgetTrash(besides: Set(trash.map(\.resource)).union(shadows)) }
        let read = reading
        try await replica.write { try $0.finish(read) }
        isBetween = false
        try model.show(try outbox())
        try look()
    }

    /// What a stream brings: changes of a cursor, some of them known.
    private func stream() async throws {
        guard let cursor = try cursor(), try replica.read({ try $0.connection.state(.isLoading) }) == nil else {
            return
        }
        let start = random.chance(3) ? earlierCursor ?? cursor : cursor
        earlierCursor = cursor
        let page = try SyncResponse(.object(page(after: start, limit: 1 + random.below(3))))
        try await integrate(SyncResponse(changes: page.changes, cursor: page.cursor), isStream: true)
    }

    private func push() async throws {
        let most = 1 + random.below(8)
        guard let request = try await replica.write({ try $0.collectPush(most: most) }) else { return }
        let body = try SyncBody(request.body) { Kanban.Language.en.defaultTaskTitle }
        var push = try server.push(known: body.known, after: .init()) { $1.encoded($0) }
        try push.apply(body.mutations, isAtomic: false)
        guard !random.chance(5) else { return trail.append("push \(request.mutationIDs.count): the answer is lost") }
        let results = JSON.Member("results", .array(try push.progress.results.map { try JSON(parsing: $0) }))
        if request.hasMore {
            let results = SyncResponse.results(.object([results]))
            let sent = try outbox()
            trail.append("push \(request.mutationIDs.count) of more")
            try await replica.write { try $0.integrate(results: results) }
            let expected = answered(sent, results)
            model.forgetPurged(results, for: sent)
            isBetween = !model.adopt(results, for: sent)
            if !isBetween { try model.show(try outbox()) }
            try look(expecting: expected)
        } else {
            let limit = random.chance(2) ? 1_000 : 1 + random.below(5)
            trail.append("push \(request.mutationIDs.count)")
            try await integrate(try SyncResponse(.object(page(after: cursor(), limit: limit) + [results])))
        }
    }

    /// A backup comes back, with another history, and is read to its end.
    private func restoreServer() async throws {
        trail.append("restore")
        let old = server.state
        server.eraseBoard()
        for task in old.tasks.values.sorted(by: { $0.id < $1.id })
        where task.deletedAt == nil && random.chance(2) {
            server.save(task.restored(server.nextRevision()))
        }
        for var category in old.categories.values.sorted(by: { $0.id < $1.id }) {
            category.revision = server.nextRevision()
            category.freedAfter = nil
            server.save(category)
        }
        earlierCursor = nil
        try await replica.write { try $0.startOver() }
        model.startOver()
        repeat {
            let page = try SyncResponse(.object(page(after: cursor(), limit: 1 + random.below(9))))
            model.takeIn(page, own: [])
            try await replica.write { try $0.integrate(page) }
        } while try hasMore()
        try await readTrash()
    }

    private func integrate(_ answer: SyncResponse, isStream: Bool = false) async throws {
        trail.append(
            "\(isStream ? "stream" : "integrate") \(answer.changes.map { "\($0.revision) \($0.type)" }) more: \(answer.hasMore)"
        )
        let sent = try outbox()
        var expected = answered(sent, answer.results)
        if !answer.hasMore, !isStream { expected.removeAll { $0.isAnswered } }
        let own = sent.filter { !$0.isUnsent && $0.mutation.value["categoryId"] != nil }.map(
            \.mutation.resource)
        try await replica.write { try $0.integrate(answer, isStream: isStream) }
        // A stream that brings nothing new is not integrated.
        if !isStream || answer.changes.contains(where: { $0.revision > model.through }) {
            isBetween = false
            model.forgetPurged(answer.results, for: sent)
            model.takeIn(answer, isStream: isStream, own: Set(own))
            try model.show(try outbox())
        }
        try look(expecting: expected)
    }

    // MARK: - Looking

    private struct Pending: Equatable {
        var id: ID
        var isAnswered: Bool
    }

    private func outbox() throws -> [OutboxEdit] {
        try replica.read { try $0.connection.outbox() }
    }

    /// What is left of the outbox after these results.
    private func answered(_ outbox: [OutboxEdit], _ results: [SyncResponse.Result]) -> [Pending] {
        outbox.compactMap { edit in
            guard let result = results.first(where: { $0.mutationID == edit.mutationID }) else {
                return Pending(id: edit.mutationID, isAnswered: edit.isAnswered)
            }
            guard result.status != .conflict, result.status != .rejected else { return nil }
            return Pending(id: edit.mutationID, isAnswered: true)
        }
    }

    private func look(expecting expected: [Pending]? = nil) throws {
        let seen = try replica.read { try ReplicaContents($0) }
        try model.noteOwnTrash(besides: Set(seen.outbox.map(\.mutation.resource)), seen.shadows)
        let shown = try BoardPicture(model.shown)
        if seen.picture != shown { faults.append("the replica differs:\n\(seen.picture.difference(from: shown))") }
        if !isBetween, random.chance(2) {
            // An edit that was taken back is pending until the next integration, and changes nothing.
            let shown = try BoardPicture(model.shown, marks: false)
            let again = try BoardPicture(model.performed(seen.outbox), marks: false)
            if again != shown { faults.append("the outbox differs:\n\(again.difference(from: shown))") }
        }
        if let expected {
            let outbox = seen.outbox.map { Pending(id: $0.mutationID, isAnswered: $0.isAnswered) }
            if outbox != expected { faults.append("the outbox has \(outbox.count) edits, not \(expected.count)") }
        }
        let base = try model.performed([])
        for (resource, shadow) in seen.shadows {
            let known = base.value(of: resource)
            // Of an earlier history, the numbers are the replica's own.
            if known?.revision?.isOfEarlierHistory ?? false, shadow != nil { continue }
            guard shadow != known?.stored.text else { continue }
            faults.append("the shadow of \(resource) is \(shadow ?? "none")")
        }
    }
}

/// What a replica has on disk.
private struct ReplicaContents: Sendable {
    var picture: BoardPicture
    var outbox: [OutboxEdit]
    var shadows: [ResourceKey: String?]

    init(_ reader: SQLiteBoard) throws {
        picture = try BoardPicture(reader)
        outbox = try reader.connection.outbox()
        let rows = try reader.connection.all("SELECT type, id, value FROM shadow", []) { row in
            (ResourceType(rawValue: row.text()), row.optionalID(), row.optionalText())
        }
        shadows = [:]
        for case (let type?, let id, let value) in rows { shadows[ResourceKey(type: type, id: id)] = .some(value) }
    }
}

extension TaskItem {
    fileprivate func restored(_ revision: Revision) -> TaskItem {
        var task = self
        task.revision = revision
        task.memberRevisions = MemberRevisions(all: revision)
        return task
    }
}

extension StoredMutation {
    fileprivate var summary: String {
        "\(op) \(resource.type) \(resource.id?.description.suffix(4) ?? "") \(value.text)"
    }
}
