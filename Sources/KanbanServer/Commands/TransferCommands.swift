import Foundation
import JSON
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanImport
import KanbanSQLite

/// `kanbase export` and `import`: one board as a file.
struct TransferCommands {
    let configuration: Configuration

    var directory: DataDirectory { DataDirectory(path: configuration.data) }

    /// May run beside a server. The file appears only when it is complete.
    /// - Parameter path: `nil` or `-` is standard output.
    func export(to path: String?) async throws {
        if configuration.database == nil { try directory.requireData() }
        let target = try Output.target(path, beside: directory)
        try await configuration.withStore(directory, makesTables: false) { store in
            let account = try await accountKey(in: store)
            let format = configuration.administration.format
            try await Output.making(target) { output in
                try await store.readDetached(account) { reader in
                    try BoardExport.write(format, of: reader, now: Timestamp.system(), output.write)
                }
            }
        }
    }

    /// Must not run beside a server, which would not notice the changes: use `POST /import` there.
    ///
    /// Each file is an import of its own, with its report in a line, and all of them are one change.
    /// - Parameter paths: `-`, or none at all, is standard input.
    func importBoards(from paths: [String]) async throws {
        guard case .board(let source) = configuration.administration.from else {
            return try await importAccounts(from: paths)
        }
        let rules = try rules()
        try requireFitness(of: paths, source)
        // Only the board of the open mode may be imported before the first start.
        if configuration.database == nil, !isOwnBoard { try directory.requireData() }
        let target = try ImportTarget(configuration)
        let administration = configuration.administration
        let settings = try await target.look { store in
            try await store.readDetached(accountKey(in: store)) { try $0.settings() }
        }
        var choices = ImportChoices(
            zone: settings?.zone, fallback: Zone(name: configuration.timeZone) ?? .utc, now: Timestamp.system())
        if let language = settings?.locale.flatMap(Language.init(rawValue:)) {
            choices.defaultTitle = language.defaultTaskTitle
        }
        // They were taken once, when they were read.
        try choices.take(rules)
        let reading = ImportReading(
            source, mode: administration.mode, truncates: administration.truncates, choices: choices)
        let progress = ProgressLine()
        let documents = try read(await boards(at: paths, progress), reading)
        try await target.write { store in
            let account = try await accountKey(in: store)
            let total = documents.reduce(0) { $0 + $1.0.tasks.count }
            let summaries: [ImportSummary]
            do {
                defer { progress.end() }
                summaries = try await store.write(account, session: nil) { (board: any Board) in
                    var done = 0
                    let summaries = try documents.map { document, remarks in
                        defer { done += document.tasks.count }
                        return try reading.perform(
                            document, remarks, isDryRun: administration.dryRun, on: board, at: Timestamp.system()
                        ) { if $0 % 1_000 == 0 { progress.show(done + $0, of: total) } }
                    }
                    if administration.dryRun { throw Undone(summaries) }
                    return summaries
                }
            } catch let dryRun as Undone<[ImportSummary]> {
                summaries = dryRun.outcome
            } catch BoardError.invalid(let faults) {
                throw Failure(faults)
            }
            for summary in summaries {
                var json = JSONWriter()
                json.value(summary)
                print(String(decoding: json.bytes, as: UTF8.self))
            }
        }
    }

    /// What an import reads, and the name that a fault needs: of one file it goes without saying.
    struct ImportFile {
        var name: String?
        var bytes: [UInt8]
    }

    func files(at paths: [String]) throws -> [ImportFile] {
        guard paths.count > 1 else { return [ImportFile(bytes: try Input.bytes(at: paths.first))] }
        return try paths.map { ImportFile(name: $0, bytes: try Input.bytes(at: $0)) }
    }

    /// Refuses options that do not fit each other, before anything is read.
    private func requireFitness(of paths: [String], _ source: ImportSource) throws(Failure) {
        let administration = configuration.administration
        guard source == .kanbase || administration.mode == .merge else {
            throw Failure(.usage, "--mode \(administration.mode.rawValue) takes an export of Kanbase alone.")
        }
        guard paths.count <= 1 || administration.mode != .replace else {
            throw Failure(.usage, "--mode replace takes one file: each would replace the one before.")
        }
        guard administration.serviceAccount != nil else {
            guard administration.collection == nil, administration.firestoreURL == nil else {
                throw Failure(.usage, "--collection and --firestore-url need --service-account.")
            }
            return
        }
        guard source == .firestore, paths.isEmpty, administration.collection != nil else {
            throw Failure(.usage, "--service-account needs --from firestore, --collection and no file.")
        }
    }

    /// Those of the paths, or the collection that the options name.
    private func boards(at paths: [String], _ progress: ProgressLine) async throws -> [ImportFile] {
        let administration = configuration.administration
        guard let key = administration.serviceAccount, let collection = administration.collection else {
            return try files(at: paths)
        }
        let reader = FirestoreReader(try ServiceAccountKey(Input.bytes(at: key)), base: administration.firestoreURL)
        // A little ago: Firestore refuses a time that lies ahead of its own clock.
        defer { progress.end() }
        let documents = try await reader.read(collection, at: Timestamp.system() + .seconds(-5)) {
            progress.show("\(ProgressLine.grouped($0)) documents read")
        }
        return [ImportFile(bytes: documents)]
    }

    private func read(_ files: [ImportFile], _ reading: ImportReading) throws -> [(BoardDocument, ImportRemarks)] {
        var unnamed = UnnamedTasks()
        return try files.map { file in
            do {
                return try reading.read(file.bytes, now: Timestamp.system(), after: &unnamed)
            } catch BoardError.invalid(let faults) {
                throw Failure(faults, in: file.name)
            } catch let refused as RefusedImport {
                throw Failure(refused.faults, in: file.name)
            } catch let malformed as MalformedDocument {
                let name = file.name ?? "The import"
                throw Failure(
                    .damagedData, "\(name) is no JSON, and nothing was changed: \(malformed.detail.onOneLine)")
            }
        }
    }

    /// The rules of a file, or those in the option itself.
    private func rules() throws(Failure) -> [String] {
        guard let map = configuration.administration.map else { return [] }
        // Every rule has one of these characters.
        let isFile = FileManager.default.fileExists(atPath: map) || !map.contains { "=:".contains($0) }
        let rules =
            isFile
            ? try Input.text(at: map).split(whereSeparator: \.isNewline).map { String($0).trimmed }
                .filter { !$0.isEmpty && !$0.hasPrefix("#") }
            : map.split(separator: ",").map(String.init)
        do {
            var choices = ImportChoices(zone: nil, now: Timestamp.system())
            try choices.take(rules)
        } catch {
            throw Failure(isFile ? .damagedData : .usage, "--map: \(error.detail)")
        }
        return rules
    }

    /// True if the command is about the one board of the open mode.
    private var isOwnBoard: Bool { [nil, "local"].contains(configuration.administration.account) }

    private func accountKey(in store: any ServedStore) async throws -> AccountKey {
        guard !isOwnBoard, let name = configuration.administration.account else {
            // Under `--auth required` nobody sees the board of the open mode.
            if configuration.administration.account == nil,
                try await !store.readAccess({ try $0.accounts(after: .local, limit: 1) }).isEmpty
            {
                throw Failure(
                    .usage,
                    "There are accounts here: say whose board it is with --account EMAIL. --account local is the board of "
                        + "--auth open.")
            }
            return .local
        }
        return try await store.account(named: name).key
    }
}

extension Failure {
    /// The faults of a document, one a line.
    init(_ faults: [Fault], in file: String? = nil) {
        let lines = faults.map { "  line \($0.line ?? 1), \($0.pointer): \($0.detail)".onOneLine }.joined(
            separator: "\n")
        self.init(.damagedData, "\(file ?? "The import") is wrong, and nothing was changed:\n\(lines)")
    }
}
