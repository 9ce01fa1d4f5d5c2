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

    /// A live value of the board in the environment: `@BoardValue({ $0.tasks(in: .todo) }) var tasks`. What the closure takes from
    /// its view may change: `init(_ status: Status) { _tasks = BoardValue { $0.tasks(in: status) } }`.
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
            guard let board else { return }
            // The view is made anew with a closure that may ask for something else.
            follower.follow(live(board))
        }
    }
#endif
