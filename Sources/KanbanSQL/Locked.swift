import Foundation

/// A value behind a lock.
///
/// Not the `Mutex` of the standard library, for two reasons on Linux: the thread sanitizer does not see it when threads
/// wait for one another (its waiting part lies in a library that is not instrumented), and reports every such access as
/// a race; and it spins long before it waits, which costs more than waiting where there are more threads than cores.
///
/// Unchecked: `value` is touched with the lock held only.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
    }

    package func withLock<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
