import JSON
import Kanban
import KanbanAccess
import KanbanWire

/// Everything that the server has about a person, in one document: the account, how it is logged in to, what happened to it, and
/// its board with the history. Nothing in it opens anything: no password, token or code, nor a digest of one.
package struct AccountExport: Sendable {
    /// Entries of a list that are read at once.
    private static let page = 500

    private let account: Account
    private let identities: [Identity]
    private let sessions: [Session]
    private let tokens: [AccessToken]
    private let invitations: [Invitation]
    private let events: [AccountEvent]
    private let devices: [KnownDevice]
    private let now: Timestamp

    /// Reads what is beside the board, which is little.
    /// - Throws: ``AccessError/noAccount``.
    package init(of key: AccountKey, from service: AccessService, at now: Timestamp) async throws {
        account = try await service.account(key)
        identities = try await service.identities(of: key)
        sessions = try await service.sessions(of: key, at: now)
        tokens = try await service.tokens(of: key)
        invitations = try await service.invitations(of: key)
        var events: [AccountEvent] = []
        while true {
            let page = try await service.events(of: key, before: events.last?.number, limit: Self.page)
            events += page
            guard page.count == Self.page else { break }
        }
        self.events = events
        devices = try await service.knownDevices(of: key)
        self.now = now
    }

    /// Changes with everything that is beside the board.
    var fingerprint: UInt64 {
        var json = JSONWriter()
        json.beginObject()
        writeAccess(to: &json, using: Usage(), quota: nil)
        json.endObject()
        return EntityTag.fingerprint(json.bytes)
    }

    /// Writes the document in pieces, all from one reader of the account's board.
    /// - Parameters:
    ///   - quota: the limits of accounts without their own; `nil`: none.
    ///   - emit: receives the next piece; an error that it throws ends the export.
    package func write(
        of reader: any BoardReader, quota: Quota? = nil, _ emit: ([UInt8]) throws -> Void
    ) throws {
        var json = JSONWriter(capacity: BoardExport.piece)
        json.beginObject()
        json.name("exportedAt")
        json.value(now)
        writeAccess(to: &json, using: try reader.usage(), quota: quota.map(account.limits.over))
        try BoardExport.emitPieces(of: &json, emit)
        json.name("board")
        try BoardExport.write(of: reader, now: now, into: &json, emit)
        try writeTrash(of: reader, to: &json)
        try writeHistory(of: reader, to: &json, emit)
        json.endObject()
        try emit(json.bytes)
    }

    private func writeAccess(to json: inout JSONWriter, using usage: Usage, quota: Quota?) {
        json.name("account")
        json.value(ShownAccount(account: account, usage: usage, quota: quota))
        json.list("identities", identities) { json, identity in json.export(identity) }
        json.list("sessions", sessions) { json, session in json.value(session) }
        json.list("tokens", tokens) { json, token in json.value(token) }
        json.list("invitations", invitations) { json, invitation in json.value(invitation) }
        json.list("events", events) { json, event in json.value(event) }
        json.list("knownDevices", devices) { json, device in json.value(device) }
    }

    /// What the document for an import leaves out; the tasks of the trash are among its tasks.
    private func writeTrash(of reader: any BoardReader, to json: inout JSONWriter) throws {
        json.name("trash")
        json.beginObject()
        json.list("categories", try reader.categories(inTrash: true)) { json, category in
            json.beginObject()
            json.members(of: category)
            json.endObject()
        }
        json.list("ddays", try reader.ddays(inTrash: true, after: nil, limit: nil)) { json, dday in
            json.beginObject()
            json.members(of: dday)
            json.endObject()
        }
        json.endObject()
    }

    /// Newest first.
    private func writeHistory(
        of reader: any BoardReader, to json: inout JSONWriter, _ emit: ([UInt8]) throws -> Void
    ) throws {
        json.name("history")
        json.beginArray()
        var query = HistoryQuery(limit: Self.page)
        while true {
            let entries = try reader.history(query)
            for entry in entries { json.value(entry) }
            try BoardExport.emitPieces(of: &json, emit)
            guard entries.count == query.limit, let last = entries.last?.entry else { break }
            query.after = HistoryQuery.Anchor(at: last.at, revision: last.revision)
        }
        json.endArray()
    }
}

extension JSONWriter {
    fileprivate mutating func list<Item>(
        _ member: StaticString, _ items: [Item], _ write: (inout JSONWriter, Item) -> Void
    ) {
        name(member)
        beginArray()
        for item in items { write(&self, item) }
        endArray()
    }

    fileprivate mutating func value(_ known: KnownDevice) {
        beginObject()
        name("device")
        value(known.device)
        name("network")
        value(known.network)
        name("firstSeenAt")
        value(known.firstSeenAt)
        name("lastSeenAt")
        value(known.lastSeenAt)
        endObject()
    }

    /// With what nobody but its owner needs to see.
    fileprivate mutating func export(_ identity: Identity) {
        beginObject()
        members(of: identity)
        name("subject")
        value(identity.subject)
        name("silencedEmail")
        value(identity.silencedEmail?.text)
        endObject()
    }
}
