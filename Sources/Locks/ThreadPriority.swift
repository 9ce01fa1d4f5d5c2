#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The priority of threads for long work: hashing passwords, TLS handshakes, searches, reading large bodies.
package enum ThreadPriority {
    /// Lowers the priority of this thread below event loops and the writer: on busy processors it gets a third of the time.
    /// All long work has the same priority, so that no kind of it starves another.
    package static func lower() {
        #if canImport(Darwin)
            pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #else
            // On Linux niceness belongs to the thread and cannot be raised again without privileges: so use a dedicated
            // thread, not one of a Dispatch queue.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }
}
