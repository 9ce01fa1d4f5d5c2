import JSON
import Kanban

/// What a user says about a file.
package struct ImportChoices: Sendable {
    /// The zone of times without one, and of days.
    package private(set) var zone: Zone
    /// That of the server, for an account without one.
    package let fallback: Zone
    /// False when nobody has chosen the zone, which is UTC then.
    package private(set) var isZoneKnown: Bool
    /// True if the user says the zone of this file.
    private var isZoneOfFile = false
    /// When the import is made: what is archived elsewhere has been in the trash since then.
    package let now: Timestamp
    /// On which what comes back without a date begins.
    package private(set) var today: Day
    /// Columns of names that are no usual names of one: `Backlog` is todo. By ``ImportWords/key(_:)``.
    package var statuses: [Spelling: TaskStatus] = [:]
    /// Fields of the other system by the member of a task; the empty name leaves the member out.
    private var fields: [String: String] = [:]
    /// Instants are days of the zone: an app that stored a `Date` of a day picker meant a day.
    package var datesAreDays = false
    /// The title of a document without one.
    package var defaultTitle = Language.en.defaultTaskTitle

    /// - Parameters:
    ///   - zone: the account's.
    ///   - fallback: the server's.
    package init(zone: Zone?, fallback: Zone = .utc, now: Timestamp) {
        self.zone = zone ?? fallback
        self.fallback = fallback
        isZoneKnown = zone != nil || fallback.name != Zone.utc.name
        (self.now, today) = (now, self.zone.day(of: now))
    }

    /// Takes rules as `list:Backlog=todo`, `status:쉬는 중=doing`, `title:headline`, `dueDate:`, `dates=day`, `timeZone=Asia/Seoul`.
    /// - Throws: ``UnreadableImport`` for one that says nothing.
    package mutating func take(_ rules: [String]) throws(UnreadableImport) {
        for rule in rules {
            let sides = rule.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            let parts = (sides.first ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String($0).trimmed }
            switch (parts.first, parts.count, sides.count) {
            case ("dates", 1, 2) where sides[1] == "day": datesAreDays = true
            case ("dates", 1, 2) where sides[1] == "instant": datesAreDays = false
            case ("timeZone", 1, 2):
                guard let chosen = Zone(name: sides[1]) else {
                    throw UnreadableImport(
                        "\(sides[1].quoted) is no time zone. Use an IANA name, such as timeZone=Asia/Seoul.")
                }
                (zone, isZoneKnown, isZoneOfFile, today) = (chosen, true, true, chosen.day(of: now))
            case ("list", 2, 2) where !parts[1].isEmpty, ("status", 2, 2) where !parts[1].isEmpty:
                guard let status = TaskStatus(name: sides[1]) else {
                    throw UnreadableImport("\(sides[1].quoted) is no column: todo, doing or done.")
                }
                statuses[ImportWords.key(parts[1])] = status
            case (let member?, 2, 1) where ImportWords.isMember(member):
                if let other = fields.first(where: { $0.key != member && $0.value == parts[1] }), !parts[1].isEmpty {
                    throw UnreadableImport(
                        "\(rule.quoted) and \("\(other.key):\(other.value)".quoted) name one field. A field is for one member."
                    )
                }
                fields[member] = parts[1]
            default:
                throw UnreadableImport(
                    "\(rule.quoted) is none of list:Name=todo, status:Word=doing, title:field, dueDate: (which leaves the "
                        + "due date out), dates=day and timeZone=Asia/Seoul.")
            }
        }
    }

    /// Of a date that was read in ``zone``.
    var basis: DueBasis { DueBasis(in: zone, isOfFile: isZoneOfFile) }

    /// The member that each of these fields is for; `nil` for none.
    ///
    /// A member of a rule is for the field that the rule names and for no other one. Of the other fields, the first of a usual
    /// name has the member.
    /// - Parameter areHeadings: a rule may spell a heading in another case, where no heading is spelled like it.
    func members(of names: [String], areHeadings: Bool = false) -> [String?] {
        var members = [String?](repeating: nil, count: names.count)
        for (member, name) in fields where !name.isEmpty {
            let index =
                names.firstIndex { $0.isSpelled(like: name) }
                ?? (areHeadings ? names.firstIndex { ImportWords.key($0) == ImportWords.key(name) } : nil)
            if let index { members[index] = member }
        }
        var taken = Set(fields.keys)
        // Beside a title that a rule names, content is notes as well.
        let beside =
            names.indices.filter { members[$0] == nil }.map { names[$0] } + (taken.contains("title") ? ["title"] : [])
        for (index, name) in names.enumerated() where members[index] == nil {
            guard let member = ImportWords.member(name, among: beside), taken.insert(member).inserted else { continue }
            members[index] = member
        }
        return members
    }

    /// The field that a rule names for a member.
    func field(of member: String) -> String? { fields[member] }

    /// The column that a word means: as the user said, else as usual.
    func status(_ word: String) -> TaskStatus? {
        statuses[ImportWords.key(word)] ?? ImportWords.status(word)
    }

    /// The column of a task; a word that means none is a fault.
    func setStatus(
        of task: inout ForeignBoard.Task, to word: String, at pointer: String, _ remarks: inout ImportRemarks
    ) {
        guard let status = status(word) else {
            return remarks.fail(
                task.row, line: task.line, pointer, .invalidValue,
                "\(word.quoted) is no column. Say which one it is with the rule status:\(word)=todo.")
        }
        task.status = status
    }
}
