import JSON
import Kanban
import KanbanWire

/// Writes a whole board in pieces; only one page of tasks is in memory, of the trash four.
///
/// All pieces must come from one reader, so that they are one snapshot.
package enum BoardExport {
    package enum Format: String, Sendable, CaseIterable {
        case json, csv
    }

    /// The number of tasks that are read at once.
    private static let page = 1_000
    /// A piece is emitted when it has this many bytes.
    static let piece = 1 << 16

    /// - Parameters:
    ///   - isForExcel: of a table; see ``CSVWriter``.
    ///   - emit: receives the next piece; an error that it throws ends the export.
    package static func write(
        _ format: Format, isForExcel: Bool = false, of reader: any BoardReader, now: Timestamp,
        _ emit: ([UInt8]) throws -> Void
    ) throws {
        switch format {
        case .json:
            var json = JSONWriter(capacity: piece)
            try write(of: reader, now: now, into: &json, emit)
            try emit(json.bytes)
        case .csv: try writeCSV(of: reader, isForExcel: isForExcel, emit)
        }
    }

    /// The document that an import takes, as a value that is all or a part of what is written. The small lists come first, so
    /// that a reader knows the categories before the tasks.
    static func write(
        of reader: any BoardReader, now: Timestamp, into json: inout JSONWriter, _ emit: ([UInt8]) throws -> Void
    ) throws {
        let settings = try reader.settings()
        json.beginObject()
        json.name("exportedAt")
        json.value(now)
        json.name("settings")
        json.beginObject()
        json.ownMembers(of: settings)
        json.endObject()
        json.name("categories")
        json.beginArray()
        for category in try reader.categories() { json.export(category) }
        json.endArray()
        json.name("ddays")
        json.beginArray()
        for dday in try reader.ddays(after: nil, limit: nil) { json.export(dday) }
        json.endArray()
        json.name("tasks")
        json.beginArray()
        for isInTrash in [false, true] {
            try forEachPage(of: reader, inTrash: isInTrash) { tasks in
                for task in tasks {
                    json.export(task)
                    guard json.bytes.count >= piece else { continue }
                    try emit(json.bytes)
                    json.bytes.removeAll(keepingCapacity: true)
                }
            }
        }
        json.endArray()
        try writeImages(of: reader, into: &json, emit)
        json.endObject()
    }

    /// At the end, because they are large. One at a time is in memory.
    private static func writeImages(
        of reader: any BoardReader, into json: inout JSONWriter, _ emit: ([UInt8]) throws -> Void
    ) throws {
        json.name("images")
        json.beginArray()
        var last: ID?
        while let image = try reader.images(after: last, limit: 1).first {
            last = image.id
            guard let content = try reader.imageContent(image.id) else { continue }
            json.beginObject()
            json.members(of: image)
            json.name("content")
            json.value(Base64.encode(content))
            json.endObject()
            try emitPieces(of: &json, emit)
        }
        json.endArray()
    }

    /// They are compressed on an event loop, a piece at a time.
    static func emitPieces(of json: inout JSONWriter, _ emit: ([UInt8]) throws -> Void) throws {
        while json.bytes.count >= piece {
            try emit(Array(json.bytes.prefix(piece)))
            json.bytes.removeFirst(piece)
        }
    }

    /// The living tasks as a table (RFC 4180).
    private static func writeCSV(
        of reader: any BoardReader, isForExcel: Bool, _ emit: ([UInt8]) throws -> Void
    ) throws {
        let names = Dictionary(uniqueKeysWithValues: try reader.categories().map { ($0.id, $0.name) })
        var csv = CSVWriter(isForExcel: isForExcel)
        // Lists and objects have no place in a cell.
        let members = TaskItem.members.filter { $0.form.column != .json }
        let columns = members.map { $0.text == "categoryId" ? "category" : $0.text }
        csv.record(["id"] + columns + ["createdAt", "updatedAt", "completedAt"])
        try forEachPage(of: reader, inTrash: false) { tasks in
            for task in tasks {
                let values = members.map { member in
                    let value = member.value(of: task)
                    // Of ids, only that of a category is a member.
                    return if case .id(let id) = value { names[id] ?? "" } else { value.field }
                }
                let times = [task.createdAt, task.updatedAt, task.completedAt]
                csv.record([task.id.description] + values + times.map { $0?.description ?? "" })
                guard csv.bytes.count >= piece else { continue }
                try emit(csv.bytes)
                csv.clear()
            }
        }
        try emit(csv.bytes)
    }

    /// Column by column in the order of the board, for which the store has an index.
    private static func forEachPage(
        of reader: any BoardReader, inTrash: Bool, _ body: ([TaskItem]) throws -> Void
    ) throws {
        for status in TaskStatus.allCases {
            var query = TaskQuery()
            query.statuses = [status]
            query.sort = .position
            query.inTrash = inTrash
            // The trash has no such index: each page sorts all of it.
            query.limit = inTrash ? page * 4 : page
            while true {
                let tasks = try reader.tasks(query)
                if !tasks.isEmpty { try body(tasks) }
                guard tasks.count == query.limit, let last = tasks.last else { break }
                query.after = try reader.anchor(after: last, of: query)
            }
        }
    }
}

extension MemberValue {
    /// In a table.
    fileprivate var field: String {
        switch self {
        case .none: ""
        case .text(let text): text
        case .integer(let integer): "\(integer)"
        case .day(let day): day.description
        case .id(let id): id.description
        case .json(let json): String(decoding: json.serialized(), as: UTF8.self)
        }
    }
}

/// Resources in an export, without revisions: an import makes new ones.
extension JSONWriter {
    fileprivate mutating func export(_ task: TaskItem) {
        beginObject()
        members(of: task)
        endObject()
    }

    fileprivate mutating func export(_ category: Kanban.Category) {
        beginObject()
        members(of: category)
        endObject()
    }

    fileprivate mutating func export(_ dday: DDay) {
        beginObject()
        members(of: dday)
        endObject()
    }
}
