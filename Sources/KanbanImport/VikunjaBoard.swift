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
            throw UnreadableImport(error, in: bytes)
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
                    areProjects = try add(projects: &reader, "#/projects", take)
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
        // Newer exports have them beside the tasks: each view of a project has buckets of its own.
        var bucketsOfTasks: [Int: [Int]] = [:]
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
            case ("task_buckets", .array):
                try reader.eachElement { place, _ in
                    guard let task = place["task_id"]?.intValue, let bucket = place["bucket_id"]?.intValue else {
                        return
                    }
                    bucketsOfTasks[task, default: []].append(bucket)
                }
            case ("tasks", .array): tasks = reader
            // Older versions put lists into namespaces, newer ones projects into projects.
            case ("lists", .array), ("child_projects", .array):
                _ = try add(projects: &reader, "\(pointer)/\(member)", take)
            default: break
            }
        }
        if var list = tasks {
            try list.enterArray()
            var index = 0
            while try list.nextElement() {
                rows += 1
                let place = ForeignBoard.Task(row: rows, line: list.line, pointer: "\(pointer)/tasks/\(index)")
                let json = try list.value()
                var task = Self.task(json, at: place, choices, &remarks)
                task.category = (name ?? "").isEmpty ? nil : name
                task.names["category"] = "\(pointer)/title"
                if task.status != .done {
                    let ids =
                        [json["bucket_id"]?.intValue] + (json["id"]?.intValue.flatMap { bucketsOfTasks[$0] } ?? [])
                    setStatus(of: &task, ids.compactMap { $0.flatMap { buckets[$0] } })
                }
                if isArchived {
                    task.deletedAt = choices.now
                    remarks.note("closed_in_trash", "Tasks of archived projects are in the trash.")
                }
                take(task)
                index += 1
            }
        }
        return name != nil || tasks != nil
    }

    /// By the names of its buckets.
    private mutating func setStatus(of task: inout ForeignBoard.Task, _ buckets: [String]) {
        if let status = buckets.compactMap({ choices.status($0) }).first {
            task.status = status
        } else if let name = buckets.first {
            remarks.noteUnknown(list: name)
        }
    }

    /// What no task of ours has, with the codes of notes.
    private static let leftOut = [
        ("comments", "comments_left_out"), ("attachments", "attachments_left_out"), ("assignees", "members_left_out"),
        ("reminders", "reminders_left_out"), ("start_date", "dates_left_out"), ("end_date", "dates_left_out"),
        ("percent_done", "progress_left_out"), ("is_favorite", "favorite_left_out"),
        ("related_tasks", "relations_left_out"), ("hex_color", "color_left_out"),
    ]

    private static func task(
        _ json: JSON, at place: ForeignBoard.Task, _ choices: ImportChoices, _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        var task = place
        task.sourceID = json["id"]?.intValue.map { "\($0)" }
        task.names = names
        task.title = json["title"]?.stringValue ?? ""
        let description = MarkupText(json["description"]?.stringValue ?? "")
        task.body = description.text
        if description.hasTags { remarks.note("formatting_left_out", "Notes are plain text here.") }
        task.due = time(json["due_date"]).map { .instant($0) }
        if task.due == nil, let text = words(json["due_date"]) { remarks.noteUnread(date: text, of: &task) }
        task.status = json["done"]?.boolValue == true ? .done : .todo
        task.createdAt = time(json["created"])
        task.updatedAt = time(json["updated"])
        task.completedAt = time(json["done_at"])
        for member in ["created", "updated", "done_at"] where time(json[member]) == nil {
            guard let text = words(json[member]) else { continue }
            remarks.note("unread_time", "A time of \(member) is not understood and is left out: \(text.quoted).")
        }
        let labels = (json["labels"]?.arrayValue ?? []).compactMap { $0["title"]?.stringValue }
        if !labels.isEmpty {
            task.body.addParagraph("Labels: \(labels.joined(separator: ", "))")
            remarks.note("labels_in_body", "Labels are in the notes.", count: labels.count)
        }
        let (seconds, mode) = (json["repeat_after"]?.intValue ?? 0, json["repeat_mode"]?.intValue ?? 0)
        if seconds > 0 || mode == 1 {
            task.recurrence = task.due.flatMap {
                ImportedRule.every(seconds: seconds, mode: mode, from: $0.day(in: choices.zone))
            }
            if mode == 1 {
                // The day of the month is that of the zone.
                task.basis = DueBasis(in: choices.zone, isOfFile: true)
                task.basis?.rule = "FREQ=MONTHLY"
            }
            if task.recurrence == nil {
                remarks.note(
                    "recurrence_left_out",
                    "What comes back without a date, after part of a day or too rarely stays as it is.")
            }
        }
        if json["priority"]?.intValue ?? 0 > 0 { remarks.note("priority_left_out", "There are no priorities here.") }
        for (member, code) in leftOut {
            remarks.note(code, "The \(member) of Vikunja's tasks are left out.", count: json[member]?.values ?? 0)
        }
        return task
    }

    /// The names of Vikunja for members of a task.
    private static let names = ["body": "description", "dueDate": "due_date", "recurrence": "repeat_after"]

    private static func time(_ json: JSON?) -> Timestamp? { words(json).flatMap { Timestamp(rfc3339: $0) } }

    /// Vikunja writes the year 1 for none.
    private static func words(_ json: JSON?) -> String? {
        json?.stringValue.flatMap { $0.isBlank || $0.hasPrefix("0001-01-01") ? nil : $0 }
    }
}

extension JSON {
    /// How many values it has: Vikunja writes empty ones for none.
    fileprivate var values: Int {
        switch self {
        case .array(let elements): elements.count
        case .object(let members): members.reduce(0) { $0 + $1.value.values }
        case .string(let text): text.isEmpty || text.hasPrefix("0001-01-01") ? 0 : 1
        case .number: doubleValue == 0 ? 0 : 1
        case .bool(let isSet): isSet ? 1 : 0
        case .null: 0
        }
    }
}
