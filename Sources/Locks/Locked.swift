#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A value behind a mutex of the system.
///
/// Not `Synchronization.Mutex`, for two reasons on Linux: it waits in a library that the thread sanitizer does not see
/// into, and which it therefore takes for a race at every wake-up between threads; and it spins long before it waits,
/// which costs more than waiting where there are more threads than cores.
///
/// Unchecked: the value is touched with the mutex held only.
package final class Locked<Value>: @unchecked Sendable {
    // By pointer, because a mutex must not move. Freed with the object that owns it.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    // Not checked for overlapping access, in builds for speed too a fifth of a request: the mutex sees to it, and a thread
    // that came back to a lock that it holds would wait for ever.
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

    // Inlinable, so that it is made for the value that it locks: in general it took as long as the locking.
    @inlinable
    package func withLock<Result>(_ body: (inout Value) throws -> sending Result) rethrows -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
