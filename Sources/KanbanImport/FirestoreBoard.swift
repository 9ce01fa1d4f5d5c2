import JSON
import Kanban

/// Documents of Firestore as its REST API writes them: an answer of `documents.list`, a list of documents, or one on each line.
enum FirestoreBoard {
    static func read(
        _ bytes: [UInt8], _ choices: ImportChoices, _ take: ForeignBoard.Taking
    ) throws(UnreadableImport) -> ImportRemarks {
        var remarks = ImportRemarks()
        var index = 0
        let hasMore = try eachDocument(bytes) { document, place in
            if let fields = document["fields"]?.objectMembers, !fields.isEmpty {
                let start = ForeignBoard.Task(row: index + 1, line: place.line, pointer: "\(place.pointer)/fields")
                take(task(document, fields, at: start, "\(place.pointer)/name", choices, &remarks))
            } else if document["name"]?.isPath == true {
                // The REST API leaves fields out of a document that has none.
                remarks.skipped += 1
                remarks.note("empty_document", "Documents without fields are skipped.")
            } else {
                remarks.fail(
                    index + 1, line: place.line, place.pointer, .required,
                    "A document of the REST API has its values in fields.")
            }
            index += 1
        }
        if hasMore {
            remarks.note(
                "more_pages",
                "The file is one page of the collection. Ask for the next with pageToken, and import that, too.")
        }
        return remarks
    }

    /// Where the file has a document.
    private struct Place {
        var pointer: String
        var line: Int
    }

    /// - Returns: true if the file says that there is another page.
    private static func eachDocument(
        _ bytes: [UInt8], _ body: (JSON, Place) -> Void
    ) throws(UnreadableImport) -> Bool {
        var text = JSONReader(bytes)
        do {
            try text.finish()
        } catch {
            guard eachLine(of: bytes, body) else { throw UnreadableImport(error, in: bytes) }
            return false
        }
        let hasDocuments: Bool
        var hasMore = false
        do {
            hasDocuments = try takeDocuments(of: JSONReader(bytes), body, &hasMore)
        } catch {
            throw UnreadableImport(error, in: bytes)
        }
        guard hasDocuments else {
            throw UnreadableImport(
                "There are no documents with fields: this is nothing that Firestore's REST API wrote.")
        }
        return hasMore
    }

    /// - Returns: false when there is neither a list nor a document.
    private static func takeDocuments(
        of text: JSONReader, _ body: (JSON, Place) -> Void, _ hasMore: inout Bool
    ) throws(JSONError) -> Bool {
        var text = text
        var list: JSONReader?
        var pointer = "#"
        switch try text.kind() {
        case .array: list = text
        case .object:
            var (isDocument, isEmpty) = (false, true)
            var members = text
            try members.enterObject()
            while let name = try members.nextName() {
                switch (name, try members.kind()) {
                case ("documents", .array): (list, pointer) = (members, "#/documents")
                case ("fields", _): isDocument = true
                case ("name", _):
                    isEmpty = false
                    if try members.value().isPath { isDocument = true }
                // All that the answer of an empty collection may have.
                case ("nextPageToken", _): hasMore = try members.value().stringValue?.isEmpty == false
                default: isEmpty = false
                }
            }
            if list == nil, !isDocument { return isEmpty }
        default: return false
        }
        guard var list else {
            let line = text.line
            body(try text.value(), Place(pointer: "#", line: line))
            return true
        }
        try list.enterArray()
        var index = 0
        while try list.nextElement() {
            let place = Place(pointer: "\(pointer)/\(index)", line: list.line)
            let element = try list.value()
            // An answer of `runQuery` has each document in an object of its own.
            if let document = element["document"] {
                body(document, Place(pointer: "\(place.pointer)/document", line: place.line))
            } else if element["readTime"] == nil || element["fields"] != nil {
                body(element, place)
            }
            index += 1
        }
        return true
    }

    /// - Returns: false when a line is no JSON: then the whole is none of this kind.
    private static func eachLine(of bytes: [UInt8], _ body: (JSON, Place) -> Void) -> Bool {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated()
            .filter { !$0.element.allSatisfy { [0x20, 0x09, 0x0d].contains($0) } }
        for (index, line) in lines {
            // `try?`: the caller says what is wrong with the text.
            guard let json = try? JSON(parsing: Array(line)) else { return false }
            // As of a table: a pointer is of one text, and here each line is one.
            body(json, Place(pointer: "#/\(index + 1)", line: index + 1))
        }
        return !lines.isEmpty
    }

    private static func task(
        _ document: JSON, _ fields: [JSON.Member], at start: ForeignBoard.Task, _ nameAt: String,
        _ choices: ImportChoices, _ remarks: inout ImportRemarks
    ) -> ForeignBoard.Task {
        let path = document["name"]?.stringValue ?? ""
        var task = start
        task.sourceID = path.isEmpty ? nil : path.afterDocuments
        task.names["id"] = nameAt
        task.updatedAt = document["updateTime"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        task.createdAt = document["createTime"]?.stringValue.flatMap { Timestamp(rfc3339: $0) }
        let members = choices.members(of: fields.map(\.name))
        for (field, member) in zip(fields, members) {
            guard let member, member != "id", member != "position" else {
                remarks.note("unknown_field", "The field \(field.name.quoted) is left out.")
                continue
            }
            task.names[member] = field.name
            let place = Fault.pointer(task.pointer, field.name)
            guard let value = value(field.value) else {
                remarks.note("unknown_field", "The field \(field.name.quoted) has a value that no member takes.")
                continue
            }
            set(member, value, in: &task, place, choices, &remarks)
        }
        task.unsaid = [.body, .status, .dueDate].filter { !members.contains($0.rawValue) }
        if task.title.isBlank {
            task.title = choices.defaultTitle
            task.unsaid.append(.title)
            remarks.note(
                "untitled",
                "Documents without a title are called \(task.title.quoted). If a field of another name has it, say so with the "
                    + "rule title:name.")
        }
        return task
    }

    private enum Value {
        case none
        case text(String)
        case flag(Bool)
        case time(Timestamp)
        /// As a text, and as the time that it is where a time is asked for.
        case number(String, Timestamp?)
    }

    private static func value(_ json: JSON) -> Value? {
        guard let member = json.objectMembers?.first else { return nil }
        switch member.name {
        case "nullValue": return Value.none
        case "stringValue": return member.value.stringValue.map { .text($0) }
        case "booleanValue": return member.value.boolValue.map { .flag($0) }
        case "timestampValue": return member.value.stringValue.flatMap { Timestamp(rfc3339: $0) }.map { .time($0) }
        case "integerValue", "doubleValue":
            guard let number = member.value.stringValue.flatMap(Double.init) ?? member.value.doubleValue else {
                return nil
            }
            let text = member.value.stringValue ?? Int(exactly: number).map { "\($0)" } ?? "\(number)"
            return .number(text, time(number))
        default: return nil
        }
    }

    /// Milliseconds or seconds since 1970. Either way 1973 to 5138 is understood; less is no time, but a number of something else.
    private static func time(_ number: Double) -> Timestamp? {
        let milliseconds = abs(number) < 1e11 ? number * 1_000 : number
        guard (1e11..<1e14).contains(milliseconds) else { return nil }
        return Timestamp(milliseconds: Int64(milliseconds))
    }

    private static func set(
        _ member: String, _ value: Value, in task: inout ForeignBoard.Task, _ place: String, _ choices: ImportChoices,
        _ remarks: inout ImportRemarks
    ) {
        func fail(_ what: String) {
            remarks.fail(
                task.row, line: task.line, place, .invalidValue,
                "\(what) Use another field with the rule \(member):name, or none with \(member): and no name.")
        }
        switch (member, value) {
        case (_, .none): break
        case (_, .text(let text)) where text.trimmed.isEmpty: break
        case ("title", .text(let text)), ("title", .number(let text, _)): task.title = text
        case ("body", .text(let text)), ("body", .number(let text, _)): task.body = text
        case ("category", .text(let text)), ("category", .number(let text, _)): task.category = text
        case ("status", .flag(let isDone)): task.status = isDone ? .done : .todo
        case ("status", .text(let word)), ("status", .number(let word, _)):
            choices.setStatus(of: &task, to: word, at: place, &remarks)
        case ("dueDate", .time(let time)), ("dueDate", .number(_, let time?)): task.due = .instant(time)
        case ("dueDate", .text(let text)), ("dueDate", .number(let text, nil)):
            let dates = ImportedDate(zone: choices.zone)
            task.due = dates.read(text)
            if dates.isLocal(text) { task.basis = choices.basis }
            if task.due == nil { fail("\(text.quoted) is no date that is understood.") }
        default:
            let times: [String: WritableKeyPath<ForeignBoard.Task, Timestamp?>] = [
                "createdAt": \.createdAt, "updatedAt": \.updatedAt, "completedAt": \.completedAt,
            ]
            guard let path = times[member] else {
                return fail("The field has a value of another type than \(member) takes.")
            }
            switch value {
            case .time(let time), .number(_, let time?): task[keyPath: path] = time
            case .text(let text), .number(let text, nil):
                guard let time = ImportedDate(zone: choices.zone).instant(text) else {
                    return remarks.note(
                        "unread_time", "A time of \(member) is not understood and is left out: \(text.quoted).")
                }
                task[keyPath: path] = time
            default: fail("The field has a value of another type than \(member) takes.")
            }
        }
    }
}

extension JSON {
    /// True if the value is the path of a document, which each document has as its name.
    fileprivate var isPath: Bool { stringValue?.contains("/documents/") == true }
}

extension String {
    /// A document's path without that of its database.
    fileprivate var afterDocuments: String {
        guard let range = firstRange(of: "/documents/") else { return self }
        return String(self[range.upperBound...])
    }
}
