import JSON
import Kanban

/// Documents of Firestore as its REST API writes them: an answer of `documents.list`, a list of documents, or one on each line.
enum FirestoreBoard {
    static func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        var remarks = ImportRemarks()
        var index = 0
        try eachDocument(bytes) { document in
            if let fields = document["fields"]?.objectMembers {
                take(task(document, fields, index, choices, &remarks))
            } else {
                remarks.fail(
                    index + 1, "#/documents/\(index)", .required,
                    "A document of the REST API has its values in fields.")
            }
            index += 1
        }
        return remarks
    }

    private static func eachDocument(_ bytes: [UInt8], _ body: (JSON) -> Void) throws(UnreadableImport) {
        var text = JSONReader(bytes)
        do {
            try text.finish()
        } catch {
            guard eachLine(of: bytes, body) else { throw UnreadableImport(error) }
            return
        }
        let hasDocuments: Bool
        do {
            hasDocuments = try takeDocuments(of: JSONReader(bytes), body)
        } catch {
            throw UnreadableImport(error)
        }
        guard hasDocuments else {
            throw UnreadableImport(
                "There are no documents with fields: this is nothing that Firestore's REST API wrote.")
        }
    }

    /// - Returns: false when there is neither a list nor a document.
    private static func takeDocuments(of text: JSONReader, _ body: (JSON) -> Void) throws(JSONError) -> Bool {
        var text = text
        var list: JSONReader?
        switch try text.kind() {
        case .array: list = text
        case .object:
            var isDocument = false
            var members = text
            try members.enterObject()
            while let name = try members.nextName() {
                if name == "documents", try members.kind() == .array { list = members }
                if name == "fields" { isDocument = true }
            }
            guard list != nil || isDocument else { return false }
        default: return false
        }
        guard var list else {
            body(try text.value())
            return true
        }
        try list.eachElement { element, _ in
            // An answer of `runQuery` has each document in an object of its own.
            if let document = element["document"] {
                body(document)
            } else if element["readTime"] == nil || element["fields"] != nil {
                body(element)
            }
        }
        return true
    }

    /// - Returns: false when a line is no JSON: then the whole is none of this kind.
    private static func eachLine(of bytes: [UInt8], _ body: (JSON) -> Void) -> Bool {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        for line in lines {
            // `try?`: the caller says what is wrong with the text.
            guard let json = try? JSON(parsing: Array(line)) else { return false }
            body(json)
        }
        return !lines.isEmpty
    }

    private static func task(
        _ document: JSON, _ fields: [JSON.Member], _ index: Int, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        let path = document["name"]?.stringValue ?? ""
        let pointer = "#/documents/\(index)/fields"
        var task = ForeignBoard.Task(
            row: index + 1, pointer: pointer, sourceID: path.isEmpty ? nil : path.afterDocuments)
        task.updatedAt = document["updateTime"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        task.createdAt = document["createTime"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        let members = choices.members(of: fields.map(\.name))
        for (field, member) in zip(fields, members) {
            guard let member, member != "id", member != "position" else {
                remarks.note("unknown_field", "The field \(field.name.quoted) is left out.")
                continue
            }
            let place = "\(pointer)/\(field.name)"
            guard let value = value(field.value) else {
                remarks.note("unknown_field", "The field \(field.name.quoted) has a value that no member takes.")
                continue
            }
            set(member, value, in: &task, place, choices, &remarks)
        }
        task.unsaid = Set([.body, .status, .dueDate].filter { !members.contains($0.rawValue) })
        return task
    }

    private enum Value {
        case none
        case text(String)
        case flag(Bool)
        case time(Timestamp)
    }

    private static func value(_ json: JSON) -> Value? {
        guard let member = json.objectMembers?.first else { return nil }
        switch member.name {
        case "nullValue": return Value.none
        case "stringValue": return member.value.stringValue.map { .text($0) }
        case "booleanValue": return member.value.boolValue.map { .flag($0) }
        case "timestampValue": return member.value.stringValue.flatMap { Timestamp(rfc3339: $0) }.map { .time($0) }
        // Milliseconds or seconds since 1970 where a time is asked for.
        case "integerValue": return member.value.stringValue.map { .text($0) }
        default: return nil
        }
    }

    private static func set(
        _ member: String, _ value: Value, in task: inout ForeignBoard.Task, _ place: String, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) {
        let dates = ImportedDate(zone: choices.zone)
        func fail(_ what: String) {
            remarks.fail(
                task.row, place, .invalidValue,
                "\(what) Use another field with the rule \(member):name, or none with \(member): and no name.")
        }
        switch (member, value) {
        case (_, .none): break
        case ("title", .text(let text)): task.title = text
        case ("body", .text(let text)): task.body = text
        case ("category", .text(let text)): task.category = text.trimmed.isEmpty ? nil : text
        case ("status", .flag(let isDone)): task.status = isDone ? .done : .todo
        case ("status", .text(let word)): choices.setStatus(of: &task, to: word, at: place, &remarks)
        case ("dueDate", .time(let time)): task.due = .instant(time)
        case ("dueDate", .text(let text)) where text.trimmed.isEmpty: break
        case ("dueDate", .text(let text)):
            task.due = dates.read(text)
            if task.due == nil { fail("\(text.quoted) is no date that is understood.") }
        case ("createdAt", .time(let time)): task.createdAt = time
        case ("updatedAt", .time(let time)): task.updatedAt = time
        case ("completedAt", .time(let time)): task.completedAt = time
        case ("createdAt", .text(let text)): task.createdAt = dates.instant(text) ?? task.createdAt
        case ("updatedAt", .text(let text)): task.updatedAt = dates.instant(text) ?? task.updatedAt
        case ("completedAt", .text(let text)): task.completedAt = dates.instant(text)
        default: fail("The field has a value of another type than \(member) takes.")
        }
    }
}

extension String {
    /// A document's path without that of its database.
    fileprivate var afterDocuments: String {
        guard let range = firstRange(of: "/documents/") else { return self }
        return String(self[range.upperBound...])
    }
}
