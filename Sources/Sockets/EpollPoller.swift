#if canImport(Glibc)
    import CEpoll
    import Glibc

    /// The descriptors of one loop in the kernel: edge-triggered if not said otherwise, each added once for both directions.
    ///
    /// Everything but ``wake()`` is for the loop's thread only.
    struct Poller: ~Copyable {
        private let epoll: Descriptor
        private let wakeUp: Descriptor
        // Unsafe because epoll_wait fills it; owned by this value alone and freed in its deinit.
        private let events: UnsafeMutableBufferPointer<epoll_event>

        init() throws(SystemError) {
            let epoll = Descriptor(owning: try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
            let wakeUp = Descriptor(
                owning: try checked("eventfd") { eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)) })
            try Self.add(wakeUp.number, to: epoll.number)
            self.epoll = epoll
            self.wakeUp = wakeUp
            events = .allocate(capacity: 256)
        }

        deinit {
            events.deallocate()
        }

        /// Adds a descriptor. Closing the descriptor removes it from the kernel's set.
        /// - Parameter isLevelTriggered: reports again and again while there is something to read, and nothing else.
        func add(_ descriptor: Int32, isLevelTriggered: Bool) throws(SystemError) {
            try Self.add(descriptor, isLevelTriggered: isLevelTriggered, to: epoll.number)
        }

        private static func add(
            _ descriptor: Int32, isLevelTriggered: Bool = false, to epoll: Int32
        ) throws(SystemError) {
            var event = epoll_event()
            event.events =
                isLevelTriggered
                ? EPOLLIN.rawValue : EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
            event.data.fd = descriptor
            _ = try checked("epoll_ctl") { epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) }
        }

        /// Waits until a descriptor is ready, `wake` is called, or the time is over.
        ///
        /// - Parameter milliseconds: 0 does not wait, -1 waits without a limit.
        /// - Returns: the number of events; read them with ``event(_:)``.
        func wait(milliseconds: Int32) -> Int {
            // Only EINTR is possible here; the loop calls again.
            max(0, Int(epoll_wait(epoll.number, events.baseAddress, Int32(events.count), milliseconds)))
        }

        /// An event of the last ``wait(milliseconds:)``: the descriptor and its readiness; `nil` for a `wake`.
        func event(_ index: Int) -> (descriptor: Int32, readiness: Readiness)? {
            let event = events[index]
            let descriptor = event.data.fd
            if descriptor == wakeUp.number {
                var value: UInt64 = 0
                _ = read(descriptor, &value, 8)
                return nil
            }
            var readiness: Readiness = []
            if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
            if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
            if event.events & EPOLLRDHUP.rawValue != 0 { readiness.formUnion([.ended, .readable]) }
            if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 {
                readiness.formUnion([.broken, .readable, .writable])
            }
            return (descriptor, readiness)
        }

        /// Ends a `wait` from any thread.
        func wake() {
            var one: UInt64 = 1
            // EAGAIN: the counter is full, so a wake-up is pending.
            _ = write(wakeUp.number, &one, 8)
        }
    }
#endif
