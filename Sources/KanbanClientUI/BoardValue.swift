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

    /// A live value of the board in the environment: `@BoardValue({ $0.tasks(in: .todo) }) var tasks`. A value that is no list has
    /// a first one, for the time without a board: `@BoardValue({ $0.counts() }) var counts = BoardCounts()`. What the closure
    /// takes from its view may change: `init(_ status: Status) { _tasks = BoardValue { $0.tasks(in: status) } }`.
    @propertyWrapper @MainActor
    public struct BoardValue<Value: Sendable>: DynamicProperty {
        @Environment(\.kanbanBoard) private var board
        @State private var follower = Follower<Value>()
        private let first: Value
        private let animation: Animation?
        private let live: @MainActor (KanbanBoard) -> Live<Value>

        /// - Parameter animation: of each later value.
        public init(
            wrappedValue: Value, _ live: @escaping @MainActor (KanbanBoard) -> Live<Value>,
            animation: Animation? = nil
        ) {
            first = wrappedValue
            self.animation = animation
            self.live = live
        }

        /// A list, which is empty without a board.
        public init(_ live: @escaping @MainActor (KanbanBoard) -> Live<Value>, animation: Animation? = nil)
        where Value: RangeReplaceableCollection {
            self.init(wrappedValue: Value(), live, animation: animation)
        }

        /// A value that there may be none of, such as ``KanbanBoard/task(live:)``.
        public init(_ live: @escaping @MainActor (KanbanBoard) -> Live<Value>, animation: Animation? = nil)
        where Value: ExpressibleByNilLiteral {
            self.init(wrappedValue: nil, live, animation: animation)
        }

        /// The last one that could be read.
        public var wrappedValue: Value { follower.value ?? first }

        /// Why the value no longer follows the board: `$tasks.error`.
        public var projectedValue: BoardReading {
            BoardReading(error: follower.error, isLoaded: follower.value != nil)
        }

        /// SwiftUI calls it on the main thread.
        public nonisolated func update() {
            MainActor.assumeIsolated {
                guard let board else { return }
                let animation = animation
                // The view is rebuilt with a closure that may ask for something else.
                follower.follow(live(board)) { change in
                    if let animation { withAnimation(animation, change) } else { change() }
                }
            }
        }
    }
#endif

/// How a ``BoardValue`` stands.
public struct BoardReading: Sendable {
    /// The disk failed: the value stays as it was.
    public let error: (any Error)?
    /// False as long as the value is the first one of the view's own.
    public let isLoaded: Bool
}
