#if canImport(SwiftUI)
    import KanbanClient
    import SwiftUI

    private struct BoardKey: EnvironmentKey {
        static let defaultValue: KanbanBoard? = nil
    }

    extension EnvironmentValues {
        /// The board that ``BoardValue`` reads.
        public var kanbanBoard: KanbanBoard? {
            get { self[BoardKey.self] }
            set { self[BoardKey.self] = newValue }
        }
    }

    /// A live value of the board in the environment: `@BoardValue({ $0.tasks(in: .todo) }) var tasks`.
    @propertyWrapper @MainActor
    public struct BoardValue<Value: Sendable>: DynamicProperty {
        @Environment(\.kanbanBoard) private var board
        @State private var follower = Follower<Value>()
        private let live: (KanbanBoard) -> Live<Value>

        public init(_ live: @escaping (KanbanBoard) -> Live<Value>) {
            self.live = live
        }

        /// `nil` without a board in the environment, and when the disk fails.
        public var wrappedValue: Value? { follower.value }

        public func update() {
            guard let board, !follower.follows(board) else { return }
            follower.follow(live(board), of: board)
        }
    }

    @MainActor @Observable
    final class Follower<Value: Sendable> {
        private(set) var value: Value?
        @ObservationIgnored private weak var board: KanbanBoard?
        @ObservationIgnored private var following: Task<Void, Never>?

        func follows(_ other: KanbanBoard) -> Bool { board === other }

        func follow(_ live: Live<Value>, of board: KanbanBoard) {
            self.board = board
            following?.cancel()
            // Synchronous, so that the first frame is not empty; an error comes with the sequence.
            value = try? live.current()
            following = Task { [weak self] in
                do { for try await value in live { self?.value = value } } catch { self?.value = nil }
            }
        }

        deinit {
            following?.cancel()
        }
    }
#endif
