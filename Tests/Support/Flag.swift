import Locks

/// Whether something has happened, for any thread.
package final class Flag: Sendable {
    private let value = Locked(false)

    package init() {}

    package var isSet: Bool { value.withLock { $0 } }

    package func set() { value.withLock { $0 = true } }
}
