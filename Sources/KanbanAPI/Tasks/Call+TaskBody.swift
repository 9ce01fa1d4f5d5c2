import JSON
import Kanban
import KanbanWire

extension Call {
    /// Reads the body of a task, as ``body(of:_:_:)`` does.
    func taskBody<Body>(
        of id: ID? = nil, _ read: (JSON, _ defaultTitle: @escaping () throws -> String) throws -> Body
    ) async throws -> Body {
        do {
            return try read(json()) { throw TitleWanted() }
        } catch is TitleWanted {
            return try await rareTaskBody(of: id, read)
        } catch BoardError.invalid {
            return try await rareTaskBody(of: id, read)
        }
    }

    /// The same of a body that asks for something of the board, or has faults. Not inlined: its state would be allocated for
    /// every body.
    @inline(never)
    private func rareTaskBody<Body>(
        of id: ID?, _ read: (JSON, _ defaultTitle: @escaping () throws -> String) throws -> Body
    ) async throws -> Body {
        try await body(of: .task, id) { json in try await withDefaultTitle { try read(json, $0) } }
    }

    /// Runs a body that may ask for the default title. Only then the board is read and the body runs again.
    func withDefaultTitle<T>(_ body: (_ defaultTitle: @escaping () throws -> String) throws -> T) async throws -> T {
        do {
            return try body { throw TitleWanted() }
        } catch is TitleWanted {
            let title = try await read(defaultTitle)
            return try body { title }
        }
    }

    /// The title of a task without one.
    func defaultTitle(_ reader: any BoardReader) throws -> String {
        try language(reader).defaultTaskTitle
    }
}

/// A body asked for the default title.
private struct TitleWanted: Error {}
