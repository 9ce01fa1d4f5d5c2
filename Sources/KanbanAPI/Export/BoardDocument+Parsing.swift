import JSON
import Kanban
import KanbanWire

/// A document that is not JSON.
package struct MalformedDocument: Error {
    /// The place and the fault.
    package let detail: String
}

extension BoardDocument {
    /// The most faults that are reported; reading ends there.
    private static var mostFaults: Int { 100 }

    /// The most elements of one array: small ones take many times their bytes in memory.
    package static var mostEntries: Int { 300_000 }

    /// Reads an export. Reports up to a hundred faults with their lines and pointers.
    ///
    /// - Parameter now: the time of resources without times, unless the document has one.
    /// - Throws: ``MalformedDocument`` when it is not JSON, ``BoardError/invalid(_:)`` when it is not an export.
    package init(parsing bytes: [UInt8], now: Timestamp) throws {
        self.init()
        // A document holds the settings, which are a body of their own elsewhere, in a member.
        var reader = JSONReader(bytes, maximumDepth: JSON.deepest + 1)
        var faults: [Fault] = []
        do {
            guard try reader.kind() == .object else {
                throw BoardError.invalid("#", .invalidType, "An import must be a JSON object.")
            }
            var exportedAt: Timestamp?
            try reader.enterObject()
            while let name = try reader.nextName() {
                switch name {
                case "exportedAt":
                    exportedAt = try reader.value().stringValue.flatMap { Timestamp(rfc3339: $0) }
                case "settings":
                    let line = reader.line
                    let json = try reader.value()
                    guard !json.isNull else { break }
                    settings = try Self.collect(&faults, line: line) {
                        var settings = Settings()
                        try NounBodies<Settings>.patch(json, id: nil, at: "#/settings")(&settings)
                        return settings
                    }
                case "categories":
                    categories = try Self.entries(
                        &reader, &faults, "categories", Category.init(imported:at:), Category.absent(in:))
                case "ddays":
                    ddays = try Self.entries(&reader, &faults, "ddays", DDay.init(imported:at:), DDay.absent(in:))
                case "images":
                    images = try Self.entries(&reader, &faults, "images", ImportedImage.init(imported:at:))
                case "tasks":
                    tasks = try Self.entries(
                        &reader, &faults, "tasks", TaskItem.init(imported:at:), TaskItem.absent(in:))
                default:
                    let fault = Fault(
                        pointer: Fault.pointer("#", name), code: .unknownMember,
                        detail: "There is no member \"\(name)\" here.", line: reader.line)
                    faults.append(fault)
                }
                guard faults.count < Self.mostFaults else { throw BoardError.invalid(faults) }
            }
            try reader.finish()
            // A time that lies ahead counts as now: it would win over every later edit.
            setTimes(exportedAt: exportedAt, now: now)
        } catch let error as JSONError {
            throw MalformedDocument(
                detail: "Line \(reader.line(at: error.offset)), byte \(error.offset): \(error.detail)")
        }
        findDoubles(&faults)
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
    }

    /// The elements of the next array.
    private static func entries<Value>(
        _ reader: inout JSONReader, _ faults: inout [Fault], _ member: String,
        _ read: (JSON, String) throws -> Value, _ absent: (JSON) -> [String] = { _ in [] }
    ) throws -> [Entry<Value>] {
        guard try reader.kind() == .array else {
            faults.append(
                Fault(
                    pointer: "#/\(member)", code: .invalidType,
                    detail: "\(member) must be an array.",
                    line: reader.line))
            return []
        }
        var entries: [Entry<Value>] = []
        var index = 0
        try reader.enterArray()
        while try reader.nextElement() {
            let line = reader.line
            guard index < mostEntries else {
                throw BoardError.invalid("#/\(member)", .tooMany, "\(member) may have \(mostEntries) elements.")
            }
            let json = try reader.value()
            if let value = try collect(&faults, line: line, { try read(json, "#/\(member)/\(index)") }) {
                entries.append(Entry(value, index: index, line: line, absent: absent(json)))
            }
            guard faults.count < mostFaults else { throw BoardError.invalid(faults) }
            index += 1
        }
        return entries
    }

    /// The result of `read`; its faults are collected with their line.
    private static func collect<Value>(
        _ faults: inout [Fault], line: Int, _ read: () throws -> Value
    ) throws -> Value? {
        do {
            return try read()
        } catch BoardError.invalid(let found) {
            for var fault in found {
                fault.line = line
                faults.append(fault)
            }
            return nil
        }
    }

    /// Sets the time of resources that have none.
    mutating func setTimes(exportedAt: Timestamp? = nil, now latest: Timestamp) {
        undatedSince = min(exportedAt ?? latest, latest)
        let made = undatedSince
        for index in categories.indices { categories[index].value.date(made, latest: latest) }
        for index in ddays.indices { ddays[index].value.date(made, latest: latest) }
        for index in tasks.indices { tasks[index].value.dateAll(made, latest: latest) }
    }

    /// With duplicates, the order of the document would decide.
    private func findDoubles(_ faults: inout [Fault]) {
        Self.addDoubles(of: categories, "categories", "id", to: &faults) { $0.id }
        Self.addDoubles(of: categories, "categories", "name", to: &faults) { Spelling($0.name.sameKey) }
        Self.addDoubles(of: ddays, "ddays", "id", to: &faults) { $0.id }
        Self.addDoubles(of: tasks, "tasks", "id", to: &faults) { $0.id }
        Self.addDoubles(of: images, "images", "id", to: &faults) { $0.id }
    }

    private static func addDoubles<Value, Name: Hashable>(
        of entries: [Entry<Value>], _ kind: String, _ member: String, to faults: inout [Fault], _ name: (Value) -> Name
    ) {
        var seen = Set<Name>(minimumCapacity: entries.count)
        for entry in entries where !seen.insert(name(entry.value)).inserted {
            guard faults.count < mostFaults else { return }
            faults.append(
                Fault(
                    pointer: "#/\(kind)/\(entry.index)/\(member)", code: .invalidValue,
                    detail: "This was given before in the document.", line: entry.line))
        }
    }
}

extension TaskItem {
    fileprivate mutating func dateAll(_ made: Timestamp, latest: Timestamp) {
        date(made, latest: latest)
        completedAt = completedAt.map { min($0, latest) }
    }
}

extension ListedNoun {
    /// - Parameters:
    ///   - made: the time of what has none.
    ///   - latest: what a later time counts as.
    fileprivate mutating func date(_ made: Timestamp, latest: Timestamp) {
        if updatedAt == .unknown { updatedAt = createdAt == .unknown ? made : max(createdAt, made) }
        if createdAt == .unknown { createdAt = updatedAt }
        createdAt = min(createdAt, latest)
        updatedAt = min(updatedAt, latest)
        deletedAt = deletedAt.map { min($0, latest) }
    }
}
