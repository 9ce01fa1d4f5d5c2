import Foundation
import HTTP
import JSON
import Kanban
import KanbanImport
import KanbanWire

/// Imports a document that was exported, or a file of another system, and takes imports back.
package struct ImportRoutes: Sendable {
    /// The most bytes of a document: some hundred thousand tasks. Use `kanbase import` for larger ones.
    package static let bodyLimit = 64 << 20

    /// The most resources of an import that one transaction removes when it is taken back: some 50 ms over a file.
    private static let removedAtOnce = 2_000

    /// Documents are parsed one after the other: each takes more than ten times its size in memory.
    private static let parsing = DispatchQueue(label: "kanbase.import", qos: .userInitiated)

    package init() {}

    package var routes: [Route] {
        [
            Route(
                .post, "/import", "importData", content: .file(Self.bodyLimit),
                parameters: ["mode", "dryRun", "format", "truncate", "rules"], importData),
            Route(.get, "/imports", "listImports", listImports),
            Route(.delete, "/imports/{id}", "removeImport", removeImport),
        ]
    }

    private func importData(_ call: Call) async throws -> Response {
        let reading = try await ImportReading(call)
        let isDryRun = try call.query.flag("dryRun")
        // Parsing may take a second, too long for an event loop or the task pool.
        let read = await withCheckedContinuation { parsed in
            Self.parsing.async {
                var unnamed = UnnamedTasks()
                parsed.resume(
                    returning: Result { try reading.read(call.request.body, now: call.now, after: &unnamed) })
            }
        }
        return try await call.write(isLong: true) {
            let (document, remarks) = try read.get()
            let precondition = call.precondition
            return { board in
                // All of it was read. A file of 32 MB would wait in memory for an import of 32 MB.
                call.request.body = []
                try board.checkBoard(precondition)
                let summary = try reading.perform(document, remarks, isDryRun: isDryRun, on: board, at: call.now)
                let answer = Response.json { $0.value(summary) }
                if isDryRun { throw Undone(answer) }
                return answer
            }
        }
    }

    private func listImports(_ call: Call) async throws -> Response {
        let imports = try await call.read(aside: true) { try $0.imports() }
        return .wholeList { json in
            for (id, shown) in imports {
                json.beginObject()
                json.name("id")
                json.value(id)
                for member in shown.objectMembers ?? [] {
                    json.name(member.name)
                    json.value(member.value)
                }
                json.endObject()
            }
        }
    }

    private func removeImport(_ call: Call) async throws -> Response {
        let gone = Problem(
            .notFound, "There is no import with this id, or it was taken back, or is older than 30 days.")
        guard let bytes = call.request.parameters.bytes("id"), let id = ID(ascii: bytes) else { throw gone }
        guard let made = try await call.read(aside: true, { try $0.madeByImport(id) }) else { throw gone }
        try call.requireNoTag()
        var (removed, kept, rest) = (0, 0, made[...])
        // In several transactions, so that other accounts do not wait. A client without an answer repeats the request.
        repeat {
            let part = rest.prefix(Self.removedAtOnce)
            rest = rest.dropFirst(part.count)
            let isLast = rest.isEmpty
            let outcome = try await call.writeRepeatably(needs: WriteNeeds(isLong: true)) { board in
                try board.takeBack(part, of: id, isLast: isLast)
            }
            // Somebody else took it back meanwhile.
            guard let outcome else { throw gone }
            removed += outcome.removed
            kept += outcome.kept
        } while !rest.isEmpty
        return .json { [removed, kept] json in
            json.beginObject()
            json.name("removed")
            json.value(removed)
            json.name("kept")
            json.value(kept)
            json.endObject()
        }
    }
}

/// What an import comes from.
package enum ImportSource: String, Sendable, CaseIterable {
    case kanbase, firestore, trello, todoist, vikunja, csv

    /// `nil` for an export of this server.
    package var format: ForeignFormat? { ForeignFormat(rawValue: rawValue) }
}

/// How a file is to be read.
package struct ImportReading: Sendable {
    package var source: ImportSource
    package var mode = ImportMode.merge
    package var truncates = false
    package var choices: ImportChoices

    package init(_ source: ImportSource, mode: ImportMode, truncates: Bool, choices: ImportChoices) {
        (self.source, self.mode, self.truncates, self.choices) = (source, mode, truncates, choices)
    }

    init(_ call: Call) async throws {
        let query = call.query
        let isTable = call.request.headers.values("content-type").first.flatMap { MediaType($0) }?.essence == "text/csv"
        let names = Dictionary(uniqueKeysWithValues: ImportSource.allCases.map { ($0.rawValue, $0) })
        source = try query.choice("format", names) ?? (isTable ? .csv : .kanbase)
        mode = try query.choice("mode", ["merge": .merge, "add": .add, "replace": .replace]) ?? .merge
        truncates = try query.flag("truncate")
        choices = try await call.read { reader in
            var choices = ImportChoices(
                zone: try query.zone ?? reader.settings().zone, fallback: call.environment.zone, now: call.now)
            choices.defaultTitle = try call.defaultTitle(reader)
            return choices
        }
        guard source == .kanbase || mode == .merge else {
            throw Problem(
                .invalidParameter, "mode=\(mode.rawValue) takes an export of this server alone. Leave it out.")
        }
        if let rules = query["rules"] {
            do {
                try choices.take(rules.split(separator: ",").map(String.init))
            } catch {
                throw Problem(.invalidParameter, error.detail)
            }
        }
    }

    /// - Parameter unnamed: those of the files before this one; adds its own.
    /// - Throws: ``BoardError/invalid(_:)`` and ``RefusedImport`` with every fault, ``MalformedDocument``.
    package func read(
        _ bytes: [UInt8], now: Timestamp, after unnamed: inout UnnamedTasks
    ) throws -> (BoardDocument, ImportRemarks) {
        guard let format = source.format else {
            if let fault = ImportedText.otherKind(of: bytes, isJSON: true) { throw MalformedDocument(detail: fault) }
            return (try BoardDocument(parsing: bytes, now: now), ImportRemarks())
        }
        let (document, remarks): (BoardDocument, ImportRemarks)
        do {
            (document, remarks) = try ForeignImport.document(
                of: bytes, from: format, choices, truncates: truncates, now: now, after: &unnamed)
        } catch {
            throw RefusedImport(
                faults: [Fault(pointer: "#", code: .invalidFormat, detail: error.detail, line: error.line)],
                remarks: ImportRemarks())
        }
        guard remarks.faults.isEmpty else { throw RefusedImport(faults: remarks.faults, remarks: remarks) }
        return (document, remarks)
    }

    /// Imports what was read, and remembers what that made. A dry run does all of it, too: undo it with ``Undone``.
    /// - Parameter onTask: gets the number of tasks that are done, after each.
    package func perform(
        _ document: BoardDocument, _ remarks: ImportRemarks, isDryRun: Bool, on board: any Board, at now: Timestamp,
        onTask: (Int) -> Void = { _ in }
    ) throws -> ImportSummary {
        let report = try board.importBoard(document, mode: mode, onTask: onTask)
        var remarks = remarks
        remarks.note(
            "category_deleted", "A category of the file was deleted here for good: its tasks have none.",
            count: report.uncategorized)
        remarks.note(
            "custom_left_out", "The members of custom in the settings are left out: with those here they are too long.",
            count: report.leavesCustomOut ? 1 : 0)
        // People edit a table and leave its times as they were.
        if source == .csv {
            remarks.note(
                "not_newer",
                "A row differs from its task and is left out: by updatedAt it is no later version. To take the rows as they "
                    + "are, remove the column updatedAt.", count: report.older)
        }
        var summary = ImportSummary(
            format: source.rawValue, mode: mode, isDryRun: isDryRun, report: report, remarks: remarks)
        if !isDryRun, !summary.report.made.isEmpty { summary.id = try board.keepImport(summary.record(at: now)) }
        return summary
    }
}

/// A file of which at least one row cannot be imported, so nothing is.
package struct RefusedImport: Error {
    package var faults: [Fault]
    package var remarks: ImportRemarks
}
