import Crypto
import Foundation
import JSON
import Kanban
import KanbanAPI
import KanbanAccess
import KanbanImport

/// What a file of the import command is.
enum ImportOrigin: Sendable, Hashable, RawRepresentable, CaseIterable {
    /// One board.
    case board(ImportSource)
    /// Accounts without boards.
    case firebaseAuth

    static let allCases: [ImportOrigin] = ImportSource.allCases.map(ImportOrigin.board) + [.firebaseAuth]

    init?(rawValue: String) {
        guard let origin = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = origin
    }

    var rawValue: String {
        switch self {
        case .board(let source): source.rawValue
        case .firebaseAuth: "firebase-auth"
        }
    }
}

/// Turns accounts of Firebase Auth into ours, and notes what does not come along.
struct AccountImport {
    private(set) var accounts: [ImportedAccount] = []
    private(set) var remarks = ImportRemarks()
    /// What the accounts are of.
    private var sources: [Source] = []
    /// The rows of a note.
    private var noted: [String: [Int]] = [:]
    /// The row of the file, and what of it does not come along: that counts only if the account is made.
    private struct Source {
        let row: Int
        /// The codes of notes.
        var losses: [String] = []
        /// The providers of identities.
        var strangers: [String] = []
    }

    private let hashing: FirebaseHashParameters?
    private let signerKey: [UInt8]
    private let separator: [UInt8]

    /// Sign-in providers by their names at Firebase.
    private static let providers = ["apple.com": "apple", "google.com": "google"]
    /// What Firebase writes in place of hashes that the caller may not see: `REDACTED`.
    private static let redacted = Array("REDACTED".utf8)
    private static let mostRowsNamed = 20

    /// - Throws: ``Failure`` for parameters that no hash can be checked with.
    init(_ users: [FirebaseUser], hashing: FirebaseHashParameters?) throws(Failure) {
        self.hashing = hashing
        (signerKey, separator) = try Self.bytes(of: hashing)
        if hashing == nil, users.contains(where: { $0.passwordHash != nil && $0.isFirebaseHash }) {
            throw Failure(
                .usage,
                "The file has passwords. Give --hash-parameters FILE with the text that the console of Firebase shows under "
                    + "Authentication, Users, Password hash parameters.")
        }
        for user in users { try add(user) }
    }

    private static func bytes(of hashing: FirebaseHashParameters?) throws(Failure) -> ([UInt8], [UInt8]) {
        guard let hashing else { return ([], []) }
        guard let key = ByteText.bytes(lenientBase64: hashing.signerKey),
            let separator = ByteText.bytes(lenientBase64: hashing.saltSeparator)
        else { throw Failure(.damagedData, "--hash-parameters: the signer key or the salt separator is no base 64.") }
        let zeros = [UInt8](repeating: 0, count: key.count)
        guard
            PasswordHash(
                firebase: zeros, signerKey: key, salt: [], logCost: hashing.memCost, blockSize: hashing.rounds) != nil
        else {
            throw Failure(
                .damagedData,
                "--hash-parameters: a signer key has 16 to 64 bytes, mem_cost is 1 to 15 and rounds 1 to 8. Larger values would "
                    + "let each log-in take more memory than the server allows for, and macOS has no scrypt.")
        }
        return (key, separator)
    }

    private mutating func add(_ user: FirebaseUser) throws(Failure) {
        var account = ImportedAccount()
        var source = Source(row: user.row)
        account.email = user.email.flatMap { EmailAddress($0) }
        account.isEmailVerified = user.isEmailVerified && account.email != nil
        account.isDisabled = user.isDisabled
        account.displayName = user.displayName
        if let name = user.displayName, TextRule.displayName.fault(in: name) != nil {
            account.displayName = nil
            source.losses.append("display_name")
        }
        for identity in user.identities {
            guard let provider = Self.providers[identity.provider], (1...255).contains(identity.subject.utf8.count),
                identity.subject.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
            else {
                source.strangers.append(identity.provider.onOneLine)
                continue
            }
            guard !account.identities.contains(where: { $0.provider == provider }) else { continue }
            account.identities.append(
                .init(
                    provider: provider, subject: identity.subject,
                    email: identity.email.flatMap { EmailAddress($0)?.text }))
        }
        guard account.email != nil || !account.identities.isEmpty else {
            remarks.skipped += 1
            return note(user.email == nil ? "no_way_in" : "invalid_address", user.row)
        }
        if account.email != nil { account.passwordHash = try hash(of: user, &source) }
        if account.passwordHash == nil, account.identities.isEmpty { source.losses.append("reset_needed") }
        accounts.append(account)
        sources.append(source)
    }

    private func hash(of user: FirebaseUser, _ source: inout Source) throws(Failure) -> String? {
        guard let text = user.passwordHash else { return nil }
        guard user.isFirebaseHash, let hashing else {
            source.losses.append("other_hash")
            return nil
        }
        let bytes = ByteText.bytes(lenientBase64: text)
        guard bytes != Self.redacted else {
            throw Failure(
                .damagedData,
                "#/users/\(user.row - 1)/passwordHash is REDACTED: the account that made the export lacks the permission "
                    + "firebaseauth.configs.getHashConfig. Export again as an owner of the project.")
        }
        guard let bytes, let salt = ByteText.bytes(lenientBase64: user.salt),
            let hash = PasswordHash(
                firebase: bytes, signerKey: signerKey, salt: salt + separator, logCost: hashing.memCost,
                blockSize: hashing.rounds)
        else {
            source.losses.append("other_hash")
            return nil
        }
        return hash.text
    }

    /// Notes what became of the accounts.
    mutating func finish(_ outcomes: [ImportedAccount.Outcome]) {
        for (source, outcome) in zip(sources, outcomes) {
            switch outcome {
            case .created:
                for code in source.losses { note(code, source.row) }
                for provider in source.strangers {
                    remarks.note(
                        "unknown_provider",
                        "Identities of \(provider) are left out: only those of Apple and Google come along.")
                }
                continue
            case .addressTaken: note("address_taken", source.row)
            case .identityTaken: note("identity_taken", source.row)
            }
            remarks.skipped += 1
        }
        for (code, detail) in Self.details {
            guard let rows = noted[code] else { continue }
            let places = rows.prefix(Self.mostRowsNamed).map { "#/users/\($0 - 1)" }.joined(separator: ", ")
            let more = rows.count > Self.mostRowsNamed ? ", …" : ""
            remarks.note(code, "\(detail) \(places)\(more)", count: rows.count)
        }
    }

    private mutating func note(_ code: String, _ row: Int) {
        noted[code, default: []].append(row)
    }

    private static let details = [
        ("address_taken", "Skipped: an account has this address already."),
        ("identity_taken", "Skipped: an account has this identity already."),
        ("invalid_address", "Skipped: this is no address, and there is no identity of Apple or Google."),
        ("no_way_in", "Skipped: there is neither an address nor an identity of Apple or Google."),
        ("other_hash", "The password does not come along: it is not hashed as the parameters say."),
        ("reset_needed", "There is no password and no identity: the owner needs a password reset by mail."),
        ("display_name", "The display name is left out: it is longer than 100 characters, or has control characters."),
    ]
}

extension TransferCommands {
    /// Must not run beside a server over the same directory, whose writes would wait for the whole of it.
    func importAccounts(from paths: [String]) async throws {
        let administration = configuration.administration
        guard administration.account == nil, administration.map == nil, administration.mode == .merge else {
            throw Failure(.usage, "--from firebase-auth makes accounts: --account, --map and --mode have no use there.")
        }
        let target = try ImportTarget(configuration)
        let users: [FirebaseUser]
        do {
            users = try files(at: paths).flatMap { try FirebaseUser.read($0.bytes) }
        } catch let unreadable as UnreadableImport {
            throw Failure(.damagedData, "Nothing was changed: \(unreadable.detail.onOneLine)")
        }
        var reading = try AccountImport(users, hashing: hashParameters())
        try await target.write { store in
            let service = AccessService(store: store, verifier: TokenVerifier(store: store), clock: Timestamp.system)
            let progress = ProgressLine()
            defer { progress.end() }
            let count = reading.accounts.count
            let outcomes = try await service.importAccounts(reading.accounts, isDryRun: administration.dryRun) {
                if $0 % 1_000 == 0 { progress.show($0, of: count) }
            }
            progress.end()
            reading.finish(outcomes)
            printReport(of: reading, created: outcomes.count { $0 == .created })
        }
    }

    private func hashParameters() throws(Failure) -> FirebaseHashParameters? {
        guard let path = configuration.administration.hashParameters else { return nil }
        let text = try Input.text(at: path)
        do {
            return try FirebaseHashParameters(text)
        } catch {
            throw Failure(.damagedData, "--hash-parameters: \(error.detail)")
        }
    }

    /// As the report of a board's import, as far as accounts have what it tells.
    private func printReport(of reading: AccountImport, created: Int) {
        var json = JSONWriter()
        json.beginObject()
        json.name("importId")
        json.null()
        json.name("format")
        json.value(ImportOrigin.firebaseAuth.rawValue)
        json.name("dryRun")
        json.value(configuration.administration.dryRun)
        for (name, count) in [
            ("created", created), ("updated", 0), ("unchanged", 0), ("skipped", reading.remarks.skipped),
        ] {
            json.name(name)
            json.value(count)
        }
        json.name("errors")
        json.beginArray()
        json.endArray()
        json.name("notes")
        json.value(reading.remarks.notes)
        json.name("counts")
        json.beginObject()
        json.name("accounts")
        json.value(created)
        json.endObject()
        json.endObject()
        print(String(decoding: json.bytes, as: UTF8.self))
    }
}
