#if canImport(Darwin)
    import Darwin

    /// The descriptors of one loop in the kernel: edge-triggered (`EV_CLEAR`), each added once for both directions.
    ///
    /// Everything but ``wake()`` is for the loop's thread only.
    struct Poller: ~Copyable {
        private let queue: Descriptor
        // Unsafe because kevent fills it; owned by this value alone and freed in its deinit.
        private let events: UnsafeMutableBufferPointer<kevent>

        init() throws(SystemError) {
            let queue = Descriptor(owning: try checked("kqueue") { kqueue() })
            try Self.change(queue.number, 0, EVFILT_USER, UInt16(EV_ADD | EV_CLEAR))
            self.queue = queue
            events = .allocate(capacity: 256)
        }

        deinit {
            events.deallocate()
        }

        /// Adds a descriptor. Closing the descriptor removes it from the kernel's set.
        /// - Parameter isLevelTriggered: reports again and again while there is something to read, and nothing else.
        func add(_ descriptor: Int32, isLevelTriggered: Bool) throws(SystemError) {
            if isLevelTriggered { return try Self.change(queue.number, UInt(descriptor), EVFILT_READ, UInt16(EV_ADD)) }
            try Self.change(queue.number, UInt(descriptor), EVFILT_READ, UInt16(EV_ADD | EV_CLEAR))
            try Self.change(queue.number, UInt(descriptor), EVFILT_WRITE, UInt16(EV_ADD | EV_CLEAR))
        }

        /// Waits until a descriptor is ready, `wake` is called, or the time is over.
        ///
        /// - Parameter milliseconds: 0 does not wait, -1 waits without a limit.
        /// - Returns: the number of events; read them with ``event(_:)``.
        func wait(milliseconds: Int32) -> Int {
            var time = timespec(tv_sec: Int(milliseconds) / 1000, tv_nsec: Int(milliseconds) % 1000 * 1_000_000)
            let count = withUnsafePointer(to: &time) {
                kevent(queue.number, nil, 0, events.baseAddress, Int32(events.count), milliseconds < 0 ? nil : $0)
            }
            // Only EINTR is possible here; the loop calls again.
            return max(0, Int(count))
        }

        /// An event of the last ``wait(milliseconds:)``: the descriptor and its readiness; `nil` for a `wake`.
        func event(_ index: Int) -> (descriptor: Int32, readiness: Readiness)? {
            let event = events[index]
            if event.filter == Int16(EVFILT_USER) { return nil }
            var readiness: Readiness = event.filter == Int16(EVFILT_READ) ? .readable : .writable
            if event.flags & UInt16(EV_EOF) != 0 {
                readiness.formUnion(event.filter == Int16(EVFILT_READ) ? .ended : [.broken, .readable])
                if event.fflags != 0 { readiness.formUnion([.broken, .writable]) }
            }
            return (Int32(event.ident), readiness)
        }

        /// Ends a `wait` from any thread.
        func wake() {
            // It cannot fail: the event was added when the queue was made.
            try? Self.change(queue.number, 0, EVFILT_USER, 0, UInt32(NOTE_TRIGGER))
        }

        private static func change(
            _ queue: Int32, _ ident: UInt, _ filter: Int32, _ flags: UInt16, _ fflags: UInt32 = 0
        ) throws(SystemError) {
            var event = kevent(
                ident: ident, filter: Int16(filter), flags: flags, fflags: fflags, data: 0, udata: nil)
            _ = try checked("kevent") { kevent(queue, &event, 1, nil, 0, nil) }
        }
    }
#endif
