import Foundation
import JSON
import Kanban
import KanbanRows
import KanbanWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension KanbanBoard {
    /// A board that needs no server, for previews and tests: in a temporary folder of its own, which goes with the last that uses it.
    /// It holds what it is given as if a server had it, and sends nothing: a call that asks the server throws
    /// ``KanbanError/offline``.
    /// - Throws: ``KanbanError/invalid(_:)``, ``KanbanError/storage(_:)``.
    public static func inMemory(
        tasks: [NewTask] = [], categories: [NewCategory] = [], ddays: [NewDDay] = [],
        configuration: Configuration = .init()
    ) throws -> KanbanBoard {
        guard let nowhere = URL(string: "http://localhost") else { throw KanbanError.offline }
        var configuration = configuration
        configuration.dependencies.transport = NoNetwork()
        configuration.dependencies.watchPath = nil
        let scratch = ScratchFolder()
        let core = try BoardCore(
            folder: scratch.url, server: nowhere, configuration: configuration, scratch: scratch)
        let language = configuration.language.language
        try core.replica.writeNow { transaction in
            var revision: Revision = 0
            func fill(_ resource: ResourceKey, _ value: JSON) throws {
                revision += 1
                try transaction.fill(resource, value, at: revision)
            }
            for category in categories { try fill(.category(category.id.id), category.draft.json) }
            for task in tasks {
                var members = task.json(in: language).objectMembers ?? []
                var category: ID?
                switch task.category {
                case .id(let id): category = id.id
                case .named(let name):
                    category = try transaction.rows.category(named: name)?.id
                    if category == nil {
                        let new = NewCategory(name: name)
                        try fill(.category(new.id.id), new.draft.json)
                        category = new.id.id
                    }
                case nil: break
                }
                if let category { members.append(.init("categoryId", .string(category.description))) }
                try fill(.task(task.id.id), .object(members))
            }
            for dday in ddays { try fill(.dday(dday.id.id), dday.draft.json) }
        }
        return KanbanBoard(core)
    }
}

/// A folder that is removed when nobody uses it.
final class ScratchFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(
        path: "kanban-\(UUID().uuidString)", directoryHint: .isDirectory)

    deinit {
        // What stays, the system removes.
        try? FileManager.default.removeItem(at: url)
    }
}

/// There is no server.
private struct NoNetwork: Transport {
    func stream(_ request: URLRequest, timeout: Duration) -> AsyncThrowingStream<StreamPiece, any Error> {
        AsyncThrowingStream { $0.finish(throwing: NetworkError()) }
    }
}
