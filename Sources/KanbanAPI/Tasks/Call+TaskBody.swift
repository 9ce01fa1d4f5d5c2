import JSON
import Kanban
import KanbanWire

extension Call {
    /// Reads the body of a task. Where its form has faults, list those that only the board can tell beside them; where it
    /// has none, the change itself looks, in its transaction.
    func taskBody<Body>(
        of id: ID? = nil, _ read: (JSON, _ defaultTitle: @escaping () throws -> String) throws -> Body
    ) async throws -> Body {
        let json = try json()
        do {
            return try await withDefaultTitle { try read(json, $0) }
        } catch BoardError.invalid(let faults) {
            throw BoardError.invalid(
                try await self.read {
                    try faults + $0.faults(of: TaskReference.all(in: json), from: id, besides: faults)
                })
        }
    }

    /// Runs a body that may ask for the title of a task that got none. The board is read only if it does, and then the body
    /// runs again.
    func withDefaultTitle<T>(_ body: (_ defaultTitle: @escaping () throws -> String) throws -> T) async throws -> T {
        do {
            return try body { throw TitleWanted() }
        } catch is TitleWanted {
            let title = try await read(defaultTitle)
            return try body { title }
        }
    }

    /// What a task is called that got no title.
    func defaultTitle(_ reader: any BoardReader) throws -> String {
        try language(reader).defaultTaskTitle
    }
}

/// A body asked for the title that the board gives.
private struct TitleWanted: Error {}
