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
                // iOS ends a suspended process that has a file of an App Group locked.
                await board.waitUntilPaused()
                time.end()
            }
            time.begin { push.cancel() }
        }

        /// To be called before the app has finished launching. A board that the closure opens, while the app is not in front, holds no
        /// lock once it was synced.
        @available(iOSApplicationExtension, unavailable)
        public static func register(_ identifier: String, board: @escaping @Sendable () async -> KanbanBoard?) {
            _ = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { task in
                schedule(identifier)
                let refresh = Refresh(task: task)
                let running = Task { await refresh.run(board) }
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

    /// A time that iOS gives to sync.
    ///
    /// Unchecked: iOS hands the task over, and it may be completed on any thread.
    @available(iOSApplicationExtension, unavailable)
    private struct Refresh: @unchecked Sendable {
        let task: BGTask

        func run(_ open: @Sendable () async -> KanbanBoard?) async {
            guard let board = await open() else { return task.setTaskCompleted(success: true) }
            let isInFront = await pauseUnlessInFront(board)
            do {
                try await board.syncNow(timeout: .seconds(20))
                if !isInFront { await board.waitUntilPaused() }
                task.setTaskCompleted(success: true)
            } catch {
                // The edits stay; the next time tries again.
                if !isInFront { await board.waitUntilPaused() }
                task.setTaskCompleted(success: false)
            }
        }

        /// Before the sync: an app that comes to the front meanwhile starts the board.
        @MainActor private func pauseUnlessInFront(_ board: KanbanBoard) -> Bool {
            let isInFront = UIApplication.shared.applicationState != .background
            if !isInFront { board.pause() }
            return isInFront
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
