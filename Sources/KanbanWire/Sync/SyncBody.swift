import JSON
import Kanban

/// The body of `POST /sync`.
package struct SyncBody: Sendable {
    /// The changes in the answer.
    package enum Since: Sendable {
        /// None.
        case absent
        /// All that exists.
        case beginning
        case cursor(String)
    }

    /// The most mutations in one request, and the most known ones.
    package static let most = 500

    package let since: Since
    /// All or nothing.
    package let isAtomic: Bool
    /// Earlier mutations of the client, whose answers it has.
    package let known: Set<ID>
    package var mutations: [SentMutation]
    /// What a device has scheduled by itself.
    package let planned: Planned?

    package struct Planned: Sendable {
        package var device: ID
        /// How far the device had read.
        package var cursor: String
        /// When it scheduled them, and the first reminder that was too many, if it says so.
        package var from, until: Timestamp?

        package init(device: ID, cursor: String, from: Timestamp? = nil, until: Timestamp? = nil) {
            self.device = device
            self.cursor = cursor
            self.from = from
            self.until = until
        }
    }

    /// - Throws: ``BoardError/invalid(_:)`` for an invalid body. The faults of a single mutation are in
    ///   ``SentMutation/mutation``.
    package init(_ json: JSON, defaultTitle: () throws -> String) throws {
        var members = try Members(json)
        let since = members.string("since") { .success($0) }
        let isAtomic = members.bool("atomic")
        let planned = members.take("planned").value
        let known = members.array("known", most: Self.most, "list the latest ones.")
        let list = members.array("mutations", most: Self.most, "send the rest after this.")
        if case .null = list { members.fault("mutations", .invalidType, "mutations must be an array.") }
        switch since {
        case .absent: self.since = .absent
        case .null: self.since = .beginning
        case .value(let cursor): self.since = .cursor(cursor)
        }
        self.isAtomic = isAtomic.value ?? false

        var faults = members.finished()
        self.known = Set((known.value ?? []).enumerated().compactMap { Self.id($1, at: "#/known/\($0)", &faults) })
        self.planned = try planned.flatMap { try Planned($0, &faults) }
        var mutations: [SentMutation] = []
        mutations.reserveCapacity(list.value?.count ?? 0)
        for (index, element) in (list.value ?? []).enumerated() {
            do {
                mutations.append(try SentMutation(element, at: index, defaultTitle: defaultTitle))
            } catch let unusable as Unusable {
                faults.append(contentsOf: unusable.faults)
            }
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
        self.mutations = mutations
    }

    private static func id(_ json: JSON, at pointer: String, _ faults: inout [Fault]) -> ID? {
        let id = json.stringValue.flatMap { ID($0) }
        if id == nil {
            let code: Fault.Code = json.stringValue == nil ? .invalidType : .invalidFormat
            faults.append(Fault(pointer: pointer, code: code, detail: "The id of a mutation must be a UUID."))
        }
        return id
    }
}

extension SyncBody.Planned {
    /// - Returns: `nil` with a fault.
    fileprivate init?(_ json: JSON, _ faults: inout [Fault]) throws {
        do {
            var members = try Members(json, at: "#/planned")
            let device = members.id("deviceId")
            members.require("deviceId", device)
            let cursor = members.string("cursor") { .success($0) }
            members.require("cursor", cursor)
            let (from, until) = (members.instant("from"), members.instant("until"))
            faults += members.finished()
            guard let device = device.value, let cursor = cursor.value else { return nil }
            self.init(device: device, cursor: cursor, from: from, until: until)
        } catch BoardError.invalid(let found) {
            faults += found
            return nil
        }
    }
}

extension SentMutation {
    /// - Throws: ``Unusable`` when it cannot have a result of its own.
    fileprivate init(_ json: JSON, at index: Int, defaultTitle: () throws -> String) throws {
        let pointer = "#/mutations/\(index)"
        guard json.objectMembers != nil else {
            throw Unusable(
                faults: [Fault(pointer: pointer, code: .invalidType, detail: "A mutation must be a JSON object.")])
        }
        var members = try Members(json, at: pointer)
        guard let id = members.id("mutationId").value else {
            if members.faults.isEmpty { members.fault("mutationId", .required, "mutationId must be a UUID.") }
            throw Unusable(faults: members.faults)
        }
        let type = members.resourceType()
        self.init(
            id: id, content: json.content, pointer: pointer,
            mutation: try Self.readable { try Self.read(&members, type, defaultTitle: defaultTitle) },
            references: Reference.all(in: json["value"] ?? .null, of: type.value),
            target: json["id"]?.stringValue.flatMap { ID($0) })
    }

    private static func readable(_ read: () throws -> Mutation) throws -> Result<Mutation, BoardError> {
        do {
            return .success(try read())
        } catch let error as BoardError {
            return .failure(error)
        }
    }

    private static func read(
        _ members: inout Members, _ type: Field<ResourceType>, defaultTitle: () throws -> String
    ) throws -> Mutation {
        members.require("type", type)
        let op = members.choice("op", MutationOp.allCases.map(\.rawValue)) { MutationOp(rawValue: $0) }
        members.require("op", op)
        let target = members.target(type.value)
        let base = members.read("baseRevision") { json -> Result<Revision, MemberFault> in
            json.intValue.flatMap { $0 >= 0 ? .success(Revision($0)) : nil }
                ?? .failure(MemberFault(.invalidType, "must be a whole number from 0 on."))
        }
        let policy = members.choice("onConflict", Mutation.Policy.allCases.map(\.rawValue)) {
            Mutation.Policy(rawValue: $0)
        }
        let madeAt = members.instant("at")
        let value = members.take("value").value ?? .null
        if let type = type.value, let op = op.value, !op.isPossible(with: type) {
            members.fault("op", .invalidValue, op.impossibility(of: type))
        }
        if let type = type.value, type != .settings, let op = op.value, op != .create {
            members.require("id", target)
        }
        let faults = members.finished()
        // The value cannot be checked without these.
        guard let type = type.value, let op = op.value, op.isPossible(with: type),
            type == .settings || op == .create || target.value != nil
        else { throw BoardError.invalid(faults) }
        let (operation, id): (Mutation.Operation, ID?)
        do {
            (operation, id) = try op.operation(of: type, on: target.value, value: value, defaultTitle: defaultTitle)
        } catch BoardError.invalid(let others) {
            throw BoardError.invalid(faults + others)
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
        return Mutation(operation, on: id, base: base.value, policy: policy.value ?? .merge, madeAt: madeAt)
    }
}

/// The whole request is answered with 422.
private struct Unusable: Error {
    var faults: [Fault]
}

extension Members {
    /// - Parameter advice: what to do with more than `most` elements.
    fileprivate mutating func array(_ name: String, most: Int, _ advice: String) -> Field<[JSON]> {
        read(name) { json in
            guard let list = json.arrayValue else { return .failure(MemberFault(.invalidType, "must be an array.")) }
            guard list.count <= most else {
                return .failure(MemberFault(.tooMany, "may have \(most) elements; \(advice)"))
            }
            return .success(list)
        }
    }

    fileprivate mutating func resourceType() -> Field<ResourceType> {
        choice("type", ResourceType.pushed.map(\.rawValue)) {
            ResourceType(rawValue: $0).flatMap { ResourceType.pushed.contains($0) ? $0 : nil }
        }
    }

    /// The `id` of a mutation; that of the settings is `settings`, which is not the id of a row.
    fileprivate mutating func target(_ type: ResourceType?) -> Field<ID> {
        guard type == .settings else { return id("id") }
        _ = string("id") { text -> Result<String, MemberFault> in
            text == "settings" ? .success(text) : .failure(MemberFault(.idMismatch, "of the settings is \"settings\"."))
        }
        return .absent
    }
}

extension JSON {
    /// A mutation without its id, as canonical text. The order of members does not count at any depth, because many
    /// clients write them from a hash table. The case of the `id` does not count, and neither do `at` and
    /// `baseRevision`: a client whose cursor expired repeats its outbox without it.
    fileprivate var content: [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.canonical(objectMembers ?? []) { json, member in
            // To compare a long name may take long.
            switch member.name.utf8.count <= 12 ? member.name : "" {
            case "mutationId", "baseRevision", "at": break
            case "id":
                json.name("id")
                json.value(member.value.lowercased)
            default: json.canonical(member)
            }
        }
        return json.bytes
    }

    private var lowercased: JSON {
        guard let text = stringValue else { return self }
        // Clients mostly write ids in lower case.
        let isLowercase = text.utf8.withContiguousStorageIfAvailable { bytes in
            bytes.allSatisfy { $0 < 0x80 && !(0x41...0x5A ~= $0) }
        }
        return isLowercase == true ? self : .string(text.lowercased())
    }
}

extension JSONWriter {
    /// Writes the members in the order of their names.
    fileprivate mutating func canonical(
        _ members: [JSON.Member], _ write: (inout JSONWriter, JSON.Member) -> Void = { $0.canonical($1) }
    ) {
        beginObject()
        if members.count == 1 {
            write(&self, members[0])
        } else {
            // Of places, because members are larger.
            let places = members.indices.sorted {
                members[$0].name.utf8.lexicographicallyPrecedes(members[$1].name.utf8)
            }
            for place in places { write(&self, members[place]) }
        }
        endObject()
    }

    fileprivate mutating func canonical(_ member: JSON.Member) {
        name(member.name)
        canonical(member.value)
    }

    private mutating func canonical(_ value: JSON) {
        switch value {
        case .object(let members): canonical(members)
        case .array(let elements):
            beginArray()
            for element in elements { canonical(element) }
            endArray()
        default:
            self.value(value)
        }
    }
}
