/// The rules of D-days.
extension BoardWriter {
    /// How many D-days an account may have, and as many in the trash; `GET /today` shows all living ones.
    package static var mostDDays: Int { 1_000 }

    /// - Throws: ``BoardError/alreadyExists(_:)``, `too_many` or `unknown_image`.
    package func createDDay(id: ID?, _ edit: (inout DDay) throws -> Void) throws -> DDay {
        if let id, try ddayEverExisted(id) { throw BoardError.alreadyExists(.dday) }
        var dday = DDay(id: id ?? makeID(), createdAt: now)
        try edit(&dday)
        try requireImage(dday.image)
        try requireRoomForDDay()
        try stamp(&dday, since: nil)
        try save(dday)
        return dday
    }

    /// Edits the D-day and returns it. Changes nothing when no member changes.
    package func updateDDay(
        _ id: ID, if precondition: Precondition = .none, _ edit: (inout DDay) throws -> Void
    ) throws -> DDay {
        guard let old = try dday(id) else { throw BoardError.notFound(.dday) }
        try precondition.check(old.revision, current: .dday(old))
        var dday = old
        try edit(&dday)
        guard !dday.isSpelled(like: old) else { return old }
        try requireImage(dday.image)
        dday.updatedAt = now
        try record(&dday, since: old)
        try save(dday)
        return dday
    }

    /// Replaces all members of the D-day; creates it when it does not exist.
    package func putDDay(
        _ id: ID, if precondition: Precondition = .none, _ edit: (inout DDay) throws -> Void
    ) throws -> (dday: DDay, isNew: Bool) {
        if try dday(id) != nil { return (try updateDDay(id, if: precondition, edit), false) }
        guard try !ddayEverExisted(id) else { throw BoardError.deleted(.dday) }
        try precondition.check(nil, current: nil)
        return (try createDDay(id: id, edit), true)
    }

    /// Moves the D-day to the trash, where it may push out the oldest.
    package func removeDDay(_ id: ID, if precondition: Precondition = .none) throws {
        guard let old = try dday(id) else { throw BoardError.notFound(.dday) }
        try precondition.check(old.revision, current: .dday(old))
        var dday = old
        dday.deletedAt = now
        dday.updatedAt = now
        try record(&dday, since: old)
        try save(dday)
        let trash = try ddays(inTrash: true, after: nil, limit: nil)
        guard trash.count > Self.mostDDays, let oldest = trash.min(by: { $0.revision < $1.revision }) else { return }
        try removeDDay(oldest.id, revision: oldest.revision)
    }

    /// Restores the D-day from the trash. An image that is gone becomes null.
    /// - Throws: ``BoardError/notFound(_:)`` when it is not in the trash, or `too_many`.
    package func restoreDDay(_ id: ID, if precondition: Precondition = .none) throws -> DDay {
        guard let old = try dday(id, inTrash: true) else { throw BoardError.notFound(.dday) }
        try precondition.check(old.revision, current: .dday(old))
        try requireRoomForDDay()
        var dday = old
        dday.deletedAt = nil
        if let image = dday.image, try self.image(image) == nil { dday.image = nil }
        dday.updatedAt = now
        try record(&dday, since: old)
        try save(dday)
        return dday
    }

    private func requireRoomForDDay() throws {
        guard try countDDays() >= Self.mostDDays else { return }
        throw BoardError.invalid("#", .tooMany, "An account has at most \(Self.mostDDays) D-days; delete one first.")
    }
}
