/// The rules of categories.
extension BoardWriter {
    /// How many categories an account may have.
    package static var mostCategories: Int { 500 }

    /// - Parameters:
    ///   - name: trimmed, 1–50 code points.
    ///   - faultsAt: the pointer of the member that names the category.
    /// - Throws: ``BoardError/alreadyExists(_:)``, ``BoardError/nameTaken(by:)``, `too_many` or `unknown_image`.
    package func createCategory(
        id: ID?, name: String, color: String? = nil, emoji: String? = nil, image: ID? = nil,
        faultsAt pointer: String = "#"
    ) throws -> Category {
        if let id, try categoryEverExisted(id) { throw BoardError.alreadyExists(.category) }
        try requireImage(image)
        try requireFree(name, for: nil)
        guard try categories().count < Self.mostCategories else {
            throw BoardError.invalid(
                pointer, .tooMany, "An account has at most \(Self.mostCategories) categories; delete one first.")
        }
        let category = Category(
            id: id ?? makeID(), name: name, color: color, emoji: emoji, image: image, createdAt: now,
            updatedAt: now, revision: try nextRevision())
        try save(category)
        return category
    }

    /// Edits the category and returns it. Changes nothing when no member changes.
    package func updateCategory(
        _ id: ID, if precondition: Precondition = .none, _ edit: (inout Category) -> Void
    ) throws -> Category {
        guard let old = try category(id) else { throw BoardError.notFound(.category) }
        try precondition.check(old.revision, current: .category(old))
        var category = old
        edit(&category)
        guard !category.isSpelled(like: old) else { return old }
        try requireImage(category.image)
        try requireFree(category.name, for: id)
        category.updatedAt = now
        category.revision = try nextRevision()
        try save(category)
        try note(category, since: old)
        return category
    }

    /// Replaces all members of the category; creates it when it does not exist.
    package func putCategory(
        _ id: ID, name: String, color: String?, emoji: String?, image: ID?, if precondition: Precondition = .none
    ) throws -> (category: Category, isNew: Bool) {
        if try category(id) != nil {
            let category = try updateCategory(id, if: precondition) { category in
                category.name = name
                category.color = color
                category.emoji = emoji
                category.image = image
            }
            return (category, false)
        }
        guard try !categoryEverExisted(id) else { throw BoardError.deleted(.category) }
        try precondition.check(nil, current: nil)
        return (try createCategory(id: id, name: name, color: color, emoji: emoji, image: image), true)
    }

    /// Deletes the category. Its tasks become uncategorized; each gets a history entry.
    package func removeCategory(_ id: ID, if precondition: Precondition = .none) throws {
        guard let old = try category(id) else { throw BoardError.notFound(.category) }
        try precondition.check(old.revision, current: .category(old))
        var query = TaskQuery()
        query.categoryIDs = [id]
        for isInTrash in [false, true] {
            query.inTrash = isInTrash
            for task in try tasks(query) {
                var freed = task
                freed.categoryID = nil
                try record(&freed, since: task, as: .updated)
            }
        }
        try removeCategory(id, revision: try nextRevision())
    }

    private func requireFree(_ name: String, for id: ID?) throws {
        if let holder = try category(foldedName: CaseFolding.fold(name)), holder.id != id {
            throw BoardError.nameTaken(by: holder.id)
        }
    }
}
