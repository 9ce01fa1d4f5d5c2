import JSON
import Kanban

/// An account of Firebase Auth as `firebase auth:export` or the Identity Toolkit API writes it.
package struct FirebaseUser: Sendable {
    package struct Identity: Sendable {
        /// `google.com`
        package var provider: String
        /// The provider's `sub`.
        package var subject: String
        package var email: String?
    }

    /// Its place in the list, counted from 1.
    package var row: Int
    package var email: String?
    package var isEmailVerified: Bool
    package var displayName: String?
    package var isDisabled: Bool
    /// Base 64 of either alphabet; `nil` without a password.
    package var passwordHash: String?
    package var salt: String
    /// True if the hash is of Firebase's own function. Only the API tells: the command leaves other hashes out.
    package var isFirebaseHash: Bool
    /// Those that a sign-in provider vouches for.
    package var identities: [Identity]

    /// Reads `{"users": […]}`.
    /// - Throws: ``UnreadableImport`` for anything else, and for entries that are no accounts.
    package static func read(_ bytes: [UInt8]) throws(UnreadableImport) -> [FirebaseUser] {
        var reader = JSONReader(bytes)
        var users: [FirebaseUser]?
        do {
            guard try reader.kind() == .object else { throw notAnExport }
            try reader.enterObject()
            while let name = try reader.nextName() {
                guard name == "users", try reader.kind() == .array else {
                    try reader.skip()
                    continue
                }
                var list: [FirebaseUser] = []
                try reader.enterArray()
                while try reader.nextElement() {
                    list.append(try FirebaseUser(reader.value(), row: list.count + 1))
                }
                users = list
            }
            try reader.finish()
        } catch let error as JSONError {
            throw UnreadableImport("Line \(reader.line(at: error.offset)): \(error.detail)")
        } catch let error as UnreadableImport {
            throw error
        } catch {
            throw notAnExport
        }
        guard let users else { throw notAnExport }
        return users
    }

    private static let notAnExport = UnreadableImport(
        "There is no list users: this is nothing that firebase auth:export --format=json wrote.")

    private init(_ json: JSON, row: Int) throws(UnreadableImport) {
        guard let id = json["localId"]?.stringValue, !id.isEmpty else {
            throw UnreadableImport("#/users/\(row - 1) is no account: it has no localId.")
        }
        self.row = row
        email = json["email"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        isEmailVerified = json["emailVerified"]?.boolValue ?? false
        displayName = json["displayName"]?.stringValue.flatMap { $0.trimmed.isEmpty ? nil : $0.trimmed }
        isDisabled = json["disabled"]?.boolValue ?? false
        passwordHash = json["passwordHash"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        salt = json["salt"]?.stringValue ?? ""
        isFirebaseHash = json["version"]?.intValue ?? 0 == 0
        identities = (json["providerUserInfo"]?.arrayValue ?? []).compactMap { info in
            guard let provider = info["providerId"]?.stringValue, !["password", "phone"].contains(provider),
                let subject = info["rawId"]?.stringValue, !subject.isEmpty
            else { return nil }
            return Identity(provider: provider, subject: subject, email: info["email"]?.stringValue)
        }
    }
}

/// How a project of Firebase hashes passwords, as its console shows it.
package struct FirebaseHashParameters: Sendable {
    /// Base 64. A secret of the project.
    package var signerKey: String
    /// Base 64.
    package var saltSeparator: String
    /// The block size of scrypt.
    package var rounds: Int
    /// The binary logarithm of scrypt's cost.
    package var memCost: Int

    /// Reads `hash_config { algorithm: SCRYPT, … }` as copied from the console; quotes and commas are optional.
    /// - Throws: ``UnreadableImport``, which names no value: one of them is a secret.
    package init(_ text: String) throws(UnreadableImport) {
        var values: [String: String] = [:]
        for part in text.split(whereSeparator: { $0.isNewline || ",{}".contains($0) }) {
            let sides = part.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            values[Self.bare(sides[0])] = Self.bare(sides[1])
        }
        guard values["algorithm"] ?? "SCRYPT" == "SCRYPT" else {
            throw UnreadableImport("The algorithm is not SCRYPT, the one whose hashes Firebase exports.")
        }
        func value(_ name: String) throws(UnreadableImport) -> String {
            guard let value = values[name], !value.isEmpty else { throw UnreadableImport("\(name) is missing.") }
            return value
        }
        func number(_ name: String) throws(UnreadableImport) -> Int {
            guard let number = Int(try value(name)) else { throw UnreadableImport("\(name) must be a number.") }
            return number
        }
        signerKey = try value("base64_signer_key")
        saltSeparator = values["base64_salt_separator"] ?? ""
        rounds = try number("rounds")
        memCost = try number("mem_cost")
    }

    private static func bare(_ text: Substring) -> String {
        String(text).trimmed.trimming { "\"'".contains($0) }.trimmed
    }
}

extension String {
    fileprivate func trimming(_ isOuter: (Character) -> Bool) -> String {
        let head = drop(while: isOuter)
        return String(head[..<(head.lastIndex { !isOuter($0) }.map { head.index(after: $0) } ?? head.startIndex)])
    }
}
