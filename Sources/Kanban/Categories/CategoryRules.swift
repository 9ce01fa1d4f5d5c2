/// The rules of categories.
extension BoardWriter {
    /// How many categories an account may have, and as many in the trash.
    package static var mostCategories: Int { 500 }

    /// - Parameter faultsAt: the pointer of the member that names the category.
    /// - Throws: ``BoardError/alreadyExists(_:)``, ``BoardError/nameTaken(by:)``, `too_many` or `unknown_image`.
    package func createCategory(
        id: ID?, faultsAt pointer: String = "#", _ edit: (inout Category) throws -> Void
    ) throws -> Category {
        if let id, try categoryEverExisted(id) { throw BoardError.alreadyExists(.category) }
        var category = Category(id: id ?? makeID(), createdAt: now)
        try edit(&category)
        try requireImage(category.image)
        try requireFree(category.name, for: nil)
        try requireRoomForCategory(faultsAt: pointer)
        try stamp(&category, since: nil)
        try save(category)
        return category
    }

    /// Edits the category and returns it. Changes nothing when no member changes.
    package func updateCategory(
        _ id: ID, if precondition: Precondition = .none, _ edit: (inout Category) throws -> Void
    ) throws -> Category {
        guard let old = try category(id) else { throw BoardError.notFound(.category) }
        try precondition.check(old.revision, current: .category(old))
        var category = old
        try edit(&category)
        guard !category.isSpelled(like: old) else { return old }
        try requireImage(category.image)
        try requireFree(category.name, for: id)
        category.updatedAt = now
        try record(&category, since: old)
        try save(category)
        return category
    }

    /// Replaces all members of the category; creates it when it does not exist.
    package func putCategory(
        _ id: ID, if precondition: Precondition = .none, _ edit: (inout Category) throws -> Void
    ) throws -> (category: Category, isNew: Bool) {
        if try category(id) != nil { return (try updateCategory(id, if: precondition, edit), false) }
        guard try !categoryEverExisted(id) else { throw BoardError.deleted(.category) }
        try precondition.check(nil, current: nil)
        return (try createCategory(id: id, edit), true)
    }

    /// Moves the category to the trash, where it may push out the oldest. Its tasks become uncategorized; each gets a
    /// history entry.
    package func removeCategory(_ id: ID, if precondition: Precondition = .none) throws {
        guard let old = try category(id) else { throw BoardError.notFound(.category) }
        try precondition.check(old.revision, current: .category(old))
        var category = old
        category.freedAfter = try feedState().revision
        try freeTasks(of: id)
        category.deletedAt = now
        category.updatedAt = now
        try record(&category, since: old)
        try save(category)
        let trash = try categories(inTrash: true)
        guard trash.count > Self.mostCategories, let oldest = trash.min(by: { $0.revision < $1.revision }) else {
            return
        }
        try removeCategory(oldest.id, revision: oldest.revision)
    }

    /// Makes the tasks of a category uncategorized, those in the trash included: an export must name no category that is gone.
    func freeTasks(of id: ID) throws {
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
    }

    /// Restores the category from the trash, and gives it back to its former tasks that are still without a category. An
    /// image that is gone becomes null.
    /// - Throws: ``BoardError/notFound(_:)`` when it is not in the trash, ``BoardError/nameTaken(by:)`` or `too_many`.
    package func restoreCategory(_ id: ID, if precondition: Precondition = .none) throws -> Category {
        guard let old = try category(id, inTrash: true) else { throw BoardError.notFound(.category) }
        try precondition.check(old.revision, current: .category(old))
        return try restore(old, as: old.name)
    }

    /// - Parameter name: its name from now on.
    func restore(_ old: Category, as name: String) throws -> Category {
        try requireFree(name, for: old.id)
        try requireRoomForCategory(faultsAt: "#")
        var category = old
        category.name = name
        category.deletedAt = nil
        if let image = category.image, try self.image(image) == nil { category.image = nil }
        category.freedAfter = nil
        category.updatedAt = now
        try record(&category, since: old)
        try save(category)
        for task in try formerTasks(of: old) {
            var taken = task
            taken.categoryID = old.id
            try record(&taken, since: task, as: .updated)
        }
        return category
    }

    /// The tasks that lost the category when it was deleted and got no other since, those in the trash included.
    private func formerTasks(of category: Category) throws -> [TaskItem] {
        guard let start = category.freedAfter else { return [] }
        var last = start
        var former: [TaskItem] = []
        while true {
            let page = try changes(since: last, types: [.task], livingOnly: false, limit: 500)
            guard let end = page.last?.revision else { return former }
            last = end
            for change in page {
                guard let task = try change.id.flatMap(task), task.categoryID == nil else { continue }
                let freed = task.memberRevisions[.categoryID]
                if freed > start, freed < category.revision { former.append(task) }
            }
        }
    }

    private func requireRoomForCategory(faultsAt pointer: String) throws {
        guard try categories().count >= Self.mostCategories else { return }
        throw BoardError.invalid(
            pointer, .tooMany, "An account has at most \(Self.mostCategories) categories; delete one first.")
    }

    private func requireFree(_ name: String, for id: ID?) throws {
        if let holder = try category(named: name), holder.id != id {
            throw BoardError.nameTaken(by: holder.id)
        }
    }
}
