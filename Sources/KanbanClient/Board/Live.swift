import Foundation
import Kanban

/// A value of the board that follows it: the newest one at once, then each time it is another. Values that nobody took
/// are passed over.
public struct Live<Value: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Value

    /// Reads the value, and until when it stays so without any edit.
    let read: @Sendable () throws -> (value: Value, validUntil: Timestamp?)
    let isSame: @Sendable (Value, Value) -> Bool
    let regions: Set<Region>
    let doorbell: RegionDoorbell
    let dependencies: Dependencies

    /// The value as the device has it now. Takes no longer than reading it: for the first frame of a view.
    public func current() throws -> Value {
        try read().value
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(live: self)
    }

    public struct Iterator: AsyncIteratorProtocol {
        private let live: Live
        private var rings: UInt64 = 0
        private var last: (value: Value, validUntil: Timestamp?)?

        init(live: Live) {
            self.live = live
        }

        /// The value at first, and then the next other one. `nil` when the task is cancelled or the board is closed.
        public mutating func next() async throws -> Value? {
            while true {
                if let last {
                    await live.wait(after: rings, until: last.validUntil)
                }
                guard !Task.isCancelled, !live.doorbell.isClosed else { return nil }
                rings = live.doorbell.rings(of: live.regions)
                let (new, isNews) = try await live.readAside(after: last?.value)
                last = new
                if isNews { return new.value }
            }
        }
    }

    /// Reads and compares away from the caller's actor: the main thread does not wait for the disk.
    @concurrent
    private func readAside(
        after last: Value?
    ) async throws -> (new: (value: Value, validUntil: Timestamp?), isNews: Bool) {
        let new = try read()
        return (new, last.map { !isSame($0, new.value) } ?? true)
    }

    /// Returns at a ring, or when the clock makes it another value.
    private func wait(after rings: UInt64, until moment: Timestamp?) async {
        guard let moment else {
            await doorbell.wait(for: regions, after: rings)
            return
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await doorbell.wait(for: regions, after: rings) }
            group.addTask {
                let left = Swift.max(moment.milliseconds - dependencies.now().milliseconds, 0)
                // Ends early when the group is cancelled. At most an hour, for a clock may be set.
                try? await dependencies.sleep(.milliseconds(Swift.min(left, 3_600_000) + 1))
            }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Live where Value: Equatable {
    init(
        _ regions: Set<Region>, _ doorbell: RegionDoorbell, _ dependencies: Dependencies,
        read: @escaping @Sendable () throws -> (value: Value, validUntil: Timestamp?)
    ) {
        self.read = read
        self.regions = regions.union([.board])
        self.doorbell = doorbell
        self.dependencies = dependencies
        isSame = { $0 == $1 }
    }
}
