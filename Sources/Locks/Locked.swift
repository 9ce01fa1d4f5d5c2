#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value behind a mutex of the system.
///
/// Not `Synchronization.Mutex`, for two reasons on Linux: the thread sanitizer cannot see into its library and reports a
/// race at every wake-up between threads; and it spins for long before it waits, which costs more than waiting when there
/// are more threads than cores.
///
/// Unchecked: the value is used only while the mutex is held.
@usableFromInline
package final class Locked<Value>: @unchecked Sendable {
    // By pointer, because a mutex must not move. Freed with the object that owns it.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Not checked for overlapping access, which cost a fifth of a request in release builds: the mutex excludes it, and a
    // thread that takes a lock twice would wait for ever.
    @exclusivity(unchecked)
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        self.value = value
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    // Inlinable, so that it is specialized for the value: unspecialized it took as long as the locking. The type must be
    // usable from inline code for that, too.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
