import Kanban

/// The formats of other systems that an import reads.
package enum ForeignFormat: String, Sendable, CaseIterable {
    case firestore, trello, todoist, vikunja, csv
}

/// What a reader makes of a file of another system: plain values, which one importer takes as they come.
package enum ForeignBoard {
    package struct Task: Sendable {
        /// The line of the file, or the place in its list, counted from 1.
        package var row: Int
        /// Where the file has it: a JSON pointer, or `#/` and the number of the row.
        package var pointer: String
        /// Its id in the other system; `nil` when that writes none.
        package var sourceID: String?
        package var title = ""
        package var body = ""
        package var status = TaskStatus.todo
        /// The name of its category.
        package var category: String?
        package var due: DueDate?
        package var recurrence: Recurrence?
        package var createdAt: Timestamp?
        package var updatedAt: Timestamp?
        package var completedAt: Timestamp?
        package var deletedAt: Timestamp?
        /// What the file does not say: the members of a task that is there stay as they are. Its category, its recurrence and
        /// its reminders also stay where there are none here.
        package var unsaid: Set<TaskMember> = []

        package init(row: Int, pointer: String, sourceID: String? = nil) {
            (self.row, self.pointer, self.sourceID) = (row, pointer, sourceID)
        }
    }

    /// Takes a task of the file.
    package typealias Taking = (Task) -> Void
}

/// What an import has to say besides its counts: nothing is left out or changed without a word.
package struct ImportRemarks: Sendable {
    /// What was left out or changed, and how often.
    package struct Note: Hashable, Sendable {
        package var code: String
        package var count: Int
        package var detail: String
    }

    /// What is wrong with single rows: the first ones.
    package private(set) var faults: [Fault] = []
    package private(set) var notes: [Note] = []
    /// Rows that hold no task.
    package var skipped = 0

    private static let mostFaults = 100
    private static let mostNotes = 100

    package init() {}

    package mutating func fail(_ row: Int, _ pointer: String, _ code: Fault.Code, _ detail: String) {
        guard faults.count < Self.mostFaults else { return }
        faults.append(Fault(pointer: pointer, code: code, detail: detail, line: row))
    }

    /// Adds what comes after these.
    package mutating func add(_ later: ImportRemarks) {
        faults += later.faults.prefix(Self.mostFaults - faults.count)
        for one in later.notes { note(one.code, one.detail, count: one.count) }
        skipped += later.skipped
    }

    /// Notes of one code and detail are one, with their number.
    package mutating func note(_ code: String, _ detail: String, count: Int = 1) {
        guard count > 0 else { return }
        if let known = notes.firstIndex(where: { $0.code == code && $0.detail == detail }) {
            notes[known].count += count
        } else if notes.count < Self.mostNotes {
            notes.append(Note(code: code, count: count, detail: detail))
        } else if let last = notes.lastIndex(where: { $0.code == code }) {
            notes[last].count += count
        }
    }
}

/// What a user says about a file.
package struct ImportChoices: Sendable {
    /// The zone of times without one, and of days.
    package var zone: Zone
    /// When the import is made: what is archived elsewhere has been in the trash since then.
    package var now: Timestamp
    /// On which what comes back without a date begins.
    package var today: Day
    /// Columns of names that are no usual names of one: `Backlog` is todo. By ``ImportWords/key(_:)``.
    package var statuses: [String: TaskStatus] = [:]
    /// Fields of the other system by the member of a task.
    package var fields: [String: String] = [:]
    /// Instants are days of the zone: an app that stored a `Date` of a day picker meant a day.
    package var datesAreDays = false

    package init(zone: Zone, now: Timestamp) {
        (self.zone, self.now, today) = (zone, now, zone.day(of: now))
    }

    /// Takes rules as `list:Backlog=todo`, `status:쉬는 중=doing`, `title:headline`, `dates=day`.
    /// - Throws: ``UnreadableImport`` for one that says nothing.
    package mutating func take(_ rules: [String]) throws(UnreadableImport) {
        for rule in rules {
            let sides = rule.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            let parts = (sides.first ?? "").split(separator: ":", maxSplits: 1).map { String($0).trimmed }
            switch (parts.first, parts.count, sides.count) {
            case ("dates", 1, 2) where sides[1] == "day": datesAreDays = true
            case ("dates", 1, 2) where sides[1] == "instant": datesAreDays = false
            case ("list", 2, 2), ("status", 2, 2):
                guard let status = TaskStatus(name: sides[1]) else {
                    throw UnreadableImport("\(sides[1].quoted) is no column: todo, doing or done.")
                }
                statuses[ImportWords.key(parts[1])] = status
            case (let member?, 2, 1) where ImportWords.isMember(member): fields[member] = parts[1]
            default:
                throw UnreadableImport(
                    "\(rule.quoted) is none of list:Name=todo, status:Word=doing, title:field and dates=day.")
            }
        }
    }
}

/// A file that is not of the format at all.
package struct UnreadableImport: Error {
    package var detail: String

    package init(_ detail: String) {
        self.detail = detail
    }
}

extension ForeignFormat {
    /// Reads a file, a task at a time: a large one takes little memory. Faults of single rows are in the result.
    /// - Throws: ``UnreadableImport``; then what was taken counts for nothing.
    package func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        if self != .csv, self != .todoist, ImportedText.isUTF16(json: bytes) {
            throw UnreadableImport("The file is in UTF-16. JSON is in UTF-8: save it so.")
        }
        return switch self {
        case .csv: try CSVBoard.read(bytes, choices, take)
        case .todoist: try TodoistBoard.read(bytes, choices, take)
        case .trello: try TrelloBoard.read(bytes, choices, take)
        case .vikunja: try VikunjaBoard.read(bytes, choices, take)
        case .firestore: try FirestoreBoard.read(bytes, choices, take)
        }
    }
}
