import JSON

/// Imports categories, and maps their ids to those of the account.
struct CategoryImport {
    private(set) var counts = ImportReport.Counts()
    private(set) var made: [ImportReport.Made] = []
    /// From ids of the document to those of the account; `nil` for one that was deleted here.
    private(set) var ids: [ID: ID?] = [:]
    /// Those of the document that were deleted here and whose names are free, by their ids.
    private(set) var deleted: [ID: BoardDocument.Entry<Category>] = [:]

    private let writer: any BoardWriter
    private let returning: Set<ImportReport.Resource>
    private let existing: [ID: Category]
    private let versions: VersionRule
    /// The category that will have each name, by its ``String/sameKey``.
    private var holders: [Spelling: ID] = [:]
    private var changed: [Category] = []
    /// Categories in the trash that come back, under the names of the document.
    private var returns: [(category: Category, name: String)] = []

    /// - Parameter returning: what was taken back with an earlier import.
    init(_ writer: any BoardWriter, _ returning: Set<ImportReport.Resource>, _ versions: VersionRule) throws {
        self.writer = writer
        self.returning = returning
        self.versions = versions
        existing = Dictionary(uniqueKeysWithValues: try writer.categories().map { ($0.id, $0) })
    }

    /// - Parameter most: how many an account may have.
    mutating func run(_ entries: [BoardDocument.Entry<Category>], most: Int) throws {
        let entries = entries.map { $0.filled(from: existing[$0.value.id]) }
        let renamed = try settleNames(entries)
        for (index, entry) in entries.enumerated() {
            if let old = existing[entry.value.id] {
                try merge(entry, into: old, takesName: renamed.contains(old.id))
            } else {
                try add(entry, at: index, most: most)
            }
        }
        try save()
    }

    /// Brings back those that were deleted here and that tasks of the document are in: from the trash, or made again.
    /// - Parameters:
    ///   - used: ids of some of ``deleted``.
    ///   - makesAgain: True if those that were deleted for good come back, too.
    mutating func bringBack(_ used: Set<ID>, makesAgain: Bool, most: Int) throws {
        for entry in deleted.values.filter({ used.contains($0.value.id) }).sorted(by: { $0.index < $1.index }) {
            let category = entry.value
            let old = try writer.category(category.id, inTrash: true)
            guard makesAgain || old != nil else { continue }
            try reserve(entry, at: entry.index, most: most)
            if let old {
                returns.append((old, category.name))
                counts.updated += 1
            } else {
                try writer.unbury(.category, category.id)
                try save(category)
                counts.created += 1
            }
            counts.unchanged -= 1
        }
    }

    /// Takes what comes back out of the trash. Call it last: it changes tasks that are there.
    func restore() throws {
        for (category, name) in returns { _ = try writer.restore(category, as: name) }
    }

    /// Decides which category gets which name before any is written: names may move from one category to another, and
    /// the order of the document does not matter. A category that is newer in the document takes its name there, unless
    /// a category that keeps its name has it.
    ///
    /// - Returns: the categories that take their names from the document.
    private mutating func settleNames(_ entries: [BoardDocument.Entry<Category>]) throws -> Set<ID> {
        let newer = try entries.filter { entry in
            try existing[entry.value.id].map { try isNewer(entry, than: $0) } ?? false
        }.map(\.value)
        var takers = Set(newer.map(\.id))
        while true {
            holders = [:]
            for old in existing.values where !takers.contains(old.id) { holders[old.name.key] = old.id }
            let loser = newer.first { category in
                guard takers.contains(category.id) else { return false }
                guard holders[category.name.key] == nil else { return true }
                holders[category.name.key] = category.id
                return false
            }
            guard let loser else { return takers }
            takers.remove(loser.id)
        }
    }

    private func isNewer(_ entry: BoardDocument.Entry<Category>, than old: Category) throws -> Bool {
        try versions.isNewer(entry.value.updatedAt, than: old.updatedAt) {
            try writer.wasBefore(old, like: entry.value, besides: entry.absent)
        }
    }

    private mutating func merge(_ entry: BoardDocument.Entry<Category>, into old: Category, takesName: Bool) throws {
        ids[old.id] = old.id
        var merged = old.taking(membersOf: entry.value)
        if !takesName { merged.name = old.name }
        guard !merged.isSpelled(like: old), try isNewer(entry, than: old) else {
            counts.unchanged += 1
            return
        }
        merged.updatedAt = entry.value.updatedAt
        changed.append(merged)
        counts.updated += 1
    }

    private mutating func add(_ entry: BoardDocument.Entry<Category>, at index: Int, most: Int) throws {
        let category = entry.value
        if let holder = holders[category.name.key] {
            ids[category.id] = holder
            counts.unchanged += 1
        } else if try !writer.unbury(.init(type: .category, id: category.id), ifIn: returning)
            && writer.categoryEverExisted(category.id)
        {
            ids[category.id] = .some(nil)
            deleted[category.id] = entry
            counts.unchanged += 1
        } else {
            try reserve(entry, at: index, most: most)
            changed.append(category)
            counts.created += 1
        }
    }

    private mutating func reserve(_ entry: BoardDocument.Entry<Category>, at index: Int, most: Int) throws {
        guard holders.count < most else {
            let detail = "An account has at most \(most) categories."
            throw BoardError.invalid([
                Fault(pointer: "#/categories/\(index)", code: .tooMany, detail: detail, line: entry.line)
            ])
        }
        ids[entry.value.id] = entry.value.id
        holders[entry.value.name.key] = entry.value.id
    }

    /// Names may move in a circle, and no two categories may have the same name at any moment. So categories whose
    /// names change first get temporary names.
    private mutating func save() throws {
        for category in changed {
            guard var old = existing[category.id], !old.name.isSpelled(like: category.name) else { continue }
            old.name = "\u{fffc}\(old.id)"
            try writer.save(old)
        }
        for category in changed { try save(category) }
    }

    private mutating func save(_ category: Category) throws {
        var category = category
        try writer.stamp(&category, since: existing[category.id])
        try writer.save(category)
        if existing[category.id] == nil { made.append(.init(.category, category.id, category.revision)) }
    }
}

extension String {
    fileprivate var key: Spelling { Spelling(sameKey) }
}
