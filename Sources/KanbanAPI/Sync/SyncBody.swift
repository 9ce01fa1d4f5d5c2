import Crypto
import HTTP
import JSON
import Kanban

/// The body of `POST /sync`.
struct SyncBody: Sendable {
    /// Whose changes the answer shows.
    enum Since: Sendable {
        /// None.
        case absent
        /// The whole living state.
        case beginning
        case cursor(String)
    }

    /// Mutations in one request.
    static let most = 500

    let since: Since
    /// All or nothing.
    let isAtomic: Bool
    let mutations: [SentMutation]

    /// - Throws: a 422 problem for a body that is no such thing at all. What is wrong with a single mutation stands in
    ///   ``SentMutation/mutation``.
    init(_ json: JSON, defaultTitle: () throws -> String) throws {
        var members = try Members(json)
        let since = members.string("since") { .success($0) }
        let isAtomic = members.bool("atomic")
        let list = members.read("mutations") { json -> Result<[JSON], MemberFault> in
            guard let list = json.arrayValue else { return .failure(MemberFault(.invalidType, "must be an array.")) }
            guard list.count <= Self.most else {
                return .failure(MemberFault(.tooMany, "may have \(Self.most) elements; send the rest after this."))
            }
            return .success(list)
        }
        if case .null = list { members.fault("mutations", .invalidType, "mutations must be an array.") }
        switch since {
        case .absent: self.since = .absent
        case .null: self.since = .beginning
        case .value(let cursor): self.since = .cursor(cursor)
        }
        self.isAtomic = isAtomic.value ?? false

        var faults: [Fault] = []
        do {
            try members.finish()
        } catch BoardError.invalid(let found) {
            faults = found
        }
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
}

/// One element of `mutations`.
struct SentMutation: Sendable {
    /// The `mutationId`.
    let id: ID
    /// SHA-256 of what else was sent, but for `baseRevision`.
    let fingerprint: [UInt8]
    /// Where it stands in the request: `#/mutations/3`.
    let pointer: String
    /// What to do, or what is wrong with it.
    let mutation: Result<Mutation, Problem>
    /// As it was sent.
    private let json: JSON

    /// - Throws: ``Unusable`` when it cannot even be answered.
    fileprivate init(_ json: JSON, at index: Int, defaultTitle: () throws -> String) throws {
        pointer = "#/mutations/\(index)"
        guard json.objectMembers != nil else {
            throw Unusable(
                faults: [Fault(pointer: pointer, code: .invalidType, detail: "A mutation must be a JSON object.")])
        }
        var members = try Members(json, at: pointer)
        guard let id = members.id("mutationId").value else {
            if members.faults.isEmpty { members.fault("mutationId", .required, "mutationId must be a UUID.") }
            throw Unusable(faults: members.faults)
        }
        self.id = id
        fingerprint = json.fingerprint
        self.json = json
        do {
            mutation = .success(try Self.read(&members, defaultTitle: defaultTitle))
        } catch let error as BoardError {
            mutation = .failure(Problem(error))
        } catch let problem as Problem {
            mutation = .failure(problem)
        }
    }

    /// The value and the id of a task, in which the board may know faults besides those of the form.
    var task: (value: JSON, id: ID?)? {
        guard json["type"] == "task", let value = json["value"] else { return nil }
        return (value, json["id"]?.stringValue.flatMap { ID($0) })
    }

    private static func read(_ members: inout Members, defaultTitle: () throws -> String) throws -> Mutation {
        let type = members.choice("type", ResourceType.allCases.map(\.rawValue)) { ResourceType(rawValue: $0) }
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
        let value = members.take("value").value ?? .null
        if let type = type.value, let op = op.value, !op.types.contains(type) {
            members.fault("op", .invalidValue, "There is no \(op.rawValue) of a \(type.rawValue).")
        }
        if let type = type.value, type != .settings, let op = op.value, op != .create {
            members.require("id", target)
        }
        let faults = members.finished()
        // Without these nothing can be said of the value.
        guard let type = type.value, let op = op.value, op.types.contains(type),
            type == .settings || op == .create || target.value != nil
        else { throw BoardError.invalid(faults) }
        let (operation, id): (Mutation.Operation, ID?)
        do {
            (operation, id) = try op.operation(of: type, on: target.value, value: value, defaultTitle: defaultTitle)
        } catch BoardError.invalid(let others) {
            throw BoardError.invalid(faults + others)
        } catch let problem as Problem where !problem.faults.isEmpty {
            throw BoardError.invalid(faults + problem.faults)
        }
        guard faults.isEmpty else { throw BoardError.invalid(faults) }
        return Mutation(operation, on: id, base: base.value, policy: policy.value ?? .merge)
    }
}

/// Makes a whole request 422.
private struct Unusable: Error {
    var faults: [Fault]
}

extension Members {
    /// The `id` of a mutation; that of the settings is `settings`, which names no row.
    fileprivate mutating func target(_ type: ResourceType?) -> Field<ID> {
        guard type == .settings else { return id("id") }
        _ = string("id") { text -> Result<String, MemberFault> in
            text == "settings" ? .success(text) : .failure(MemberFault(.idMismatch, "of the settings is \"settings\"."))
        }
        return .absent
    }
}

extension JSON {
    /// SHA-256 of a mutation without its id. The order of members says nothing, at any depth: many a client writes
    /// them out of a hash table. Nor does the case of the `id`, nor `baseRevision`: a client whose cursor expired sends
    /// its outbox again without.
    fileprivate var fingerprint: [UInt8] {
        let members = (objectMembers ?? []).filter { $0.name != "mutationId" && $0.name != "baseRevision" }
            .map { $0.name == "id" ? JSON.Member("id", $0.value.lowercased) : $0 }
        var json = JSONWriter(capacity: 256)
        json.canonical(.object(members))
        return SHA256.digest(json.bytes)
    }

    private var lowercased: JSON { stringValue.map { .string($0.lowercased()) } ?? self }
}

extension JSONWriter {
    fileprivate mutating func canonical(_ value: JSON) {
        switch value {
        case .object(let members):
            beginObject()
            for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
                name(member.name)
                canonical(member.value)
            }
            endObject()
        case .array(let elements):
            beginArray()
            for element in elements { canonical(element) }
            endArray()
        default:
            self.value(value)
        }
    }
}
