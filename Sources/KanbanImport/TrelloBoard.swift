import JSON
import Kanban

/// A board of Trello, as "Export as JSON" writes it.
struct TrelloBoard {
    private var lists: [Spelling: (name: String, isClosed: Bool, place: Double)] = [:]
    private var checklists: [Spelling: [(name: String, lines: [String], place: Double)]] = [:]
    /// Where they are in the file: their lists may come behind them.
    private var cards: [(index: Int, list: String?, place: Double, text: JSONReader)] = []
    private var remarks = ImportRemarks()
    private var comments = 0
    private var actions = 0

    /// Trello's own limit: it writes no more of what happened.
    private static let mostActions = 1_000

    static func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        var trello = TrelloBoard()
        do {
            try trello.read(bytes)
        } catch {
            throw UnreadableImport(error, in: bytes)
        }
        guard !trello.lists.isEmpty || !trello.cards.isEmpty else {
            throw UnreadableImport("There are no lists and cards: this is no board that Trello exported.")
        }
        do {
            try trello.takeCards(choices, take)
        } catch {
            throw UnreadableImport(error, in: bytes)
        }
        return trello.remarks
    }

    private mutating func read(_ bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes)
        guard try reader.kind() == .object else { return }
        try reader.enterObject()
        while let name = try reader.nextName() {
            guard ["lists", "cards", "checklists", "actions"].contains(name), try reader.kind() == .array else {
                try reader.skip()
                continue
            }
            try reader.enterArray()
            while try reader.nextElement() {
                let text = reader
                take(try reader.value(), at: text, of: name)
            }
        }
        try reader.finish()
    }

    private mutating func take(_ json: JSON, at text: JSONReader, of kind: String) {
        let id = json["id"]?.stringValue ?? ""
        switch kind {
        case "lists":
            lists[Spelling(id)] = (json["name"]?.stringValue ?? "", json["closed"]?.boolValue ?? false, json.place)
        case "cards": cards.append((cards.count, json["idList"]?.stringValue, json.place, text))
        case "checklists":
            let items = (json["checkItems"]?.arrayValue ?? []).sorted { $0.place < $1.place }
            let lines = items.map { item in
                "- [\(item["state"]?.stringValue == "complete" ? "x" : " ")] \(item["name"]?.stringValue ?? "")"
            }
            checklists[Spelling(json["idCard"]?.stringValue ?? ""), default: []].append(
                (json["name"]?.stringValue ?? "", lines, json.place))
        default:
            actions += 1
            if json["type"]?.stringValue == "commentCard" { comments += 1 }
        }
    }

    /// In the order of the board.
    private mutating func takeCards(_ choices: ImportChoices, _ take: ForeignBoard.Taking) throws(JSONError) {
        let ordered = cards.sorted { left, right in
            let (a, b) = (place(ofList: left.list), place(ofList: right.list))
            return (a, left.place, left.index) < (b, right.place, right.index)
        }
        for var card in ordered {
            let place = ForeignBoard.Task(row: card.index + 1, line: card.text.line, pointer: "#/cards/\(card.index)")
            take(task(try card.text.value(), at: place, choices, &remarks))
        }
        remarks.note("comments_left_out", "Comments have no place here.", count: comments)
        if actions >= Self.mostActions {
            remarks.note(
                "source_limit",
                "Trello writes the last \(Self.mostActions) actions only, so older comments are not in the file.")
        }
    }

    private func place(ofList id: String?) -> Double { id.flatMap { lists[Spelling($0)]?.place } ?? 0 }

    private func list(of card: JSON) -> (name: String, isClosed: Bool, place: Double)? {
        card["idList"]?.stringValue.flatMap { lists[Spelling($0)] }
    }

    private func task(
        _ card: JSON, at place: ForeignBoard.Task, _ choices: ImportChoices, _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        let id = card["id"]?.stringValue
        var task = place
        task.sourceID = id
        task.names = Self.names
        task.title = card["name"]?.stringValue ?? ""
        task.body = card["desc"]?.stringValue ?? ""
        let list = list(of: card)
        var labels = (card["labels"]?.arrayValue ?? []).compactMap { label -> String? in
            let name = label["name"]?.stringValue ?? ""
            return name.isEmpty ? label["color"]?.stringValue : name
        }
        if let status = list.flatMap({ choices.status($0.name) }) {
            task.status = status
            if !labels.isEmpty { task.category = labels.removeFirst() }
        } else if let list {
            task.category = list.name
            task.names["category"] = "idList"
            remarks.noteUnknown(list: list.name)
        }
        if !labels.isEmpty {
            task.body.addParagraph("Labels: \(labels.joined(separator: ", "))")
            remarks.note("labels_in_body", "Labels beyond the category are in the notes.", count: labels.count)
        }
        for checklist in (id.flatMap { checklists[Spelling($0)] } ?? []).sorted(by: { $0.place < $1.place }) {
            task.body.addParagraph(([checklist.name] + checklist.lines).filter { !$0.isEmpty }.joined(separator: "\n"))
            remarks.note("checklist_in_body", "Checklists are in the notes.")
        }
        if let due = card["due"]?.stringValue, !due.isBlank { setDue(of: &task, due, choices, &remarks) }
        if card["dueComplete"]?.boolValue == true { task.status = .done }
        task.createdAt = id.flatMap(Self.made)
        task.updatedAt = card["dateLastActivity"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        if task.status == .done { task.completedAt = task.updatedAt }
        if card["closed"]?.boolValue == true || list?.isClosed == true {
            task.deletedAt = choices.now
            remarks.note("closed_in_trash", "Archived cards are in the trash.")
        }
        remarks.note(
            "attachments_left_out", "Attachments have no place here.",
            count: card["attachments"]?.arrayValue?.count ?? 0)
        remarks.note("members_left_out", "Tasks have no people here.", count: card["idMembers"]?.arrayValue?.count ?? 0)
        noteLeftOut(of: card, &remarks)
        return task
    }

    /// The names of Trello for members of a task.
    private static let names = ["title": "name", "body": "desc", "dueDate": "due", "category": "labels"]

    private func setDue(
        of task: inout ForeignBoard.Task, _ text: String, _ choices: ImportChoices, _ remarks: inout ImportRemarks
    ) {
        let dates = ImportedDate(zone: choices.zone)
        task.due = dates.read(text)
        if dates.isLocal(text) { task.basis = choices.basis }
        if task.due == nil { remarks.noteUnread(date: text, of: &task) }
    }

    private func noteLeftOut(of card: JSON, _ remarks: inout ImportRemarks) {
        if card["start"]?.stringValue != nil {
            remarks.note("dates_left_out", "Tasks have no start here: the start of Trello's cards is left out.")
        }
        remarks.note(
            "fields_left_out", "Custom fields have no place here.",
            count: card["customFieldItems"]?.arrayValue?.count ?? 0)
        // -1 is none.
        if let minutes = card["dueReminder"]?.doubleValue, minutes >= 0 {
            remarks.note("reminders_left_out", "The reminders of Trello's cards are left out.")
        }
    }

    /// An id of MongoDB begins with the seconds of its creation, in hexadecimal digits.
    private static func made(_ id: String) -> Timestamp? {
        guard id.utf8.count == 24, let seconds = Int64(id.prefix(8), radix: 16) else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }
}

extension JSON {
    fileprivate var place: Double { self["pos"]?.doubleValue ?? 0 }
}
