import JSON
import Kanban

/// What clients send about a noun, read by its table of members.
package enum NounBodies<Noun: Kanban.Noun> {
    package struct Whole: Sendable {
        package var id: ID?
        package var edit: Edit<Noun>
    }

    /// The body of `POST`, and of `PUT` when `id` is that of the path.
    package static func whole(_ json: JSON, id: ID? = nil) throws -> Whole {
        var members = try Members(json)
        var own: ID?
        if let id {
            members.requireID(id)
        } else {
            own = members.id("id").value
        }
        let values = members.whole(Noun.self)
        return Whole(id: own, edit: try finish(&members, values, at: "#"))
    }

    /// The body of `PATCH`: an absent member stays, a null one takes its default.
    /// - Parameters:
    ///   - id: that of the path; `nil` for settings.
    ///   - pointer: the pointer to the object.
    package static func patch(_ json: JSON, id: ID?, at pointer: String = "#") throws -> Edit<Noun> {
        var members = try Members(json, at: pointer)
        if let id { members.requireID(id) }
        let values = members.patch(Noun.self)
        return try finish(&members, values, at: pointer)
    }

    private static func finish(
        _ members: inout Members, _ values: [MemberEdit<Noun>], at pointer: String
    ) throws -> Edit<Noun> {
        let faults = members.finished(ignoring: Noun.shownOnly)
        // Only the rule, which has the stored object, knows whether a patched one is too long: it reports all faults then.
        guard faults.isEmpty || values.contains(where: \.isPatch) else { throw BoardError.invalid(faults) }
        return { noun in
            let more = values.compactMap { $0.apply(to: &noun, at: pointer) }
            guard faults.isEmpty, more.isEmpty else { throw BoardError.invalid(faults + more) }
        }
    }
}

/// The value that a body gives a member.
package struct MemberEdit<Noun: Kanban.Noun>: Sendable {
    private let member: Member<Noun>
    private let value: MemberValue
    /// True if the body is merged with the value that is there.
    fileprivate let isPatch: Bool

    /// - Returns: `nil` for what a body does not give.
    fileprivate init?(_ member: Member<Noun>, _ field: Field<MemberValue>) {
        guard let value = field.value ?? member.standard else { return nil }
        self.member = member
        self.value = value
        if case .object = member.form { isPatch = field.value != nil } else { isPatch = false }
    }

    /// - Returns: the fault that only the whole value has.
    package func apply(to noun: inout Noun, at pointer: String = "#") -> Fault? {
        guard isPatch, case .object(let most) = member.form, case .json(let patch) = value,
            case .json(let old) = member.value(of: noun)
        else {
            member.put(value, into: &noun)
            return nil
        }
        let patched = old.mergePatched(with: patch)
        member.put(.json(patched), into: &noun)
        guard patched.serialized().count > most else { return nil }
        return Fault(
            pointer: Fault.pointer(pointer, member.text), code: .tooLong,
            detail: "\(member.text) must have at most \(most / 1_024) KiB as JSON.")
    }
}

extension Members {
    /// All members; an absent or null one takes its default. Valid only if finishing finds no fault.
    package mutating func whole<Noun: Kanban.Noun>(_ noun: Noun.Type) -> [MemberEdit<Noun>] {
        Noun.members.filter(\.isInBodies).compactMap { member in
            let field = value(of: member)
            if member.absence == .fault { require(member.text, field) }
            if case .absent = field, member.absence == .unchanged { return nil }
            return MemberEdit(member, field)
        }
    }

    /// The members that are there; a null one takes its default.
    package mutating func patch<Noun: Kanban.Noun>(_ noun: Noun.Type) -> [MemberEdit<Noun>] {
        Noun.members.filter(\.isInBodies).compactMap { member in
            let field = value(of: member)
            return field.isGiven ? MemberEdit(member, field) : nil
        }
    }

    /// The value of a member, or its fault. Null is a fault for a member without a default.
    package mutating func value<Noun>(of member: Member<Noun>) -> Field<MemberValue> {
        let field = value(member.text, member.form)
        if case .null = field, member.standard == nil {
            let isNumber = member.form.column == .integer
            fault(member.text, .invalidType, "\(member.text) must be a \(isNumber ? "whole number" : "string").")
        }
        return field
    }

    private mutating func value(_ name: String, _ form: MemberForm) -> Field<MemberValue> {
        switch form {
        case .text(let rule): text(name, rule).map { .text($0) }
        case .trimmedText(let rule): text(name, rule, trimmed: true).map { .text($0) }
        case .color: color(name).map { .text($0) }
        case .emoji: emoji(name).map { .text($0) }
        case .word(let words): choice(name, words) { words.contains($0) ? $0 : nil }.map { .text($0) }
        case .integer(let range): integer(name, range).map { .integer($0) }
        case .day: day(name).map { .day($0) }
        case .dueDate: dueDate(name).map { $0.memberValue }
        case .id: id(name).map { .id($0) }
        case .zone: zone(name).map { .text($0) }
        case .position: string(name) { .success($0) }.map { .text($0) }
        case .object: object(name).map { .json($0) }
        case .recurrence: recurrence(name).map { $0.memberValue }
        case .timeOfDay: timeOfDay(name).map { .text($0) }
        case .reminders: reminders().map { $0.memberValue }
        }
    }

    package mutating func integer(_ name: String, _ range: ClosedRange<Int64>) -> Field<Int64> {
        read(name) { json in
            guard let integer = json.intValue.map(Int64.init) else {
                return .failure(MemberFault(.invalidType, "must be a whole number."))
            }
            guard range.contains(integer) else {
                let detail = "must be a whole number from \(range.lowerBound) to \(range.upperBound)."
                return .failure(MemberFault(.invalidValue, detail))
            }
            return .success(integer)
        }
    }

    private mutating func day(_ name: String) -> Field<Day> {
        string(name) { text -> Result<Day, MemberFault> in
            do throws(DateFault) {
                return .success(try Day.parse(text))
            } catch {
                let detail = error == .malformed ? "must be a day like 2026-12-01." : error.detail
                return .failure(MemberFault(.invalidFormat, detail))
            }
        }
    }

    package mutating func dueDate(_ name: String) -> Field<DueDate> {
        string(name) { text in
            do throws(DateFault) {
                return .success(try DueDate.parse(text))
            } catch {
                return .failure(MemberFault(.invalidFormat, error.detail))
            }
        }
    }

    mutating func zone(_ name: String) -> Field<String> {
        string(name) { text in
            Zone(name: text) == nil
                ? .failure(MemberFault(.invalidValue, "must be an IANA name, such as Asia/Seoul.")) : .success(text)
        }
    }

    private mutating func timeOfDay(_ name: String) -> Field<String> {
        string(name) { text in
            TimeOfDay.milliseconds(text) == nil
                ? .failure(MemberFault(.invalidFormat, "must be a time of day such as 09:00.")) : .success(text)
        }
    }

    package mutating func reminders() -> Field<Reminders> {
        read("reminders") { json in
            do throws(ReminderFault) {
                return .success(try Reminders(parsing: json))
            } catch {
                return .failure(MemberFault(.invalidReminder, error.detail))
            }
        }
    }

    private mutating func object(_ name: String) -> Field<JSON> {
        read(name) { json in
            guard json.objectMembers != nil else { return .failure(MemberFault(.invalidType, "must be an object.")) }
            return json.holdsNUL ? .failure(MemberFault(.controlCharacter)) : .success(json)
        }
    }
}

extension Field {
    func map<Other>(_ change: (Value) -> Other) -> Field<Other> {
        switch self {
        case .absent: .absent
        case .null: .null
        case .value(let value): .value(change(value))
        }
    }
}

extension JSON {
    /// True when a string or a member name in it contains U+0000.
    fileprivate var holdsNUL: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let elements): elements.contains { $0.holdsNUL }
        case .object(let members): members.contains { $0.name.utf8.contains(0) || $0.value.holdsNUL }
        case .null, .bool, .number: false
        }
    }
}

extension Noun {
    /// The noun of the API's own JSON. Lenient: values that a later version allows are taken, its members are ignored.
    /// - Parameter blank: with the id and the times.
    /// - Returns: `nil` when a member without a default is missing.
    package init?(shown json: JSON, into blank: Self) {
        self = blank
        for member in Self.members {
            let value = json[member.text].flatMap { MemberValue(shown: $0, member.form) }
            guard let value = value ?? member.standard else { return nil }
            if !member.put(value, into: &self), let standard = member.standard { member.put(standard, into: &self) }
        }
    }
}

extension MemberValue {
    /// - Returns: `nil` for null, and for what is no such value.
    fileprivate init?(shown json: JSON, _ form: MemberForm) {
        let value: MemberValue? =
            switch form {
            case .text, .trimmedText, .color, .emoji, .word, .dueDate, .zone, .position, .timeOfDay:
                json.stringValue.map { .text($0) }
            case .integer: json.intValue.map { .integer(Int64($0)) }
            case .day: json.stringValue.flatMap { Day($0) }.map { .day($0) }
            case .id: json.stringValue.flatMap { ID($0) }.map { .id($0) }
            case .object, .recurrence: json.objectMembers.map { .json(.object($0)) }
            case .reminders: json.arrayValue.map { .json(.array($0)) }
            }
        guard let value else { return nil }
        self = value
    }
}
