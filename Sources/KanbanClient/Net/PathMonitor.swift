#if canImport(Network)
    import Dispatch
    import Locks
    import Network

    /// Tells when there may be a way to the server again. A hint to try, never a reason not to.
    ///
    /// Unchecked: the monitor is touched when this is made and when it goes.
    final class PathMonitor: @unchecked Sendable {
        private let monitor = NWPathMonitor()

        init(_ changed: @escaping @Sendable () -> Void) {
            // The first path is the one that there is.
            let isFirst = Locked(true)
            monitor.pathUpdateHandler = { path in
                let isNews = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return !isFirst
                }
                if isNews, path.status == .satisfied { changed() }
            }
            monitor.start(queue: DispatchQueue(label: "kanban.path", qos: .utility))
        }

        deinit {
            monitor.cancel()
        }
    }
#endif
