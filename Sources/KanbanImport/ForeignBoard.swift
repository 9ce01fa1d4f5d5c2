import Kanban

/// The formats of other systems that an import reads.
package enum ForeignFormat: String, Sendable, CaseIterable {
    case firestore, trello, todoist, vikunja, csv
}

/// What a reader makes of a file of another system: plain values, which one importer takes as they come.
package enum ForeignBoard {
    package struct Task: Equatable, Sendable {
        /// The line of the file, or the place in its list, counted from 1.
        package var row: Int
        /// The line on which it begins.
        package var line: Int
        /// Where the file has it: a JSON pointer, or `#/` and the number of the row.
        package var pointer: String
        /// What the file calls a member, for pointers: a name, or the whole pointer where it is elsewhere.
        package var names: [String: String] = [:]
        /// Its id in the other system; `nil` when that writes none.
        package var sourceID: String?
        package var title = ""
        package var body = ""
        package var status = TaskStatus.todo
        /// The name of its category.
        package var category: String?
        package var due: DueDate?
        package var recurrence: Recurrence?
        /// What the due date, the recurrence and the time of completion rest on besides the words of the file.
        package var basis: DueBasis?
        package var createdAt: Timestamp?
        /// It does not depend on the zone in which times without one are read: it is a part of the id of a task without one.
        package var creation: String?
        package var updatedAt: Timestamp?
        package var completedAt: Timestamp?
        package var deletedAt: Timestamp?
        /// What the file does not say, where a title is that of a task without one: the members of a task that is there
        /// stay as they are. Its category, its recurrence and its reminders also stay where there are none here.
        package var unsaid: [TaskMember] = []

        package init(row: Int, line: Int? = nil, pointer: String, sourceID: String? = nil) {
            (self.row, self.line, self.pointer, self.sourceID) = (row, line ?? row, pointer, sourceID)
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

    package mutating func fail(
        _ row: Int, line: Int? = nil, _ pointer: String, _ code: Fault.Code, _ detail: String
    ) {
        guard faults.count < Self.mostFaults else { return }
        faults.append(Fault(pointer: pointer, code: code, detail: detail, line: line ?? row, row: row))
    }

    /// Adds remarks on the same file. Faults are in its order.
    package mutating func add(_ later: ImportRemarks) {
        func order(_ fault: Fault) -> Int { fault.row ?? 0 }
        let all = (faults + later.faults).enumerated()
            .sorted { (order($0.element), $0.offset) < (order($1.element), $1.offset) }
        faults = all.prefix(Self.mostFaults).map(\.element)
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

/// A file that is not of the format at all.
package struct UnreadableImport: Error {
    package var detail: String
    package var line: Int

    package init(_ detail: String, line: Int = 1) {
        (self.detail, self.line) = (detail, line)
    }
}

extension ForeignFormat {
    /// Reads a file, a task at a time: a large one takes little memory. Faults of single rows are in the result.
    /// - Throws: ``UnreadableImport``; then what was taken counts for nothing.
    package func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        if let fault = ImportedText.otherKind(of: bytes, isJSON: self != .csv && self != .todoist) {
            throw UnreadableImport(fault)
        }
        var days = 0
        func takeDay(_ task: ForeignBoard.Task) {
            var task = task
            if choices.datesAreDays, case .instant(let instant)? = task.due {
                // A time without an offset has the same day in each zone.
                if task.basis?.isZoneOfFile != false {
                    var basis = choices.basis
                    basis.instant = instant
                    (basis.rule, basis.isNextOfRule) = (task.basis?.rule, task.basis?.isNextOfRule ?? false)
                    task.basis = basis
                }
                task.due = .day(choices.zone.day(of: instant))
                days += 1
            }
            take(task)
        }
        var remarks =
            switch self {
            case .csv: try CSVBoard.read(bytes, choices, takeDay)
            case .todoist: try TodoistBoard.read(bytes, choices, takeDay)
            case .trello: try TrelloBoard.read(bytes, choices, takeDay)
            case .vikunja: try VikunjaBoard.read(bytes, choices, takeDay)
            case .firestore: try FirestoreBoard.read(bytes, choices, takeDay)
            }
        if !choices.isZoneKnown {
            remarks.note(
                "days_in_utc",
                "No time zone is known, so days are those of UTC. Choose another with the rule timeZone=Asia/Seoul.",
                count: days)
        }
        return remarks
    }
}
