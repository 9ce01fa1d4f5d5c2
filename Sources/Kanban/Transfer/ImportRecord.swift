import JSON

/// An import that can be taken back for as long as results of mutations are kept: it is one of them, under an id of its own.
package struct ImportRecord: Sendable {
    /// What `GET /imports` shows, an object.
    package var shown: JSON
    package var made: [ImportReport.Made]

    package init(shown: JSON, made: [ImportReport.Made]) {
        (self.shown, self.made) = (shown, made)
    }

    /// No mutation has it: theirs are digests.
    fileprivate static let fingerprint = Array("import".utf8)
    /// Of a record that lists what was removed when the import was taken back. It is no longer an import.
    fileprivate static let takenBack = Array("import taken back".utf8)

    /// What is shown as JSON on a line, and a line for each resource that was made: an import may have more of them than a JSON
    /// text may have values.
    fileprivate var result: [UInt8] {
        var lines = Array(shown.serialized())
        for one in made { lines += "\n\(one.type.rawValue) \(one.id) \(one.revision)".utf8 }
        return lines
    }

    fileprivate init(_ result: [UInt8]) throws {
        shown = try Self.shown(in: result)
        made = try result.split(separator: UInt8(ascii: "\n")).dropFirst().map { line in
            let parts = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 3, let type = ResourceType(rawValue: parts[0]), let id = ID(parts[1]),
                let revision = Revision(parts[2])
            else { throw StoreError.corrupt("an import's record has no resource on a line") }
            return .init(type, id, revision)
        }
    }

    /// Without reading what was made.
    fileprivate static func shown(in result: [UInt8]) throws -> JSON {
        do {
            return try JSON(parsing: Array(result.prefix { $0 != UInt8(ascii: "\n") }))
        } catch {
            throw StoreError.corrupt("an import's record is no JSON")
        }
    }
}

extension BoardReader {
    /// Imports that can be taken back, latest first.
    package func imports() throws -> [(id: ID, shown: JSON)] {
        try keptMutations(with: ImportRecord.fingerprint).map {
            ($0.id, try ImportRecord.shown(in: $0.mutation.result))
        }
    }

    /// What an import made, in the order in which ``BoardWriter/takeBack(_:of:isLast:)`` wants it.
    /// - Returns: `nil` when there is no longer such an import.
    package func madeByImport(_ id: ID) throws -> [ImportReport.Made]? {
        guard let kept = try keptMutation(id), kept.fingerprint == ImportRecord.fingerprint else { return nil }
        let made = try ImportRecord(kept.result).made
        // A category goes when no task is left in it, and an image when nothing refers to it.
        return [ResourceType.task, .category, .dday, .image].flatMap { type in made.filter { $0.type == type } }
    }
}

extension BoardWriter {
    package func keepImport(_ record: ImportRecord) throws -> ID {
        let id = makeID()
        try keep(KeptMutation(fingerprint: ImportRecord.fingerprint, result: record.result), id: id)
        return id
    }

    /// Removes for good what nobody changed since an import made it.
    /// - Parameters:
    ///   - made: a part of ``BoardReader/madeByImport(_:)``.
    ///   - isLast: there is no part behind it. The import is no longer listed.
    /// - Returns: how many were removed, and how many are still there; `nil` when it was taken back already.
    package func takeBack(
        _ made: ArraySlice<ImportReport.Made>, of id: ID, isLast: Bool
    ) throws -> (removed: Int, kept: Int)? {
        guard try keptMutation(id) != nil else { return nil }
        let made = Array(made)
        var removed: [ImportReport.Made] = []
        var kept = 0
        for (index, one) in made.enumerated() {
            try foresee(made, at: index, \.id)
            if try remove(one) { removed.append(one) } else if try isThere(one) { kept += 1 }
        }
        try keepTakenBack(removed, as: makeID())
        if isLast { try forgetMutation(id) }
        return (removed.count, kept)
    }

    /// Also in the trash.
    private func isThere(_ made: ImportReport.Made) throws -> Bool {
        switch made.type {
        case .task: try task(made.id) != nil
        case .category: try category(made.id, inTrash: false) != nil || category(made.id, inTrash: true) != nil
        case .dday: try dday(made.id, inTrash: false) != nil || dday(made.id, inTrash: true) != nil
        case .image: try image(made.id) != nil
        case .settings: true
        }
    }

    /// What was removed with an import that was taken back, unless it came again since. It may come again, unlike what
    /// somebody deleted for good.
    func takenBack() throws -> [ID: [ImportReport.Made]] {
        Dictionary(
            uniqueKeysWithValues: try keptMutations(with: ImportRecord.takenBack).map {
                ($0.id, try ImportRecord($0.mutation.result).made)
            })
    }

    /// Notes what came again, so that it stays deleted when somebody deletes it.
    func forget(_ made: [ImportReport.Made], takenBack: [ID: [ImportReport.Made]]) throws {
        let made = Set(made.map(\.resource))
        for (id, removed) in takenBack {
            let rest = removed.filter { !made.contains($0.resource) }
            guard rest.count < removed.count else { continue }
            try forgetMutation(id)
            try keepTakenBack(rest, as: id)
        }
    }

    private func keepTakenBack(_ removed: [ImportReport.Made], as id: ID) throws {
        guard !removed.isEmpty else { return }
        let record = ImportRecord(shown: .null, made: removed)
        try keep(KeptMutation(fingerprint: ImportRecord.takenBack, result: record.result), id: id)
    }

    /// True if at most a respacing of its column changed the task, which leaves no line in its history.
    private func isUnchanged(_ task: TaskItem, since revision: Revision) throws -> Bool {
        guard task.revision != revision else { return true }
        let isMovedAtMost = TaskMember.allCases.allSatisfy { $0 == .position || task.memberRevisions[$0] <= revision }
        return try isMovedAtMost && lines(of: task.id, since: revision, .newestFirst, limit: 1).isEmpty
    }

    /// - Returns: false when somebody changed it.
    private func remove(_ made: ImportReport.Made) throws -> Bool {
        switch made.type {
        case .task:
            guard let task = try task(made.id), try isUnchanged(task, since: made.revision) else { return false }
            if task.deletedAt == nil { try removeTask(made.id, if: .none) }
            try purgeTask(made.id, before: Timestamp(milliseconds: .max))
        case .category:
            guard let category = try category(made.id), category.revision == made.revision,
                try !taskCounts().contains(where: { $0.categoryID == made.id && $0.count > 0 })
            else { return false }
            try freeTasks(of: made.id)
            try removeCategory(made.id, revision: nextRevision())
        case .dday:
            guard let dday = try dday(made.id), dday.revision == made.revision else { return false }
            try removeDDay(made.id, revision: nextRevision())
        case .image:
            guard try image(made.id) != nil else { return false }
            try purgeImage(made.id, before: Timestamp(milliseconds: .max))
            return try image(made.id) == nil
        case .settings: return false
        }
        return true
    }
}
