/// The rules of D-days.
extension BoardWriter {
    /// How many D-days an account may have; `GET /today` shows all of them.
    package static var mostDDays: Int { 1_000 }

    /// - Throws: ``BoardError/alreadyExists(_:)``, `too_many` or `unknown_image`.
    package func createDDay(id: ID?, _ contents: DDay.Contents) throws -> DDay {
        if let id, try ddayEverExisted(id) { throw BoardError.alreadyExists(.dday) }
        try requireImage(contents.image)
        guard try countDDays() < Self.mostDDays else {
            throw BoardError.invalid(
                "#", .tooMany, "An account has at most \(Self.mostDDays) D-days; delete one first.")
        }
        let dday = DDay(
            id: id ?? makeID(), title: contents.title, date: contents.date, repeats: contents.repeats,
            color: contents.color, emoji: contents.emoji, image: contents.image, createdAt: now, updatedAt: now,
            revision: try nextRevision())
        try save(dday)
        return dday
    }

    /// Edits the D-day and returns it. Changes nothing when no member changes.
    package func updateDDay(
        _ id: ID, if precondition: Precondition = .none, _ edit: (inout DDay.Contents) -> Void
    ) throws -> DDay {
        guard let old = try dday(id) else { throw BoardError.notFound(.dday) }
        try precondition.check(old.revision, current: .dday(old))
        var contents = old.contents
        edit(&contents)
        var dday = old
        dday.contents = contents
        guard !dday.isSpelled(like: old) else { return old }
        try requireImage(dday.image)
        dday.updatedAt = now
        dday.revision = try nextRevision()
        try save(dday)
        try note(dday, since: old)
        return dday
    }

    /// Replaces all members of the D-day; creates it when it does not exist.
    package func putDDay(
        _ id: ID, _ contents: DDay.Contents, if precondition: Precondition = .none
    ) throws -> (dday: DDay, isNew: Bool) {
        if try dday(id) != nil {
            return (try updateDDay(id, if: precondition) { $0 = contents }, false)
        }
        guard try !ddayEverExisted(id) else { throw BoardError.deleted(.dday) }
        try precondition.check(nil, current: nil)
        return (try createDDay(id: id, contents), true)
    }

    /// Deletes the D-day for good; D-days have no trash.
    package func removeDDay(_ id: ID, if precondition: Precondition = .none) throws {
        guard let old = try dday(id) else { throw BoardError.notFound(.dday) }
        try precondition.check(old.revision, current: .dday(old))
        try removeDDay(id, revision: try nextRevision())
    }
}

extension DDay {
    /// The members that a user can change.
    package struct Contents: Hashable, Sendable {
        /// 1–100 code points, not blank.
        package var title: String
        package var date: Day
        package var repeats: Repeats
        /// `#rrggbb`.
        package var color: String?
        /// One grapheme.
        package var emoji: String?
        package var image: ID?

        package init(
            title: String, date: Day, repeats: Repeats = .none, color: String? = nil, emoji: String? = nil,
            image: ID? = nil
        ) {
            self.title = title
            self.date = date
            self.repeats = repeats
            self.color = color
            self.emoji = emoji
            self.image = image
        }
    }

    package var contents: Contents {
        get { Contents(title: title, date: date, repeats: repeats, color: color, emoji: emoji, image: image) }
        set {
            title = newValue.title
            date = newValue.date
            repeats = newValue.repeats
            color = newValue.color
            emoji = newValue.emoji
            image = newValue.image
        }
    }
}
