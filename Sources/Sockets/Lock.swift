#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A mutex of the system around a value.
///
/// Not `Synchronization.Mutex`, whose contended path on Linux the thread sanitizer cannot see: it would report a race
/// at every wake-up between threads.
// Unchecked because the mutex is what makes the state fit for any thread.
package struct Lock<State>: ~Copyable, @unchecked Sendable {
    // Unsafe pointers because a mutex must not move; they are owned by this value alone, and the state is touched only
    // between lock and unlock.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    package init(_ initial: State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body(&state.pointee)
    }
}
