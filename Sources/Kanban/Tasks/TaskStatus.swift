/// The columns of the board, in their order.
package enum TaskStatus: Int, Sendable, CaseIterable {
    case todo = 0
    case doing = 1
    case done = 2

    package init?(name: String) {
        switch name {
        case "todo": self = .todo
        case "doing": self = .doing
        case "done": self = .done
        default: return nil
        }
    }

    package var name: String {
        switch self {
        case .todo: "todo"
        case .doing: "doing"
        case .done: "done"
        }
    }
}
