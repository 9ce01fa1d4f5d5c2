#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The priority of threads for long work: hashing passwords, searches, reading large bodies.
package enum ThreadPriority {
    /// Lowers the priority of this thread below event loops and the writer: where processors are short, it gets a third of
    /// their time. All long work has the same priority, so that no kind of it starves another.
    package static func lower() {
        #if canImport(Darwin)
            pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
        #else
            // On Linux niceness belongs to the thread, and without privileges there is no way back: it must be a thread of
            // its own and not one of a queue of Dispatch.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        #endif
    }
}
