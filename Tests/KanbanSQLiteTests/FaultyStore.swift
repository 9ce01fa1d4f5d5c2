import Dispatch
import Kanban
import KanbanAccess
import KanbanRows
import TestSupport

/// A store that is as slow and as unreliable as the laws of ``Store`` allow: every call waits for another thread, and the
/// first run of each body fails somewhere in the middle, after which it is run again from the same state.
///
/// Unchecked: the connection and what belongs to it are for the queue only.
final class FaultyStore: Store, AccessStore, @unchecked Sendable {
    private let queue = DispatchQueue(label: "kanbase.test.faulty")
    private let engine: FaultyEngine
    private let session: WriteSession<FaultyEngine>
    private let context: BoardContext
    private let ids = IDSource(random: { UInt64.random(in: .min ... .max) })
    private var bodies = 0

    init(path: String, clock: @escaping @Sendable () -> Timestamp) throws {
        engine = try FaultyEngine(path: path)
        session = WriteSession(engine)
        context = BoardContext(clock: clock)
    }

    func close() {
        queue.sync { engine.close() }
    }

    var local: (any LocalStore)? { nil }
    var localAccess: (any LocalAccessStore)? { nil }

    func read<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await run { [self] in
            try body(FaultyBoard(account: account, connection: engine, context: context))
        }
    }

    func readAside<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await read(account, body)
    }

    func readDetached<T: Sendable>(
        _ account: AccountKey, _ body: @escaping @Sendable (any BoardReader) throws -> T
    ) async throws -> T {
        try await read(account, body)
    }

    func feedState(of account: AccountKey) async throws -> FeedState {
        try await read(account) { try $0.feedState() }
    }

    func write<T: Sendable>(
        _ account: AccountKey, session: ID?, _ body: @escaping @Sendable (any BoardWriter) throws -> T
    ) async throws -> T {
        try await transact(account, session) { try body($0) }
    }

    func readAccess<T: Sendable>(_ body: @escaping @Sendable (any AccessReader) throws -> T) async throws -> T {
        try await run { [self] in try body(FaultyAccess(connection: engine, context: context)) }
    }

    func writeAccess<T: Sendable>(
        _ body: @escaping @Sendable (any AccessWriter) throws -> T
    ) async throws -> T {
        try await transact(AccountKey(number: 0), nil) { try body(FaultyAccessWriter(writer: $0)) }
    }

    private func transact<T: Sendable>(
        _ account: AccountKey, _ author: ID?, _ body: @escaping @Sendable (FaultyBoardWriter) throws -> T
    ) async throws -> T {
        try await run { [self] in
            try session.begin()
            do {
                let writer = FaultyBoardWriter(
                    account: account, session: author, now: context.clock(), context: context, writing: session,
                    ids: ids)
                let result = try body(writer)
                try engine.requireSound()
                _ = try session.commit(at: writer.now)
                return result
            } catch {
                engine.recover()
                try session.rollBack()
                session.forgetCachedAccounts()
                throw error
            }
        }
    }

    /// On the queue; the first time with a step that fails, and then again until it does not.
    private func run<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [self] in
                bodies += 1
                engine.stepsToFault = bodies % 7
                continuation.resume(with: Result { try retried(body) })
            }
        }
    }

    private func retried<T>(_ body: () throws -> T) throws -> T {
        while true {
            do {
                let result = try body()
                try engine.requireSound()
                engine.stepsToFault = nil
                return result
            } catch is FaultyEngine.InjectedFault {
                engine.recover()
            }
        }
    }
}
