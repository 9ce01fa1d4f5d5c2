import JSON
import Kanban

/// The value of one member in a client's object: absent, null, or a value.
package enum Field<Value> {
    case absent
    case null
    case value(Value)

    /// The value; `nil` when absent or null.
    package var value: Value? {
        if case .value(let value) = self { value } else { nil }
    }

    package var isGiven: Bool {
        if case .absent = self { false } else { true }
    }
}

extension Field: Sendable where Value: Sendable {}

/// Reads the members of a JSON object one by one and collects all faults, so that the client gets them at once.
///
/// Call a reading method for each member, then ``finish(ignoring:)``.
package struct Members {
    private let members: [JSON.Member]
    /// The indices of the ``members`` that were read.
    private var taken = Places()
    private let pointer: String
    package private(set) var faults: [Fault] = []

    /// - Parameter pointer: the pointer to the object; `#` for a whole body.
    /// - Throws: ``BoardError/invalid(_:)`` when it is not an object.
    package init(_ value: JSON, at pointer: String = "#") throws {
        guard let members = value.objectMembers else {
            throw BoardError.invalid(pointer, .invalidType, "This must be a JSON object.")
        }
        self.members = members
        self.pointer = pointer
    }

    /// For a body that may be left out, and says nothing when it is there.
    /// - Throws: ``BoardError/invalid(_:)`` unless it is an empty object.
    package static func requireNone(in json: JSON) throws {
        var members = try Members(json)
        try members.finish()
    }

    /// Ends the reading: members that were not read are unknown, unless they are `ignored`.
    /// - Throws: ``BoardError/invalid(_:)`` with all faults.
    package mutating func finish(ignoring ignored: Set<String> = []) throws {
        let faults = finished(ignoring: ignored)
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
    }

    /// Report at most 100 unknown members; a body of 1 MiB holds 80,000.
    private static let mostUnknown = 100
    /// Names of unknown members are cut off here in faults: a name may have a megabyte. Every known name and word is shorter,
    /// and only such are looked up: hashes of long texts are slow beyond ASCII.
    private static let longestName = 100

    /// Ends the reading for callers that add faults of their own.
    /// - Returns: all faults.
    package mutating func finished(ignoring ignored: Set<String> = []) -> [Fault] {
        var unknown = 0
        for (place, member) in members.enumerated() where !taken.contains(place) {
            if member.name.utf8.count <= Self.longestName, ignored.contains(member.name) { continue }
            unknown += 1
            guard unknown <= Self.mostUnknown else { break }
            let isLong = member.name.unicodeScalars.count > Self.longestName
            let name = isLong ? String(member.name.unicodeScalars.prefix(Self.longestName)) + "…" : member.name
            fault(name, .unknownMember, "There is no member \"\(name)\" here.")
        }
        return faults
    }

    /// Adds a fault if the member is absent, unless it has one already.
    package mutating func require<Value>(_ name: String, _ field: Field<Value>, _ detail: String = "must be given.") {
        guard field.value == nil, !faults.contains(where: { $0.pointer == "\(pointer)/\(name)" }) else { return }
        fault(name, .required, "\(name) \(detail)")
    }

    /// An instant in the form of RFC 3339; `nil` when it is absent, null or a fault.
    package mutating func instant(_ name: String) -> Timestamp? {
        string(name) { text -> Result<Timestamp, MemberFault> in
            do throws(DateFault) {
                return .success(try Timestamp.parse(text))
            } catch {
                return .failure(MemberFault(.invalidFormat, error.detail))
            }
        }.value
    }

    package mutating func fault(_ member: String, _ code: Fault.Code, _ detail: String) {
        faults.append(Fault(pointer: Fault.pointer(pointer, member), code: code, detail: detail))
    }

    /// True if the member is present and was not read yet.
    package func has(_ name: String) -> Bool {
        place(of: name) != nil
    }

    /// The member's value as it is.
    package mutating func take(_ name: String) -> Field<JSON> {
        guard let place = place(of: name) else { return .absent }
        taken.insert(place)
        let value = members[place].value
        return value.isNull ? .null : .value(value)
    }

    /// An object whose members `read` takes.
    mutating func object<Value>(_ name: String, _ read: (inout Members) -> Value?) -> Field<Value> {
        switch take(name) {
        case .absent: return .absent
        case .null: return .null
        case .value(let json):
            do {
                var members = try Members(json, at: Fault.pointer(pointer, name))
                let value = read(&members)
                let found = members.finished()
                faults += found
                return found.isEmpty ? value.map { .value($0) } ?? .absent : .absent
            } catch {
                fault(name, .invalidType, "\(name) must be an object, or null.")
                return .absent
            }
        }
    }

    private func place(of name: String) -> Int? {
        let length = name.utf8.count
        // `==` is fast for short texts alone; of names as long as the wanted one all are short.
        return members.indices.first {
            members[$0].name.utf8.count == length && members[$0].name == name && !taken.contains($0)
        }
    }

    /// The value that `read` returns for the member, or its fault.
    package mutating func read<Value>(
        _ name: String, _ read: (JSON) -> Result<Value, MemberFault>
    ) -> Field<Value> {
        switch take(name) {
        case .absent: return .absent
        case .null: return .null
        case .value(let json):
            switch read(json) {
            case .success(let value):
                return .value(value)
            case .failure(let found):
                fault(name, found.code, "\(name) \(found.detail)")
                return .absent
            }
        }
    }

    /// Text that passes a rule; `trimmed` removes the white space at its ends first.
    package mutating func text(_ name: String, _ rule: TextRule, trimmed: Bool = false) -> Field<String> {
        string(name) { text in
            let text = trimmed ? text.trimmed : text
            return rule.fault(in: text).map { .failure(MemberFault($0)) } ?? .success(text)
        }
    }

    /// A string that `read` converts.
    package mutating func string<Value>(
        _ name: String, _ read: (String) -> Result<Value, MemberFault>
    ) -> Field<Value> {
        self.read(name) { json in
            json.stringValue.map(read) ?? .failure(MemberFault(.invalidType, "must be a string."))
        }
    }

    /// One of a few words.
    package mutating func choice<Value>(
        _ name: String, _ words: @autoclosure () -> [String], _ value: (String) -> Value?
    ) -> Field<Value> {
        string(name) { text in
            (text.utf8.count <= Self.longestName ? value(text) : nil).map { .success($0) }
                ?? .failure(MemberFault(.invalidValue, "must be one of \(words().joined(separator: ", "))."))
        }
    }

    package mutating func id(_ name: String) -> Field<ID> {
        string(name) { text in
            ID(text).map { .success($0) } ?? .failure(MemberFault(.invalidFormat, "must be a UUID."))
        }
    }

    package mutating func bool(_ name: String) -> Field<Bool> {
        read(name) { json in
            json.boolValue.map { .success($0) } ?? .failure(MemberFault(.invalidType, "must be true or false."))
        }
    }

    /// `#rrggbb`.
    package mutating func color(_ name: String) -> Field<String> {
        string(name) { text in
            TextRule.colorFault(in: text).map { .failure(MemberFault($0)) } ?? .success(text)
        }
    }

    /// One grapheme.
    package mutating func emoji(_ name: String) -> Field<String> {
        string(name) { text in
            TextRule.emojiFault(in: text).map { .failure(MemberFault($0)) } ?? .success(text)
        }
    }

    /// The id of an image.
    package mutating func image() -> Field<ID> {
        id("image")
    }

    /// The `id` of a body under a path with an id: absent, or equal to that of the path.
    package mutating func requireID(_ id: ID) {
        switch self.id("id") {
        case .absent: break
        case .value(id): break
        case .null, .value: fault("id", .idMismatch, "id must be that of the path, or be left out.")
        }
    }
}

/// A set of indices. Most objects have few members, whose indices are bits of a word.
private struct Places {
    private var near: UInt64 = 0
    private var far: Set<Int> = []

    func contains(_ place: Int) -> Bool {
        place < 64 ? near & 1 << UInt64(place) != 0 : far.contains(place)
    }

    mutating func insert(_ place: Int) {
        if place < 64 { near |= 1 << UInt64(place) } else { far.insert(place) }
    }
}

/// A fault of a member; the detail continues a sentence that begins with the member's name.
package struct MemberFault: Error {
    package let code: Fault.Code
    package let detail: String

    package init(_ code: Fault.Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package init(_ fault: TextFault) {
        self.init(Fault.Code(rawValue: fault.code) ?? .invalidFormat, fault.detail)
    }
}
