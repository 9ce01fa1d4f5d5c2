import JSON
import Kanban

/// The `data.json` of an export of Vikunja: projects (formerly lists) with their tasks.
struct VikunjaBoard {
    private let choices: ImportChoices
    private var remarks = ImportRemarks()
    private var rows = 0

    static func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        var vikunja = VikunjaBoard(choices: choices)
        let areProjects: Bool
        do {
            areProjects = try vikunja.read(bytes, take)
        } catch {
            throw UnreadableImport(error)
        }
        guard areProjects else {
            throw UnreadableImport("There are no projects: this is no data.json that Vikunja exported.")
        }
        return vikunja.remarks
    }

    private init(choices: ImportChoices) {
        self.choices = choices
    }

    private mutating func read(_ bytes: [UInt8], _ take: ForeignBoard.Taking) throws(JSONError) -> Bool {
        var reader = JSONReader(bytes)
        var areProjects = false
        switch try reader.kind() {
        case .array: areProjects = try add(projects: &reader, "#", take)
        case .object:
            try reader.enterObject()
            while let name = try reader.nextName() {
                if name == "projects", try reader.kind() == .array {
                    areProjects = try add(projects: &reader, "#", take)
                }
            }
        default: break
        }
        try reader.finish()
        return areProjects
    }

    /// - Returns: false when one is none.
    private mutating func add(
        projects reader: inout JSONReader, _ pointer: String, _ take: ForeignBoard.Taking
    ) throws(JSONError) -> Bool {
        try reader.enterArray()
        var (index, areProjects) = (0, true)
        while try reader.nextElement() {
            areProjects = try add(project: &reader, "\(pointer)/\(index)", take) && areProjects
            index += 1
        }
        return areProjects
    }

    /// What is in a project's buckets comes behind its tasks: those are read when all else is known.
    /// - Returns: false when it is none.
    private mutating func add(
        project reader: inout JSONReader, _ pointer: String, _ take: ForeignBoard.Taking
    ) throws(JSONError) -> Bool {
        guard try reader.kind() == .object else {
            try reader.skip()
            return false
        }
        var (name, isArchived, buckets) = (nil as String?, false, [Int: String]())
        var tasks: JSONReader?
        try reader.enterObject()
        while let member = try reader.nextName() {
            switch (member, try reader.kind()) {
            case ("title", _): name = try reader.value().stringValue ?? ""
            case ("is_archived", _): isArchived = try reader.value().boolValue ?? false
            case ("buckets", .array):
                try reader.eachElement { bucket, _ in
                    if let id = bucket["id"]?.intValue { buckets[id] = bucket["title"]?.stringValue ?? "" }
                }
            case ("tasks", .array): tasks = reader
            // Older versions put lists into namespaces, newer ones projects into projects.
            case ("lists", .array), ("child_projects", .array):
                _ = try add(projects: &reader, "\(pointer)/\(member)", take)
            default: break
            }
        }
        try tasks?.eachElement { json, index in
            rows += 1
            var task = Self.task(json, "\(pointer)/tasks/\(index)", rows, choices, &remarks)
            task.category = (name ?? "").isEmpty ? nil : name
            if task.status != .done, let bucket = json["bucket_id"]?.intValue.flatMap({ buckets[$0] }) {
                if let status = choices.status(bucket) {
                    task.status = status
                } else {
                    remarks.noteUnknown(list: bucket)
                }
            }
            if isArchived {
                task.deletedAt = choices.now
                remarks.note("closed_in_trash", "Tasks of archived projects are in the trash.")
            }
            take(task)
        }
        return name != nil || tasks != nil
    }

    private static func task(
        _ json: JSON, _ pointer: String, _ row: Int, _ choices: ImportChoices, _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        var task = ForeignBoard.Task(row: row, pointer: pointer, sourceID: json["id"]?.intValue.map { "\($0)" })
        task.title = json["title"]?.stringValue ?? ""
        task.body = plain(json["description"]?.stringValue ?? "", &remarks)
        task.due = time(json["due_date"]).map { choices.asDay(.instant($0)) }
        task.status = json["done"]?.boolValue == true ? .done : .todo
        task.createdAt = time(json["created"])
        task.updatedAt = time(json["updated"])
        task.completedAt = time(json["done_at"])
        let labels = (json["labels"]?.arrayValue ?? []).compactMap { $0["title"]?.stringValue }
        if !labels.isEmpty {
            task.body.addParagraph("Labels: \(labels.joined(separator: ", "))")
            remarks.note("labels_in_body", "Labels are in the notes.", count: labels.count)
        }
        let (seconds, mode) = (json["repeat_after"]?.intValue ?? 0, json["repeat_mode"]?.intValue ?? 0)
        if seconds > 0 || mode == 1 {
            task.recurrence = task.due == nil ? nil : ImportedRule.every(seconds: seconds, mode: mode)
            if task.recurrence == nil {
                remarks.note(
                    "recurrence_left_out", "What comes back without a date, or after part of a day, stays as it is.")
            }
        }
        if json["priority"]?.intValue ?? 0 > 0 { remarks.note("priority_left_out", "There are no priorities here.") }
        for (member, code) in [
            ("comments", "comments_left_out"), ("attachments", "attachments_left_out"),
            ("assignees", "members_left_out"),
            ("reminders", "reminders_left_out"),
        ] {
            remarks.note(
                code, "The \(member) of Vikunja's tasks are left out.", count: json[member]?.arrayValue?.count ?? 0)
        }
        return task
    }

    /// Vikunja writes the year 1 for none.
    private static func time(_ json: JSON?) -> Timestamp? {
        guard let text = json?.stringValue, !text.hasPrefix("0001-01-01") else { return nil }
        return Timestamp(rfc3339: text)
    }

    /// The text of a little HTML, as Vikunja's editor writes it.
    private static func plain(_ html: String, _ remarks: inout ImportRemarks) -> String {
        guard html.contains("<"), html.contains(">") else { return html }
        var text = ""
        var rest = html[...]
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start]
            rest = rest[start...]
            guard let end = rest.firstIndex(of: ">") else { break }
            let tag = rest[rest.index(after: start)..<end].lowercased()
            if tag == "/p" || tag.hasPrefix("br") || tag == "/li" || tag.hasPrefix("/h") { text += "\n" }
            if tag == "li" || tag.hasPrefix("li ") { text += "- " }
            rest = rest[rest.index(after: end)...]
        }
        text += rest
        for (entity, character) in [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
        ] { text = text.replacing(entity, with: character) }
        remarks.note("formatting_left_out", "Notes are plain text here.")
        return text.trimmed
    }
}
