import Kanban

/// A project of Todoist, as its "Export as CSV" writes it. It has open tasks only, and no ids.
enum TodoistBoard {
    static func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        var remarks = ImportRemarks()
        var table = try CSVTable(ImportedText.decode(bytes))
        guard let head = try table.next() else { throw UnreadableImport("The file is empty.") }
        var columns: [String: Int] = [:]
        for (index, name) in head.fields.enumerated() { columns[name.trimmed.uppercased()] = index }
        guard columns["TYPE"] != nil, columns["CONTENT"] != nil else {
            throw UnreadableImport("The first line lacks TYPE or CONTENT: this is no project that Todoist exported.")
        }
        var section: String?
        // Its comments follow.
        var last: ForeignBoard.Task?
        while let row = try table.next() {
            func field(_ name: String) -> String? { columns[name].flatMap { row.field($0) } }
            switch field("TYPE")?.lowercased() {
            case "task":
                if let last { take(last) }
                last = task(row, section, field, choices, &remarks)
            case "section": section = field("CONTENT")
            case "note":
                guard last != nil, let text = field("CONTENT") else {
                    remarks.note("comments_left_out", "A comment of the project has no place here.")
                    continue
                }
                last?.body.addParagraph(text)
                remarks.note("comment_in_body", "Comments are in the notes of their task.")
            // Says how Todoist shows the project.
            case "meta", nil: remarks.skipped += 1
            case let type?:
                remarks.fail(row.line, "#/\(row.line)/TYPE", .invalidValue, "Todoist has no \(type.quoted).")
            }
        }
        if let last { take(last) }
        return remarks
    }

    private static func task(
        _ row: CSVTable.Row, _ section: String?, _ field: (String) -> String?, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        var task = ForeignBoard.Task(row: row.line, pointer: "#/\(row.line)")
        task.names = ["title": "CONTENT", "body": "DESCRIPTION", "dueDate": "DATE", "recurrence": "DATE"]
        var labels: [String]
        (task.title, labels) = title(field("CONTENT") ?? "")
        task.body = field("DESCRIPTION") ?? ""
        task.category = section
        if section == nil, !labels.isEmpty { task.category = labels.removeFirst() }
        if !labels.isEmpty {
            task.body.addParagraph("Labels: \(labels.joined(separator: ", "))")
            remarks.note("labels_in_body", "Labels beyond the category are in the notes.", count: labels.count)
        }
        if let indent = field("INDENT").flatMap(Int.init), indent > 1 {
            remarks.note("subtask_flattened", "A task under another one stands beside it.")
        }
        if let priority = field("PRIORITY").flatMap(Int.init), priority < 4 {
            remarks.note("priority_left_out", "There are no priorities here.")
        }
        if field("RESPONSIBLE") != nil { remarks.note("responsible_left_out", "Tasks have no people here.") }
        setDates(of: &task, field, choices, &remarks)
        return task
    }

    /// The date, or where there is none that is understood, the deadline.
    private static func setDates(
        of task: inout ForeignBoard.Task, _ field: (String) -> String?, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) {
        // Todoist writes "None" into columns of newer features.
        func value(_ name: String) -> String? { field(name).flatMap { $0.lowercased() == "none" ? nil : $0 } }
        if value("DURATION") != nil { remarks.note("duration_left_out", "Tasks have no duration here.") }
        let name = value("TIMEZONE")
        let zone = name.flatMap { Zone(name: $0) }
        let dates = ImportedDate(zone: zone ?? choices.zone)
        if let date = value("DATE") {
            if let name, zone == nil {
                remarks.note(
                    "unknown_time_zone",
                    "The time zone \(name.quoted) is not known: its times are read in \(choices.zone.name).")
            }
            let basis = zone.map { DueBasis(in: $0, isOfFile: true) } ?? choices.basis
            task.due = dates.read(date)
            if dates.isLocal(date) { task.basis = basis }
            if task.due == nil, let rule = ImportedRule.read(date) {
                setRule(of: &task, rule, basis, choices, &remarks)
            }
            if task.due == nil { remarks.noteUnread(date: date, of: &task) }
        }
        guard let deadline = value("DEADLINE") else { return }
        if task.due != nil {
            task.body.addParagraph("Deadline: \(deadline)")
            remarks.note("deadline_in_body", "A task has one date here: the deadline beside it is in the notes.")
        } else if let due = dates.read(deadline) {
            task.due = due
            if dates.isLocal(deadline) { task.basis = zone.map { DueBasis(in: $0, isOfFile: true) } ?? choices.basis }
        } else {
            remarks.noteUnread(date: deadline, of: &task)
        }
    }

    /// The next date of a rule, of one that is over its last date.
    private static func setRule(
        of task: inout ForeignBoard.Task, _ rule: ImportedRule, _ basis: DueBasis, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) {
        let next = rule.first(from: choices.today, in: basis.zone)
        guard let date = next ?? rule.last(in: basis.zone) else { return }
        task.due = date
        // A time of day stays that of its zone when clocks change.
        let isElsewhere = rule.time != nil && basis.zone.name != choices.zone.name
        task.recurrence = Recurrence(
            rule: ImportedRule.keeping(date.day(in: basis.zone), in: rule.recurrence.rule),
            from: rule.recurrence.from,
            timeZone: isElsewhere ? basis.zone.name : nil)
        task.basis = basis
        task.basis?.isNextOfRule = rule.start.map { $0 < choices.today } ?? true
        task.basis?.rule = rule.recurrence.rule
        if next == nil {
            remarks.note("recurrence_over", "A task whose rule is over is due on the last date of the rule.")
        } else {
            remarks.note("recurrence_begins", "Tasks that come back begin with the next date of their rule.")
        }
    }

    /// Without the mark of what cannot be ticked, and without the labels at the end: Todoist writes them there (`Milk @shop`),
    /// while an `@` before other words may be one of the text.
    private static func title(_ content: String) -> (title: String, labels: [String]) {
        let text = content.hasPrefix("* ") ? String(content.dropFirst(2)).trimmed : content
        var rest = text[...]
        var labels: [String] = []
        while let space = rest.lastIndex(where: \.isWhitespace) {
            let word = rest[rest.index(after: space)...]
            guard word.first == "@", word.dropFirst().first.map({ $0.isLetter || $0.isNumber }) == true else { break }
            labels.insert(String(word.dropFirst()), at: 0)
            rest = rest[..<space]
            while rest.last?.isWhitespace == true { rest.removeLast() }
        }
        return (String(rest), labels)
    }
}

extension String {
    /// Adds text after an empty line.
    mutating func addParagraph(_ text: String) {
        self += isEmpty ? text : "\n\n\(text)"
    }
}
