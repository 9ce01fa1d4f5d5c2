/// A member of a noun that a user can change: all that body, JSON, row, merge, import, export and history know of it.
///
/// Each noun has one table of them, ``Noun/members``. What is spelled by hand beside it, for speed, is compared with it by
/// `MemberTableTests`.
package struct Member<Noun>: Sendable {
    /// What it means that a body of all members leaves this one out.
    package enum Absence: Sendable {
        /// A fault.
        case fault
        /// Its default.
        case standard
        /// Nothing. For what a later version adds: a `PUT` by an app of an earlier one must not clear it.
        case unchanged
    }

    /// In the API.
    package let name: StaticString
    /// The same as text.
    package let text: String
    /// In the noun's table.
    package let column: String
    package let form: MemberForm
    package let absence: Absence
    /// The value of a null; `nil` when null is a fault.
    package let standard: MemberValue?
    /// False for what no body sets: it is changed by an operation of its own.
    package let isInBodies: Bool
    private let get: @Sendable (Noun) -> MemberValue
    private let set: @Sendable (inout Noun, MemberValue) -> Bool

    /// A member with a default.
    /// - Parameter column: `nil`: as the name.
    package init<Value: MemberRepresentable>(
        _ name: StaticString, column: String? = nil, _ path: WritableKeyPath<Noun, Value> & Sendable,
        _ form: MemberForm,
        standard: Value, absence: Absence = .standard, isInBodies: Bool = true
    ) {
        self.init(name, column, path, form, standard.memberValue, absence, isInBodies)
    }

    /// A member without a default.
    package init<Value: MemberRepresentable>(
        required name: StaticString, column: String? = nil, _ path: WritableKeyPath<Noun, Value> & Sendable,
        _ form: MemberForm, isInBodies: Bool = true
    ) {
        self.init(name, column, path, form, nil, .fault, isInBodies)
    }

    private init<Value: MemberRepresentable>(
        _ name: StaticString, _ column: String?, _ path: WritableKeyPath<Noun, Value> & Sendable, _ form: MemberForm,
        _ standard: MemberValue?, _ absence: Absence, _ isInBodies: Bool
    ) {
        self.name = name
        text = name.description
        self.column = column ?? text
        self.form = form
        self.absence = absence
        self.standard = standard
        self.isInBodies = isInBodies
        get = { $0[keyPath: path].memberValue }
        set = { noun, value in
            guard let value = Value(value) else { return false }
            noun[keyPath: path] = value
            return true
        }
    }

    package func value(of noun: Noun) -> MemberValue { get(noun) }

    /// - Returns: false for a value that the member cannot have.
    @discardableResult
    package func put(_ value: MemberValue, into noun: inout Noun) -> Bool { set(&noun, value) }

    /// Copies the member from another one.
    func copy(from other: Noun, to noun: inout Noun) { put(value(of: other), into: &noun) }

    /// True if the API shows the member otherwise, byte for byte.
    package func differs(_ noun: Noun, _ other: Noun) -> Bool { value(of: noun) != value(of: other) }
}

/// Which values a member may have.
package enum MemberForm: Sendable {
    case text(TextRule)
    /// Without the white space at its ends.
    case trimmedText(TextRule)
    /// `#rrggbb`.
    case color
    /// One grapheme.
    case emoji
    /// One of a few words.
    case word([String])
    case integer(ClosedRange<Int64>)
    case day
    /// A day or an instant.
    case dueDate
    /// The id of another resource.
    case id
    /// The name of a time zone.
    case zone
    /// A place in a column, which moves give.
    case position
    /// An object of the app, which a body patches (RFC 7396), of at most this many bytes of JSON.
    case object(most: Int)
    /// A ``Recurrence``.
    case recurrence
    /// `HH:MM`.
    case timeOfDay
    /// A list of ``Reminders``.
    case reminders

    /// What a row holds for it, unless that is NULL.
    package enum Column: Sendable {
        case text, integer, day, id
        /// As text.
        case json
    }

    package var column: Column {
        switch self {
        case .text, .trimmedText, .color, .emoji, .word, .dueDate, .zone, .position, .timeOfDay: .text
        case .integer: .integer
        case .day: .day
        case .id: .id
        case .object, .recurrence, .reminders: .json
        }
    }
}
