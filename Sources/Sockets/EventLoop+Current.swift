#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EventLoop {
    /// The thread-specific slot for the thread's loop.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let result = pthread_key_create(&key, nil)
        precondition(result == 0, "No thread-specific storage is left.")
        return key
    }()

    /// The loop whose thread this is; `nil` on any other thread.
    package static var current: EventLoop? {
        // The thread retains its loop.
        pthread_getspecific(key).map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
    }

    /// True if this is the loop's own thread.
    package var isCurrent: Bool {
        pthread_getspecific(EventLoop.key) == Unmanaged.passUnretained(self).toOpaque()
    }

    /// In debug builds, ends the process on any other thread. Use it wherever state of the loop is touched; it costs nothing
    /// in release builds.
    @inline(__always)
    package func assertIsCurrent(_ place: StaticString = #function) {
        assert(isCurrent, "\(place) is for the thread of loop \(index) only.")
    }

    static func enter(_ loop: EventLoop) {
        pthread_setspecific(key, Unmanaged.passUnretained(loop).toOpaque())
    }

    static func leave() {
        pthread_setspecific(key, nil)
    }
}
