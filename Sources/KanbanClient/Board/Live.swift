import Foundation
import Kanban

/// A value of the board that follows it: the newest one at once, then each time it is another. Values that nobody took
/// are passed over.
public struct Live<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    /// Reads the value, and until when it stays so without any edit.
    let read: @Sendable () throws -> (value: Value, validUntil: Timestamp?)
    let isSame: @Sendable (Value, Value) -> Bool
    let query: LiveQuery
    let regions: Set<Region>
    let notifier: RegionNotifier
    let dependencies: Dependencies
    let reads: LiveReads

    /// The value as the device has it now. Takes no longer than reading it: for the first frame of a view.
    public func current() throws -> Value {
        try read().value
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(live: self)
    }

    public struct Iterator: AsyncIteratorProtocol {
        private let live: Live
        private var last: Known?

        init(live: Live) {
            self.live = live
        }

        /// The value at first, and then the next other one. `nil` when the task is cancelled or the board is closed.
        public mutating func next() async throws -> Value? {
            guard let next = try await live.next(after: last) else { return nil }
            last = next
            return next.value
        }
    }

    /// A value, how long it is valid without an edit, and the version of the regions that it was read from.
    struct Known: Sendable {
        var value: Value
        var validUntil: Timestamp?
        var version: UInt64
    }

    /// Waits and compares away from the client's actor: the main thread is woken for another value only, and never waits for the
    /// disk.
    @concurrent
    private func next(after last: Known?) async throws -> Known? {
        reads.follow(query)
        defer { reads.leave(query) }
        var last = last
        while true {
            if let last { await wait(after: last.version, until: last.validUntil) }
            guard !Task.isCancelled, !notifier.isClosed else { return nil }
            let reading = try await reads.reading(of: query, since: notifier.version(of: regions)) { [self] in
                // Asked before the replica, so that a later change counts again.
                let version = notifier.version(of: regions)
                let (value, validUntil) = try read()
                return LiveReads.Reading(value: value, validUntil: validUntil, version: version)
            }
            guard let value = reading.value as? Value else {
                preconditionFailure("a query has values of one type")
            }
            let isNews = last.map { !isSame($0.value, value) } ?? true
            last = Known(value: value, validUntil: reading.validUntil, version: reading.version)
            if isNews { return last }
        }
    }

    /// Returns when a region changes, or when the clock changes the value.
    private func wait(after version: UInt64, until moment: Timestamp?) async {
        guard let moment else {
            await notifier.wait(for: regions, after: version)
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await notifier.wait(for: regions, after: version) }
            group.addTask {
                let left = Swift.max(moment.milliseconds - dependencies.now().milliseconds, 0)
                // Ends early when the group is cancelled.
                try? await dependencies.sleep(.milliseconds(Swift.min(left, LiveReads.longestValidity) + 1))
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Live where Value: Equatable {
    /// A value that stays as it is: for previews and tests of views.
    public static func constant(_ value: Value) -> Live {
        alone { (value, nil) }
    }

    /// A value that cannot be read: for previews and tests of what a view shows then.
    public static func failing(_ error: KanbanError) -> Live {
        alone { throw error }
    }

    /// Each with readings of its own, since all of them have one query.
    private static func alone(_ read: @escaping @Sendable () throws -> (value: Value, validUntil: Timestamp?)) -> Live {
        let dependencies = Dependencies()
        return Live(.constant, of: [], RegionNotifier(), dependencies, LiveReads(now: dependencies.now), read: read)
    }

    init(
        _ query: LiveQuery, of regions: Set<Region>, _ notifier: RegionNotifier, _ dependencies: Dependencies,
        _ reads: LiveReads, read: @escaping @Sendable () throws -> (value: Value, validUntil: Timestamp?)
    ) {
        self.read = read
        self.query = query
        self.regions = regions.union([.board])
        self.notifier = notifier
        self.dependencies = dependencies
        self.reads = reads
        isSame = { $0 == $1 }
    }
}
