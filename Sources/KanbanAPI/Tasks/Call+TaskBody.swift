import JSON
import Kanban
import KanbanWire

extension Call {
    /// Reads the body of a task, as ``body(of:_:_:)`` does.
    func taskBody<Body>(
        of id: ID? = nil, _ read: (JSON, _ defaultTitle: @escaping () throws -> String) throws -> Body
    ) async throws -> Body {
        try await body(of: .task, id) { json in try await withDefaultTitle { try read(json, $0) } }
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
