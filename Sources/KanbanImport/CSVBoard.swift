import Kanban

/// Any CSV with a line of headings, that of this server included.
enum CSVBoard {
    static func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        var remarks = ImportRemarks()
        var table = try CSVTable(ImportedText.decode(bytes))
        guard let head = try table.next() else {
            throw UnreadableImport("The file is empty. Its first line must have headings, as title and due date.")
        }
        let columns = try columns(of: head, choices, &remarks)
        // Only all dates together tell whether days or months come first.
        var due: [String] = []
        if let column = columns["dueDate"] {
            var rows = table
            while let row = try rows.next() {
                if let text = row.field(column) { due.append(text) }
            }
        }
        let dates = ImportedDate(zone: choices.zone, of: due)
        // This server's own export, whose titles come back as they are.
        let isOwn = head.fields.suffix(3) == ["createdAt", "updatedAt", "completedAt"]
        // The one for spreadsheets begins with a byte order mark.
        let isForExcel = isOwn && head.fields.first == "id" && ImportedText.hasMark(bytes)
        while var row = try table.next() {
            if isForExcel { row.fields = row.fields.map(FormulaText.unquoted) }
            if let extra = row.fields.dropFirst(head.fields.count).first(where: { !$0.trimmed.isEmpty }) {
                remarks.fail(
                    row.line, "#/\(row.line)", .invalidFormat,
                    "\(extra.trimmed.quoted) has no heading. Put text with a separator in it in quotation marks.")
            }
            var task = task(row, columns, dates, choices, &remarks)
            if isOwn { task.title = columns["title"].flatMap(row.text) ?? "" }
            take(task)
        }
        return remarks
    }

    /// Each heading is compared with the others.
    private static let mostColumns = 1_000

    /// The index of the column of each member.
    private static func columns(
        of head: CSVTable.Row, _ choices: ImportChoices, _ remarks: inout ImportRemarks
    ) throws(UnreadableImport) -> [String: Int] {
        guard head.fields.count <= mostColumns else {
            throw UnreadableImport("A file has at most \(mostColumns) columns.")
        }
        var columns: [String: Int] = [:]
        let headings = head.fields.map(\.trimmed)
        for (index, member) in choices.members(of: headings, areHeadings: true).enumerated()
        where !headings[index].isEmpty {
            if let member { columns[member] = index }
            // Rows of this server's own export have the order of their places.
            if member == nil || member == "position" && headings[index] != "position" {
                remarks.note("unknown_column", "The column \"\(headings[index])\" is left out.")
            }
        }
        guard columns["title"] != nil else {
            let words =
                choices.field(of: "title").map { "\($0.quoted), which the rule title:\($0) names" }
                ?? "that of the titles, such as title, 제목 or タイトル: name the one that is with a rule, as title:Subject"
            throw UnreadableImport("No heading of line \(head.line) is \(words).")
        }
        return columns
    }

    private static func task(
        _ row: CSVTable.Row, _ columns: [String: Int], _ dates: ImportedDate, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        func field(_ member: String) -> String? { columns[member].flatMap { row.field($0) } }
        var task = ForeignBoard.Task(row: row.line, pointer: "#/\(row.line)", sourceID: field("id"))
        func time(_ member: String, _ remarks: inout ImportRemarks) -> Timestamp? {
            guard let text = field(member) else { return nil }
            if let time = dates.instant(text) { return time }
            remarks.fail(
                row.line, "\(task.pointer)/\(member)", .invalidFormat, "\(text.quoted) is no time that is understood."
            )
            return nil
        }
        task.title = field("title") ?? ""
        task.body = columns["body"].flatMap(row.text) ?? ""
        task.category = field("category")
        if let word = field("status") {
            choices.setStatus(of: &task, to: word, at: "\(task.pointer)/status", &remarks)
        }
        if let text = field("dueDate") {
            if let due = dates.read(text) {
                task.due = due
                if dates.isLocal(text) { task.basis = choices.basis }
            } else {
                remarks.fail(
                    row.line, "\(task.pointer)/dueDate", .invalidFormat,
                    "\(text.quoted) is no date that is understood. Write it as 2026-12-24.")
            }
        }
        task.createdAt = time("createdAt", &remarks)
        task.updatedAt = time("updatedAt", &remarks)
        task.completedAt = time("completedAt", &remarks)
        if field("completedAt").map(dates.isLocal) == true { task.basis = task.basis ?? choices.basis }
        task.creation = field("createdAt").flatMap(ImportedDate(zone: .utc).instant)?.description
        // Without a column for the state, the time tells it.
        if columns["status"] == nil, task.completedAt != nil { task.status = .done }
        task.unsaid = [.body, .status, .dueDate].filter { columns[$0.rawValue] == nil }
        if columns["completedAt"] != nil { task.unsaid.removeAll { $0 == .status } }
        return task
    }
}

extension CSVTable.Row {
    /// The field without white space around it; `nil` for none and an empty one.
    func field(_ index: Int) -> String? {
        text(index).map(\.trimmed).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The field as it is; `nil` for none.
    func text(_ index: Int) -> String? { fields.indices.contains(index) ? fields[index] : nil }
}

extension String {
    /// In quotation marks, for messages; of a long text its beginning.
    var quoted: String { count > 60 ? "\"\(prefix(60))…\"" : "\"\(self)\"" }
}
