#if canImport(Network)
    import KanbanClient
    import Network

    /// Tells the board when there may be a way to the server again. A hint to try, never a reason not to.
    public final class Reachability: Sendable {
        private let monitor = NWPathMonitor()

        public init(_ board: KanbanBoard) {
            monitor.pathUpdateHandler = { path in
                if path.status == .satisfied { board.networkChanged() }
            }
            monitor.start(queue: .global(qos: .utility))
        }

        deinit {
            monitor.cancel()
        }
    }
#endif

#if canImport(BackgroundTasks) && os(iOS) || KANBAN_APPLE_STUBS
    import BackgroundTasks
    import Foundation
    import KanbanClient
    import UIKit

    /// Sends what waits when the app leaves the screen, and syncs now and then while it is in the background. Name the
    /// identifier in the app's Info.plist.
    public enum BackgroundSync {
        /// Ends the stream and asks iOS for the time to send what waits. Call it when the app goes to the background, and
        /// ``KanbanBoard/start()`` when it comes back.
        @available(iOSApplicationExtension, unavailable)
        @MainActor public static func finish(_ board: KanbanBoard) {
            board.pause()
            let time = BackgroundTime()
            let push = Task {
                // The edits stay on disk; the next start sends them.
                try? await board.syncNow(until: .pushed, timeout: .seconds(20))
                time.end()
            }
            time.begin { push.cancel() }
        }

        /// To be called before the app has finished launching.
        public static func register(_ identifier: String, board: @escaping @Sendable () async -> KanbanBoard?) {
            _ = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                schedule(identifier)
                let running = Task {
                    do {
                        try await board()?.syncNow(timeout: .seconds(20))
                        task.setTaskCompleted(success: true)
                    } catch {
                        // The edits stay; the next time tries again.
                        task.setTaskCompleted(success: false)
                    }
                }
                task.expirationHandler = { running.cancel() }
            }
        }

        /// To be called when the app goes to the background.
        public static func schedule(_ identifier: String, after seconds: TimeInterval = 15 * 60) {
            let request = BGAppRefreshTaskRequest(identifier: identifier)
            request.earliestBeginDate = Date(timeIntervalSinceNow: seconds)
            // Not allowed in the simulator, and by a user who turned it off: then the app syncs when it is opened.
            try? BGTaskScheduler.shared.submit(request)
        }
    }

    /// One `beginBackgroundTask`, ended once.
    @available(iOSApplicationExtension, unavailable)
    @MainActor private final class BackgroundTime {
        private var identifier = UIBackgroundTaskIdentifier.invalid
        private var isOver = false

        func begin(_ expired: @escaping @MainActor @Sendable () -> Void) {
            guard !isOver else { return }
            identifier = UIApplication.shared.beginBackgroundTask(withName: "KanbanClient") { [self] in
                expired()
                end()
            }
        }

        func end() {
            isOver = true
            guard identifier != .invalid else { return }
            UIApplication.shared.endBackgroundTask(identifier)
            identifier = .invalid
        }
    }
#endif
