import JSON
import Kanban

/// Documents of Firestore as its REST API writes them: an answer of `documents.list`, a list of documents, or one on each line.
enum FirestoreBoard {
    static func read(_ bytes: [UInt8], _ choices: ImportChoices) throws(UnreadableImport) -> ForeignBoard {
        var board = ForeignBoard()
        for (index, document) in try documents(bytes).enumerated() {
            guard let fields = document["fields"]?.objectMembers else {
                board.remarks.fail(
                    index + 1, "#/documents/\(index)", .required,
                    "A document of the REST API has its values in fields.")
                continue
            }
            board.tasks.append(task(document, fields, index, choices, &board.remarks))
        }
        return board
    }

    private static func documents(_ bytes: [UInt8]) throws(UnreadableImport) -> [JSON] {
        let json: JSON
        do {
            json = try JSON(parsing: bytes)
        } catch {
            guard let lines = lines(bytes) else {
                throw UnreadableImport(error)
            }
            return lines
        }
        if let list = json["documents"]?.arrayValue ?? json.arrayValue {
            // An answer of `runQuery` has each document in an object of its own.
            return list.compactMap { $0["document"] ?? ($0["readTime"] != nil && $0["fields"] == nil ? nil : $0) }
        }
        guard json["fields"] != nil else {
            throw UnreadableImport(
                "There are no documents with fields: this is nothing that Firestore's REST API wrote.")
        }
        return [json]
    }

    private static func lines(_ bytes: [UInt8]) -> [JSON]? {
        var documents: [JSON] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            // `try?`: a line that is no JSON means that the whole is none of this kind.
            guard let json = try? JSON(parsing: Array(line)) else { return nil }
            documents.append(json)
        }
        return documents.isEmpty ? nil : documents
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
        var taken: Set<String> = []
        for field in fields {
            let chosen = choices.fields.first { $0.value.isSpelled(like: field.name) }?.key
            guard let member = chosen ?? ImportWords.member(field.name), member != "id", member != "position",
                taken.insert(member).inserted
            else {
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
            remarks.fail(task.row, place, .invalidValue, "\(what) Use another field with the rule \(member):name.")
        }
        switch (member, value) {
        case (_, .none): break
        case ("title", .text(let text)): task.title = text
        case ("body", .text(let text)): task.body = text
        case ("category", .text(let text)): task.category = text.trimmed.isEmpty ? nil : text
        case ("status", .flag(let isDone)): task.status = isDone ? .done : .todo
        case ("status", .text(let word)): choices.setStatus(of: &task, to: word, at: place, &remarks)
        case ("dueDate", .time(let time)): task.due = choices.asDay(.instant(time))
        case ("dueDate", .text(let text)) where text.trimmed.isEmpty: break
        case ("dueDate", .text(let text)):
            task.due = dates.read(text).map { choices.asDay($0) }
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
