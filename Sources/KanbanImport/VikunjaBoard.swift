import JSON
import Kanban

/// The `data.json` of an export of Vikunja: projects (formerly lists) with their tasks.
enum VikunjaBoard {
    static func read(_ bytes: [UInt8], _ choices: ImportChoices) throws(UnreadableImport) -> ForeignBoard {
        var board = ForeignBoard()
        let json: JSON
        do {
            json = try JSON(parsing: bytes)
        } catch {
            throw UnreadableImport(error)
        }
        guard let projects = json.arrayValue ?? json["projects"]?.arrayValue,
            projects.allSatisfy({ $0["title"] != nil || $0["tasks"] != nil })
        else { throw UnreadableImport("There are no projects: this is no data.json that Vikunja exported.") }
        for (index, project) in projects.enumerated() {
            add(project, "#/\(index)", choices, &board)
        }
        return board
    }

    private static func add(_ project: JSON, _ pointer: String, _ choices: ImportChoices, _ board: inout ForeignBoard) {
        let name = project["title"]?.stringValue ?? ""
        var buckets: [Int: String] = [:]
        for bucket in project["buckets"]?.arrayValue ?? [] {
            if let id = bucket["id"]?.intValue { buckets[id] = bucket["title"]?.stringValue ?? "" }
        }
        for (index, json) in (project["tasks"]?.arrayValue ?? []).enumerated() {
            var task = task(json, "\(pointer)/tasks/\(index)", board.tasks.count + 1, choices, &board.remarks)
            task.category = name.isEmpty ? nil : name
            if task.status != .done, let bucket = json["bucket_id"]?.intValue.flatMap({ buckets[$0] }) {
                if let status = choices.status(bucket) {
                    task.status = status
                } else {
                    board.remarks.noteUnknown(list: bucket)
                }
            }
            if project["is_archived"]?.boolValue == true {
                task.deletedAt = task.updatedAt ?? task.createdAt
                board.remarks.note("closed_in_trash", "Tasks of archived projects are in the trash.")
            }
            board.tasks.append(task)
        }
        // Older versions put lists into namespaces, newer ones projects into projects.
        for member in ["lists", "child_projects"] {
            for (index, child) in (project[member]?.arrayValue ?? []).enumerated() {
                add(child, "\(pointer)/\(member)/\(index)", choices, &board)
            }
        }
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
            remarks.note("labels_in_body", "Labels stand in the notes.", count: labels.count)
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
